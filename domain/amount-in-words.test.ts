import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountInWords } from './amount-in-words.ts'
import { maximumPaise, paise, rupeesToPaise } from './money.ts'

const seed = 20_261_120

describe('an amount in words', () => {
  it.each([
    ['0', 'Zero rupees only', 'शून्य रुपये मात्र'],
    ['0.01', 'One paisa only', 'एक पैसा मात्र'],
    ['0.50', 'Fifty paise only', 'पचास पैसे मात्र'],
    ['1', 'One rupee only', 'एक रुपया मात्र'],
    ['1.01', 'One rupee and one paisa only', 'एक रुपया और एक पैसा मात्र'],
    ['21', 'Twenty-one rupees only', 'इक्कीस रुपये मात्र'],
    ['99.99', 'Ninety-nine rupees and ninety-nine paise only', 'निन्यानवे रुपये और निन्यानवे पैसे मात्र'],
    ['100', 'One hundred rupees only', 'एक सौ रुपये मात्र'],
    ['101', 'One hundred one rupees only', 'एक सौ एक रुपये मात्र'],
    ['1000', 'One thousand rupees only', 'एक हज़ार रुपये मात्र'],
    ['10313.13', 'Ten thousand three hundred thirteen rupees and thirteen paise only', 'दस हज़ार तीन सौ तेरह रुपये और तेरह पैसे मात्र'],
    ['100000', 'One lakh rupees only', 'एक लाख रुपये मात्र'],
    [
      '123456.50',
      'One lakh twenty-three thousand four hundred fifty-six rupees and fifty paise only',
      'एक लाख तेईस हज़ार चार सौ छप्पन रुपये और पचास पैसे मात्र',
    ],
    [
      '9999999.99',
      'Ninety-nine lakh ninety-nine thousand nine hundred ninety-nine rupees and ninety-nine paise only',
      'निन्यानवे लाख निन्यानवे हज़ार नौ सौ निन्यानवे रुपये और निन्यानवे पैसे मात्र',
    ],
    ['10000000', 'One crore rupees only', 'एक करोड़ रुपये मात्र'],
    ['20050000.07', 'Two crore fifty thousand rupees and seven paise only', 'दो करोड़ पचास हज़ार रुपये और सात पैसे मात्र'],
    ['1234500000', 'One hundred twenty-three crore forty-five lakh rupees only', 'एक सौ तेईस करोड़ पैंतालीस लाख रुपये मात्र'],
  ])('₹%s', (rupees, english, hindi) => {
    expect(amountInWords(rupeesToPaise(rupees), 'en')).toBe(english)
    expect(amountInWords(rupeesToPaise(rupees), 'hi')).toBe(hindi)
  })

  // Every name of Hindi from 0 to 99, by tens and then by ones, so that a slip in one list shows in
  // the other.
  const byOnes: readonly string[] = [
    'शून्य दस बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे',
    'एक ग्यारह इक्कीस इकतीस इकतालीस इक्यावन इकसठ इकहत्तर इक्यासी इक्यानवे',
    'दो बारह बाईस बत्तीस बयालीस बावन बासठ बहत्तर बयासी बानवे',
    'तीन तेरह तेईस तैंतीस तैंतालीस तिरेपन तिरेसठ तिहत्तर तिरासी तिरानवे',
    'चार चौदह चौबीस चौंतीस चवालीस चौवन चौंसठ चौहत्तर चौरासी चौरानवे',
    'पाँच पंद्रह पच्चीस पैंतीस पैंतालीस पचपन पैंसठ पचहत्तर पचासी पंचानवे',
    'छह सोलह छब्बीस छत्तीस छियालीस छप्पन छियासठ छिहत्तर छियासी छियानवे',
    'सात सत्रह सत्ताईस सैंतीस सैंतालीस सत्तावन सड़सठ सतहत्तर सत्तासी सत्तानवे',
    'आठ अठारह अट्ठाईस अड़तीस अड़तालीस अट्ठावन अड़सठ अठहत्तर अट्ठासी अट्ठानवे',
    'नौ उन्नीस उनतीस उनतालीस उनचास उनसठ उनहत्तर उनासी नवासी निन्यानवे',
  ]
  const names = byOnes.flatMap((list, one) => list.split(' ').map((name, ten) => [ten * 10 + one, name] as const))
  it('has every number below a hundred by its own Hindi name', () => {
    expect(names).toHaveLength(100)
    expect(new Set(names.map(([, name]) => name)).size).toBe(100)
    for (const [number, name] of names) {
      expect(amountInWords(paise(BigInt(number) * 100n), 'hi')).toBe(`${name} ${number === 1 ? 'रुपया' : 'रुपये'} मात्र`)
    }
  })

  it.each(['en', 'hi'] as const)('can be read back as the amount it was, in %s', (language) => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: maximumPaise }), (amount) => {
        expect(readBack(amountInWords(paise(amount), language), language)).toBe(amount)
      }),
      { seed, numRuns: 2_000 },
    )
  })

  const english = new Map(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
      .split(' ')
      .map((name, number) => [name, number]),
  )
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').forEach((name, index) => english.set(name, index * 10 + 20))
  const hindi = new Map(names.map(([number, name]) => [name, number]))
  const sizes: Record<string, bigint> = {
    hundred: 100n,
    thousand: 1_000n,
    lakh: 100_000n,
    crore: 10_000_000n,
    सौ: 100n,
    हज़ार: 1_000n,
    लाख: 100_000n,
    करोड़: 10_000_000n,
  }

  /** Reads the words back: a size multiplies everything smaller before it. */
  function readBack(text: string, language: 'en' | 'hi'): bigint {
    const [rupees = '', part = ''] = text.includes(language === 'en' ? 'rupee' : 'रुपय')
      ? text.toLowerCase().split(/ rupees?(?: and)? | रुपये(?: और)? | रुपया(?: और)? /)
      : ['', text.toLowerCase()]
    return number(rupees) * 100n + number(part)
  }
  function number(text: string): bigint {
    let sum = 0n
    for (const word of text.split(/[ -]/)) {
      const size = sizes[word]
      const known = english.get(word) ?? hindi.get(word)
      if (known !== undefined) sum += BigInt(known)
      if (size !== undefined) {
        const small = sum % size
        sum = sum - small + small * size
      }
    }
    return sum
  }
})
