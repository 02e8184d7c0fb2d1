import type { DocumentLanguage } from './documents.ts'
import type { Paise } from './money.ts'

/** The numerals of one language and the words around them. */
type Words = {
  /** 0 to 99. In Hindi each of them has its own name. */
  belowHundred: readonly string[]
  hundred: string
  thousand: string
  lakh: string
  crore: string
  sum: (rupees: bigint, paise: bigint, inWords: (number: bigint) => string) => string
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

const english: Words = {
  belowHundred: [...ones, ...tens.flatMap((ten) => ones.slice(0, 10).map((one, index) => (index === 0 ? ten : `${ten}-${one}`)))],
  hundred: 'hundred',
  thousand: 'thousand',
  lakh: 'lakh',
  crore: 'crore',
  sum(rupees, paise, inWords) {
    const whole = `${inWords(rupees)} ${rupees === 1n ? 'rupee' : 'rupees'}`
    const part = `${inWords(paise)} ${paise === 1n ? 'paisa' : 'paise'}`
    if (paise === 0n) return `${whole} only`
    return rupees === 0n ? `${part} only` : `${whole} and ${part} only`
  },
}

const hindi: Words = {
  belowHundred: [
    'शून्य एक दो तीन चार पाँच छह सात आठ नौ',
    'दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस',
    'बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस',
    'तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस',
    'चालीस इकतालीस बयालीस तैंतालीस चवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास',
    'पचास इक्यावन बावन तिरेपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ',
    'साठ इकसठ बासठ तिरेसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर',
    'सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उनासी',
    'अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी',
    'नब्बे इक्यानवे बानवे तिरानवे चौरानवे पंचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे',
  ].flatMap((ten) => ten.split(' ')),
  hundred: 'सौ',
  thousand: 'हज़ार',
  lakh: 'लाख',
  crore: 'करोड़',
  sum(rupees, paise, inWords) {
    const whole = `${inWords(rupees)} ${rupees === 1n ? 'रुपया' : 'रुपये'}`
    const part = `${inWords(paise)} ${paise === 1n ? 'पैसा' : 'पैसे'}`
    if (paise === 0n) return `${whole} मात्र`
    return rupees === 0n ? `${part} मात्र` : `${whole} और ${part} मात्र`
  },
}

/**
 * A whole number by crore, lakh, thousand and hundred. Above a hundred crore the same words count
 * the crores.
 */
function inWords(words: Words, number: bigint): string {
  const places = [
    [10_000_000n, words.crore],
    [100_000n, words.lakh],
    [1_000n, words.thousand],
    [100n, words.hundred],
  ] as const
  let left = number
  const parts: string[] = []
  for (const [size, name] of places) {
    const count = left / size
    if (count > 0n) parts.push(inWords(words, count), name)
    left %= size
  }
  if (left > 0n || parts.length === 0) parts.push(words.belowHundred[Number(left)] ?? '')
  return parts.join(' ')
}

/**
 * `One lakh twenty-three thousand rupees and fifty paise only`, for a receipt. The amount is not
 * negative.
 */
export function amountInWords(amount: Paise, language: DocumentLanguage): string {
  const words = language === 'hi' ? hindi : english
  const text = words.sum(amount / 100n, amount % 100n, (number) => inWords(words, number))
  return text.charAt(0).toUpperCase() + text.slice(1)
}
