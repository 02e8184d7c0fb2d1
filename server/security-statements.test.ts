import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
/** The required number of statements per letter. More may follow. */
const countsMin = { A: 24, S: 18, Z: 16, I: 14, M: 20, F: 16, P: 16, H: 18, L: 14 }
const rows = readFileSync(join(root, 'docs/security.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const match = /^\| ([ASZIMFPHL]\d\d) \| (.+) \| (–|`[^`]+`) \| (.+) \|$/.exec(line)
    return match
      ? [
          {
            id: match[1] ?? '',
            file: match[3]?.replaceAll('`', '') ?? '',
            test: (match[4] ?? '').replaceAll('\\|', '|').replace(/ \(issue \d+\)$/, ''),
          },
        ]
      : []
  })

/**
 * Whether a file has a test with this title: the first argument of `it` or `test`, or of a function
 * that `each` returns. In the suites of `lab/torture/`, which are not test files, it is the
 * reported text.
 */
function hasTest(source: string, title: string, file: string): boolean {
  if (file.startsWith('lab/torture/')) return source.includes(title)
  const code = source.replaceAll(/^\s*\/\/.*$/gm, '')
  const literal = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?:\b(?:it|test)(?:\.\w+)?\(|[\]\w)]\)\()\s*(['"\`])${literal}(?: \(issue \d+\))?\1`).test(code)
}

describe('the table of statements', () => {
  it('has all required statements, and continues their numbers', () => {
    const ids = Object.entries(countsMin).flatMap(([letter, countMin]) => {
      const count = Math.max(countMin, rows.filter(({ id }) => id.startsWith(letter)).length)
      return Array.from({ length: count }, (_, index) => letter + String(index + 1).padStart(2, '0'))
    })
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })

  const tested = rows.filter(({ file }) => file !== '–')

  it('refers to tests by their whole titles, for at least 140', () => {
    expect(
      tested
        .filter(({ file, test }) => !hasTest(readFileSync(join(root, file), 'utf8'), test, file))
        .map(({ id, test }) => `${id}: ${test}`),
    ).toEqual([])
    expect(tested.length).toBeGreaterThanOrEqual(140)
  })

  it('refers to each test once', () => {
    const byTest = Map.groupBy(tested, ({ file, test }) => `${file}: ${test}`)
    expect(
      [...byTest].filter(([, same]) => same.length > 1).map(([test, same]) => `${same.map(({ id }) => id).join(', ')}: ${test}`),
    ).toEqual([])
  })

  it('does not accept a part of a title, a group or a comment as a test', () => {
    const source =
      "describe('a group', () => {\n // it('in a comment') \n it('a whole title', () => {}); it.each(cases)('one of %s', () => {}) })"
    const known = ['a whole title', 'one of %s', 'a whole', 'a group', 'in a comment'].filter((title) =>
      hasTest(source, title, 'x.test.ts'),
    )
    expect(known).toEqual(['a whole title', 'one of %s'])
  })

  it('gives a reason for the others', () => {
    expect(rows.filter(({ file, test }) => file === '–' && test.length < 30)).toEqual([])
  })
})
