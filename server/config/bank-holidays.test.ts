import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeBrandFolder } from '#testkit/brand-folder.ts'
import { readBankHolidays } from './bank-holidays.ts'
import { readConfig } from './read-config.ts'

const directory = mkdtempSync(join(tmpdir(), 'kist-holidays-'))
afterAll(() => rmSync(directory, { recursive: true }))
const fileWith = (text: string): string => {
  const path = join(directory, `${Math.random()}.json`)
  writeFileSync(path, text)
  return path
}

it('reads the days of a file of bank holidays', () => {
  const { days, faults } = readBankHolidays(fileWith('{"2026-11-24": "Guru Nanak Jayanti", "2026-12-25": "Christmas"}'))
  expect([[...days], faults]).toEqual([['2026-11-24', '2026-12-25'], []])
  expect(readBankHolidays(join(directory, 'missing.json'))).toEqual({ days: new Set(), faults: [] })
})

it.each([
  ['not JSON', '{"2026-11-24"', /is not JSON/],
  ['a list', '["2026-11-24"]', /must be an object of days and names/],
  ['null', 'null', /must be an object of days and names/],
  ['a day of another form', '{"24-11-2026": "Guru Nanak Jayanti"}', /has 24-11-2026, which is not a day such as 2026-11-24/],
  ['a day that does not exist', '{"2026-02-30": "none"}', /has 2026-02-30, which is not a day/],
])('refuses a file that is %s, and says why', (_what, text, fault) => {
  const { days, faults } = readBankHolidays(fileWith(text))
  expect([days.size, faults]).toEqual([0, [expect.stringMatching(fault)]])
})

it('reports the fault of the file as one of the brand folder', () => {
  const folder = makeBrandFolder({})
  writeFileSync(join(folder, 'bank-holidays.json'), '[]')
  expect(() => readConfig({ KIST_DATA_DIR: directory, KIST_BRAND_DIR: folder })).toThrow(
    /KIST_BRAND_DIR: bank-holidays.json must be an object of days and names/,
  )
})
