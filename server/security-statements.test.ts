import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
/** The statements that were asked for. More may follow, numbered on. */
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

describe('the table of statements', () => {
  it('has every one that was asked for, and numbers those of ours on', () => {
    const ids = Object.entries(countsMin).flatMap(([letter, countMin]) => {
      const count = Math.max(countMin, rows.filter(({ id }) => id.startsWith(letter)).length)
      return Array.from({ length: count }, (_, index) => letter + String(index + 1).padStart(2, '0'))
    })
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })

  it('names a test that is there, for at least 140', () => {
    const tested = rows.filter(({ file }) => file !== '–')
    expect(
      tested.filter(({ file, test }) => !readFileSync(join(root, file), 'utf8').includes(test)).map(({ id, test }) => `${id}: ${test}`),
    ).toEqual([])
    expect(tested.length).toBeGreaterThanOrEqual(140)
  })

  it('gives a reason for the others', () => {
    expect(rows.filter(({ file, test }) => file === '–' && test.length < 30)).toEqual([])
  })
})
