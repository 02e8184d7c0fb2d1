import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../bench.testing.ts'
import { enachResultMs, isWorkingDay, nextUpiWindow, readHolidays, reportAfterWorkingDays } from './working-days.ts'

const holidays = readHolidays(path.join(import.meta.dirname, 'bank-holidays.json'))
const folder = temporaryFolder()
afterAll(() => fs.rmSync(folder, { recursive: true }))

const india = (time: string): number => Date.parse(`${time}+05:30`)
const shown = (ms: number): string => new Date(ms + 19_800_000).toISOString().slice(0, 16)

describe('bank days', () => {
  it.each([
    ['2026-11-23', true],
    // Guru Nanak Jayanti.
    ['2026-11-24', false],
    ['2026-11-22', false],
    // The first, second, third, fourth and fifth Saturday.
    ['2026-08-01', true],
    ['2026-08-08', false],
    ['2026-08-22', false],
    ['2026-08-29', true],
    ['2026-11-21', true],
    ['2026-11-28', false],
  ])('%s is a working day: %s', (day, expected) => {
    expect(isWorkingDay(holidays, india(`${day}T00:00`))).toBe(expected)
    expect(isWorkingDay(holidays, india(`${day}T23:59`))).toBe(expected)
  })

  it('counts the next working day over a holiday', () => {
    expect(shown(reportAfterWorkingDays(holidays, india('2026-11-23T18:00'), 1))).toBe('2026-11-25T10:00')
  })

  it.each([
    ['before 09:00 counts for the day', '2026-11-25T08:59', '2026-11-27T10:00'],
    ['from 09:00 on counts for the next', '2026-11-25T09:00', '2026-11-30T10:00'],
    ['runs on a holiday, and is reported two working days later', '2026-11-24T07:00', '2026-11-26T10:00'],
    ['is reported after a fourth Saturday and a Sunday', '2026-11-26T07:00', '2026-11-30T10:00'],
  ])('an eNACH request %s', (_title, requested, result) => {
    expect(shown(enachResultMs(holidays, india(requested)))).toBe(result)
  })

  it.each([
    ['2026-11-25T06:00', '2026-11-25T06:00'],
    ['2026-11-25T09:59', '2026-11-25T09:59'],
    ['2026-11-25T10:00', '2026-11-25T13:00'],
    ['2026-11-25T16:59', '2026-11-25T16:59'],
    ['2026-11-25T17:00', '2026-11-25T21:30'],
    ['2026-11-25T23:00', '2026-11-25T23:00'],
  ])('a UPI debit of %s runs at %s', (asked, runs) => {
    expect(shown(nextUpiWindow(india(asked)))).toBe(runs)
  })

  it('refuses a file with a day that is none', () => {
    const file = path.join(folder, 'holidays.json')
    fs.writeFileSync(file, '{"24-11-2026":"Guru Nanak Jayanti"}')
    expect(() => readHolidays(file)).toThrow('"24-11-2026" is not a day')
  })
})
