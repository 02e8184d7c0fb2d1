import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import {
  addDays,
  addMonths,
  dayFromNumber,
  dayInIndia,
  dayNumber,
  daysBetween,
  daysInMonth,
  endOfDayInIndiaMs,
  financialYear,
  financialYearDays,
  isLeapYear,
  monthlyDueDays,
  parseDay,
  quoteDay,
  quoteValidUntilMs,
  startOfDayInIndiaMs,
  toDay,
} from './calendar.ts'

const seed = 20_261_120
const anyDayNumber = fc.integer({ min: dayNumber(toDay('1900-01-01')), max: dayNumber(toDay('2199-12-31')) })

describe('a day', () => {
  it.each(['2024-02-29', '1900-01-01', '2199-12-31', '2000-02-29'])('%s is one', (text) => {
    expect(parseDay(text)).toBe(text)
    expect(toDay(text)).toBe(text)
  })

  it.each([
    '2023-02-29',
    '1900-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '2024-04-31',
    '1899-12-31',
    '2200-01-01',
    '2024-1-1',
    '20240101',
    '2024-01-01T00:00',
    ' 2024-01-01',
    '2024-01-01\n',
    '2024-01-012024-01-01',
    '',
    '२०२४-०१-०१',
  ])('%j is none', (text) => {
    expect(parseDay(text)).toBeNull()
    expect(() => toDay(text)).toThrow(new RangeError(`Not a date YYYY-MM-DD: ${text}`))
  })

  it('has the number that the calendar of the platform gives it', () => {
    fc.assert(
      fc.property(anyDayNumber, (number) => {
        const day = dayFromNumber(number)
        expect(day).toBe(new Date(number * 86_400_000).toISOString().slice(0, 10))
        expect(dayNumber(day)).toBe(number)
        expect(parseDay(day)).toBe(day)
      }),
      { seed, numRuns: 2000 },
    )
  })

  it.each(['0001-01-01', '0999-12-31', '1000-01-01', '1600-02-29', '1900-02-28', '1900-03-01', '2000-02-29', '2000-03-01', '2100-03-01'])(
    '%s has the number of the platform, where years, centuries and 400 years end',
    (text) => {
      const number = new Date(`${text}T00:00:00Z`).getTime() / 86_400_000
      expect(dayFromNumber(number)).toBe(text)
      expect(dayNumber(text as Day)).toBe(number)
    },
  )

  it('moves by days, both ways', () => {
    expect(addDays(toDay('2024-02-28'), 2)).toBe('2024-03-01')
    expect(addDays(toDay('2024-03-01'), -1)).toBe('2024-02-29')
    expect(daysBetween(toDay('2024-03-01'), toDay('2024-02-01'))).toBe(-29)
  })

  it('knows leap years and the lengths of months', () => {
    expect([1900, 2000, 2023, 2024].map(isLeapYear)).toEqual([false, true, false, true])
    expect([2, 4, 6, 9, 11, 12].map((month) => daysInMonth(2024, month))).toEqual([29, 30, 30, 30, 30, 31])
  })
})

describe('months', () => {
  it.each([
    ['2024-01-31', 1, undefined, '2024-02-29'],
    ['2023-01-31', 1, undefined, '2023-02-28'],
    ['2024-01-30', 13, undefined, '2025-02-28'],
    ['2024-02-29', 12, undefined, '2025-02-28'],
    ['2024-02-29', 1, 31, '2024-03-31'],
    ['2024-04-30', 1, 31, '2024-05-31'],
    ['2024-03-15', -3, undefined, '2023-12-15'],
    ['2024-01-05', 0, 31, '2024-01-31'],
  ])('%s and %s months, due day %s: %s', (day, months, dueDay, expected) => {
    expect(addMonths(toDay(day), months, dueDay)).toBe(expected)
  })

  it('keep month ends over a leap February', () => {
    expect(monthlyDueDays(toDay('2023-12-31'), 31, 5).map(dayFromNumber)).toEqual([
      '2023-12-31',
      '2024-01-31',
      '2024-02-29',
      '2024-03-31',
      '2024-04-30',
    ])
  })

  it('are strictly later, one calendar month each', () => {
    fc.assert(
      fc.property(anyDayNumber, fc.integer({ min: 1, max: 31 }), (number, dueDay) => {
        const days = monthlyDueDays(dayFromNumber(number), dueDay, 30)
        const months = days.map((due) => Number(dayFromNumber(due).slice(0, 4)) * 12 + Number(dayFromNumber(due).slice(5, 7)))
        expect(months).toEqual(months.map((_month, index) => (months[0] ?? 0) + index))
      }),
      { seed },
    )
  })
})

describe('India', () => {
  it.each([
    ['2026-11-19T18:29:59.999Z', '2026-11-19'],
    ['2026-11-19T18:30:00.000Z', '2026-11-20'],
    ['1969-12-31T18:29:59.999Z', '1969-12-31'],
    ['2024-02-28T18:30:00Z', '2024-02-29'],
  ])('at %s it is %s', (instant, day) => {
    expect(dayInIndia(new Date(instant))).toBe(day)
  })

  it('begins its day at 18:30 UTC of the day before and ends it a millisecond before the next', () => {
    const day = toDay('2026-11-20')
    expect(new Date(startOfDayInIndiaMs(day)).toISOString()).toBe('2026-11-19T18:30:00.000Z')
    expect(new Date(endOfDayInIndiaMs(day)).toISOString()).toBe('2026-11-20T18:29:59.999Z')
    expect(dayInIndia(new Date(startOfDayInIndiaMs(day)))).toBe(day)
    expect(dayInIndia(new Date(endOfDayInIndiaMs(day)))).toBe(day)
  })

  it('quotes for the next day from 23:30 on, so that a link lives at least half an hour', () => {
    expect(quoteDay(new Date('2026-11-20T17:59:59.999Z'))).toBe('2026-11-20')
    expect(quoteDay(new Date('2026-11-20T18:00:00.000Z'))).toBe('2026-11-21')
    expect(new Date(quoteValidUntilMs(toDay('2026-11-20'))).toISOString()).toBe('2026-11-20T18:29:59.999Z')
  })

  it.each([
    ['2026-03-31', '2025-26'],
    ['2026-04-01', '2026-27'],
    ['1999-12-31', '1999-00'],
    ['2010-03-31', '2009-10'],
  ])('%s lies in the financial year %s', (day, year) => {
    expect(financialYear(toDay(day))).toBe(year)
  })

  it('knows the days of a financial year, and which text names none', () => {
    expect(financialYearDays('2026-27')).toEqual({ from: '2026-04-01', to: '2027-03-31' })
    expect(financialYearDays('1900-01')).toEqual({ from: '1900-04-01', to: '1901-03-31' })
    expect(financialYearDays('2198-99')).toEqual({ from: '2198-04-01', to: '2199-03-31' })
    const none = ['2026-28', '2026', '2026-2027', '26-27', '1899-00', '2199-00', 'FY2026-27', '2026-27 ']
    expect(none.map(financialYearDays)).toEqual(none.map(() => null))
  })
})
