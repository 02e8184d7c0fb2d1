import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { en as english } from '#server/documents/content/words-en.ts'
import { hi as documentHindi } from '#server/documents/content/words-hi.ts'

const folder = new URL('../locales/', import.meta.url)
const areas = readdirSync(folder)

/** The used messages of a catalogue, by their English text. */
function readCatalogue(area: string, language: string): Map<string, string> {
  const text = readFileSync(new URL(`${area}/${language}.po`, folder), 'utf8')
  const entries = [...text.matchAll(/^msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)/gm)]
  return new Map(
    entries.map(([, id = '', translation = '']): [string, string] => [unquote(id), unquote(translation)]).filter(([id]) => id !== ''),
  )
}

const unquote = (lines: string): string =>
  [...lines.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([quoted]) => JSON.parse(quoted) as string).join('')

const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+(?=[,}])|<\/?\d+\/?>/g) ?? [])].sort()

describe.each(areas)('the words of %s', (area) => {
  const hindi = readCatalogue(area, 'hi')

  test('each has its Hindi', () => {
    expect([...hindi].filter(([, translation]) => translation === '').map(([id]) => id)).toEqual([])
  })
  test('Hindi has the same placeholders and links', () => {
    const wrong = [...hindi].filter(
      ([id, translation]) => translation !== '' && String(placeholders(id)) !== String(placeholders(translation)),
    )
    expect(wrong).toEqual([])
  })
  test('Hindi uses Latin digits', () => {
    expect([...hindi.values()].filter((translation) => /[०-९]/.test(translation))).toEqual([])
  })
  test('both languages hold the same messages', () => {
    expect([...hindi.keys()]).toEqual([...readCatalogue(area, 'en').keys()])
  })
})

test('one English text has one Hindi text in every area, since they are merged on the page', () => {
  const seen = new Map<string, Set<string>>()
  for (const area of areas) {
    for (const [id, translation] of readCatalogue(area, 'hi')) seen.set(id, (seen.get(id) ?? new Set()).add(translation))
  }
  expect([...seen].filter(([, translations]) => translations.size > 1).map(([id, translations]) => [id, ...translations])).toEqual([])
})

test('a text that names a label of the screen in quotes names it in Hindi too, in the quotes of the glossary', () => {
  const hindi = new Map(areas.flatMap((area) => [...readCatalogue(area, 'hi')]))
  const named = [...hindi].flatMap(([id, translation]) =>
    [...id.matchAll(/“([^”]+)”/g)].flatMap(([, label = '']) => (hindi.has(label) ? [{ label, id, translation }] : [])),
  )
  // What to do about credit on a closed loan (decision 0200).
  expect(named.map(({ label }) => label)).toContain('Record a refund by bank transfer')
  expect(named.filter(({ label, translation }) => !translation.includes(`‘${hindi.get(label)}’`))).toEqual([])
})

/** The words that the glossary's table says not to write, each with the one to write. */
function readForbiddenWords(): { write: string; not: string }[] {
  const glossary = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8')
  const [, table = ''] = glossary.split('| write | not | for |\n|---|---|---|\n')
  const rows = [...(/^(?:\|.*\n)*/.exec(table)?.[0] ?? '').matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)]
  return rows.flatMap(([, write = '', not = '']) => not.split(', ').map((word) => ({ write, not: word })))
}

describe('Hindi wording', () => {
  const hindi = areas.flatMap((area) => [...readCatalogue(area, 'hi')])

  test('no text has a word that the glossary says not to write', () => {
    const forbidden = readForbiddenWords()
    expect(forbidden.length).toBeGreaterThan(10)
    // The letters before and after it belong to another word: पैसे of a rupee is not पैसा.
    const isIn = (word: string, text: string) => new RegExp(`(?<![\\p{L}\\p{M}])${word}(?![\\p{L}\\p{M}])`, 'u').test(text)
    const wrong = hindi.flatMap(([id, translation]) =>
      forbidden
        .filter(({ not }) => isIn(not.normalize(), translation.normalize()))
        // Only the papers of a loan are called so.
        .filter(({ not }) => !(not.startsWith('काग़ज़') && /paper/i.test(id)))
        .map(({ write, not }) => `${not} instead of ${write}: ${translation}`),
    )
    expect(wrong).toEqual([])
  })
  test('the purposes of payments are named as on the receipts', () => {
    const words = new Map(hindi)
    const named = Object.entries(english.purposes).map(([purpose, text]) => [purpose, words.get(text)])
    expect(Object.fromEntries(named)).toEqual(documentHindi.purposes)
  })

  test('आंशिक भुगतान and अग्रिम राशि name what the glossary says, and nothing else does', () => {
    const wronglyNamed = hindi.filter(([id, translation]) => translation.includes('आंशिक भुगतान') && !/part payment/i.test(id))
    expect(wronglyNamed).toEqual([])
    // “Credit” alone is a column of the ledger; an application is जमा too.
    const credits = hindi.filter(([id]) => /\bcredit\b/i.test(id) && id !== 'Credit')
    expect(credits.length).toBeGreaterThan(10)
    expect(credits.filter(([, translation]) => translation.includes('जमा'))).toEqual([])
  })
  test('facts are named as the screen shows them, not as the database does', () => {
    expect(hindi.filter(([id, translation]) => /[“‘]\w+_\w+[”’]/.test(id + translation))).toEqual([])
  })
  test('a button that cannot be pressed yet gives no order', () => {
    const waiting = new Set(hindi.filter(([id]) => id === 'Resend OTP in {seconds}s').map(([, translation]) => translation))
    expect([...waiting]).toEqual(['{seconds} सेकंड बाद OTP फिर भेज सकेंगे'])
  })
  test('a number of paid instalments, which may be 1, has no plural verb', () => {
    const counted = hindi.filter(([id]) => /\{paid\}.* paid/.test(id))
    expect(counted).toHaveLength(4)
    expect(counted.filter(([, translation]) => translation.includes('चुकाई गईं') || !translation.includes('चुकाई गई'))).toEqual([])
  })
})
