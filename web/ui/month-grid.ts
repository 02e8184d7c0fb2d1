import { addDays, addMonths, dayNumber, dayOfMonth, daysInMonth, monthOf, yearOf, type Day } from '#domain/calendar.ts'

/** A month is represented by its first day. */
export const getFirstOfMonth = (day: Day): Day => addDays(day, 1 - dayOfMonth(day))

/** 0 is Sunday, the first day of a week (spec §9). 1970-01-01 was a Thursday. */
export const getWeekday = (day: Day): number => (dayNumber(day) + 4) % 7

/** Always six weeks of seven days, so that the popup keeps its height. */
export function buildMonthGrid(month: Day): readonly (readonly Day[])[] {
  const start = addDays(month, -getWeekday(month))
  return Array.from({ length: 6 }, (_, week) => Array.from({ length: 7 }, (_day, day) => addDays(start, week * 7 + day)))
}

/**
 * The day that a key moves the focus to; null for other keys. With Shift, Page Up and Page Down
 * move by a year.
 */
export function moveDayByKey(key: string, from: Day, withShift = false): Day | null {
  switch (key) {
    case 'ArrowLeft':
      return addDays(from, -1)
    case 'ArrowRight':
      return addDays(from, 1)
    case 'ArrowUp':
      return addDays(from, -7)
    case 'ArrowDown':
      return addDays(from, 7)
    case 'Home':
      return addDays(from, -getWeekday(from))
    case 'End':
      return addDays(from, 6 - getWeekday(from))
    case 'PageUp':
      return addMonths(from, withShift ? -12 : -1)
    case 'PageDown':
      return addMonths(from, withShift ? 12 : 1)
    default:
      return null
  }
}

/** The last day of a day's month. */
export const getLastOfMonth = (day: Day): Day => addDays(getFirstOfMonth(day), daysInMonth(yearOf(day), monthOf(day)) - 1)

export const clampDay = (day: Day, from: Day, to: Day): Day => (day < from ? from : day > to ? to : day)
