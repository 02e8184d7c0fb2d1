import { describe, expect, test } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { clampDay, moveDayByKey, getFirstOfMonth, getLastOfMonth, buildMonthGrid, getWeekday } from './month-grid.ts'

describe('monthGrid', () => {
  test('six weeks of seven days from a Sunday, with the days of the neighbouring months', () => {
    const grid = buildMonthGrid(toDay('2026-12-01'))
    expect(grid.map((week) => week.length)).toEqual([7, 7, 7, 7, 7, 7])
    expect(grid[0]?.[0]).toBe('2026-11-29')
    expect(grid[5]?.[6]).toBe('2027-01-09')
  })
  test('a February that begins on a Sunday still has six weeks', () => {
    const grid = buildMonthGrid(toDay('2026-02-01'))
    expect(grid[0]?.[0]).toBe('2026-02-01')
    expect(grid[5]?.[6]).toBe('2026-03-14')
  })
  test('weeks begin on Sunday', () => {
    expect(getWeekday(toDay('2026-11-22'))).toBe(0)
    expect(getWeekday(toDay('2026-11-21'))).toBe(6)
    expect(getWeekday(toDay('1970-01-01'))).toBe(4)
  })
  test('the ends of a month', () => {
    expect(getFirstOfMonth(toDay('2028-02-29'))).toBe('2028-02-01')
    expect(getLastOfMonth(toDay('2028-02-10'))).toBe('2028-02-29')
  })
})

describe('keys', () => {
  test.each([
    ['ArrowLeft', '2026-11-30'],
    ['ArrowRight', '2026-12-02'],
    ['ArrowUp', '2026-11-24'],
    ['ArrowDown', '2026-12-08'],
    ['Home', '2026-11-29'],
    ['End', '2026-12-05'],
    ['PageUp', '2026-11-01'],
    ['PageDown', '2027-01-01'],
  ])('%s', (key, day) => expect(moveDayByKey(key, toDay('2026-12-01'))).toBe(day))
  test.each([
    ['PageUp', '2027-02-28'],
    ['PageDown', '2029-02-28'],
  ])('Shift and %s go a year', (key, day) => expect(moveDayByKey(key, toDay('2028-02-29'), true)).toBe(day))
  test('Shift changes no other key', () => expect(moveDayByKey('ArrowLeft', toDay('2026-12-01'), true)).toBe('2026-11-30'))
  test('a page on from a long month stays within the short one', () => {
    expect(moveDayByKey('PageDown', toDay('2027-01-31'))).toBe('2027-02-28')
  })
  test('other keys move nothing', () => expect(moveDayByKey('a', toDay('2026-12-01'))).toBeNull())
})

test('a day is kept within two others', () => {
  const [from, to] = [toDay('2026-11-21'), toDay('2026-12-20')]
  expect(clampDay(toDay('2026-11-20'), from, to)).toBe(from)
  expect(clampDay(toDay('2027-01-01'), from, to)).toBe(to)
  expect(clampDay(toDay('2026-12-01'), from, to)).toBe('2026-12-01')
})
