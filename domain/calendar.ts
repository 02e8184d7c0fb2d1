import { minuteMs, hourMs, dayMs } from './durations.ts'

declare const kind: unique symbol

/** A calendar date in India, `YYYY-MM-DD`. Days compare with `<` as text. */
export type Day = string & { readonly [kind]: 'day' }

/**
 * Whole days since 1970-01-01. The engine computes with day numbers; the API and the screens use
 * {@link Day}.
 */
export type DayNumber = number

/** India has one time zone, UTC+5:30, and no summer time. */
const indiaOffsetMs = 5.5 * hourMs
/** From 23:30 in India a quote is made for the next day (decision 24). */
const quoteRolloverBeforeMidnightMs = 30 * minuteMs

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`)
/** Filled as they are asked for: a phone needs few of them. */
const monthAndDay: string[] = []

export const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** `month` is 1–12. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/**
 * Day number of a civil date of the Gregorian calendar, for years from 1. The year starts in March,
 * so that the leap day is its last day. `| 0` truncates and keeps the arithmetic in 32-bit
 * integers, which makes schedules faster.
 */
function civilDayNumber(year: number, month: number, day: number): DayNumber {
  const marchYear = month <= 2 ? year - 1 : year
  const era = (marchYear / 400) | 0
  const yearOfEra = marchYear - era * 400
  const dayOfYear = (((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0) + day - 1
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

const digit = (text: string, index: number): number => text.charCodeAt(index) - 48

export const yearOf = (day: Day): number => digit(day, 0) * 1000 + digit(day, 1) * 100 + digit(day, 2) * 10 + digit(day, 3)
/** 1–12. */
export const monthOf = (day: Day): number => digit(day, 5) * 10 + digit(day, 6)
/** 1–31. */
export const dayOfMonth = (day: Day): number => digit(day, 8) * 10 + digit(day, 9)

/** The days from 1970-01-01 to a date. Inverse of {@link dayFromNumber}. */
export const dayNumber = (day: Day): DayNumber => civilDayNumber(yearOf(day), monthOf(day), dayOfMonth(day))

const civilText = (year: number, month: number, day: number): Day =>
  ((year < 1000 ? String(year).padStart(4, '0') : String(year)) +
    (monthAndDay[(month << 5) | day] ??= `-${twoDigits(month)}-${twoDigits(day)}`)) as Day

/** The date of a day number, for years from 1. */
export function dayFromNumber(value: DayNumber): Day {
  const shifted = value + 719_468
  const era = (shifted / 146_097) | 0
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = ((dayOfEra - ((dayOfEra / 1460) | 0) + ((dayOfEra / 36_524) | 0) - ((dayOfEra / 146_096) | 0)) / 365) | 0
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0))
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1
  return civilText(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

/** The text as a day. Null if it is not a date of the years 1900–2199. */
export function parseDay(text: string): Day | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const day = text as Day
  const year = yearOf(day)
  const month = monthOf(day)
  if (year < 1900 || year > 2199 || month < 1 || month > 12) return null
  return dayOfMonth(day) >= 1 && dayOfMonth(day) <= daysInMonth(year, month) ? day : null
}

/** Like {@link parseDay}, but throws a RangeError instead of returning null. */
export function toDay(text: string): Day {
  const day = parseDay(text)
  if (day === null) throw new RangeError(`Not a date YYYY-MM-DD: ${text}`)
  return day
}

/** Compares two facts by date, for sorting: the order of those of one day stays. */
export const byDate = (left: { date: string }, right: { date: string }): number =>
  left.date < right.date ? -1 : left.date > right.date ? 1 : 0

export const addDays = (day: Day, days: number): Day => dayFromNumber(dayNumber(day) + days)

/** Days from one day to another. Negative if `to` is earlier. */
export const daysBetween = (from: Day, to: Day): number => dayNumber(to) - dayNumber(from)

/**
 * The due day in a month counted from year 0 (`year * 12 + month - 1`). A shorter month gives its
 * last day.
 */
function dueDayInMonth(monthCount: number, dueDay: number): DayNumber {
  const year = Math.floor(monthCount / 12)
  const month = monthCount - year * 12 + 1
  const last = dueDay > 28 ? daysInMonth(year, month) : 31
  return civilDayNumber(year, month, dueDay < last ? dueDay : last)
}

const monthCountOf = (day: Day): number => yearOf(day) * 12 + monthOf(day) - 1

/**
 * The same day some months later, or the last day of a shorter month. `dueDay` (1–31) replaces the
 * day of the month; 31 keeps month ends.
 */
export const addMonths = (day: Day, months: number, dueDay: number = dayOfMonth(day)): Day =>
  dayFromNumber(dueDayInMonth(monthCountOf(day) + months, dueDay))

/**
 * One due day a month: the first as given, the others on the due day or the last day of a shorter
 * month.
 */
export function monthlyDueDays(first: Day, dueDay: number, count: number): DayNumber[] {
  const monthCount = monthCountOf(first)
  const days: DayNumber[] = [dayNumber(first)]
  for (let index = 1; index < count; index += 1) days.push(dueDayInMonth(monthCount + index, dueDay))
  return days
}

/** The due day some months before or after the month of `day`. */
export const dueDayFrom = (day: Day, months: number, dueDay: number): DayNumber => dueDayInMonth(monthCountOf(day) + months, dueDay)

/** The calendar date in India at an instant. */
export const dayInIndia = (instant: Date): Day => dayAtMs(instant.getTime())

/** The same for milliseconds since 1970 UTC. */
export const dayAtMs = (instantMs: number): Day => dayFromNumber(Math.floor((instantMs + indiaOffsetMs) / dayMs))

/** The instant at which a day begins in India, in milliseconds since 1970 UTC. */
export const startOfDayInIndiaMs = (day: Day): number => dayNumber(day) * dayMs - indiaOffsetMs

/** The last millisecond of a day in India, since 1970 UTC. */
export const endOfDayInIndiaMs = (day: Day): number => startOfDayInIndiaMs(day) + dayMs - 1

/**
 * The day for which an amount is quoted at an instant: today in India, or tomorrow from 23:30
 * (decision 24).
 */
export const quoteDay = (instant: Date): Day =>
  dayFromNumber(Math.floor((instant.getTime() + indiaOffsetMs + quoteRolloverBeforeMidnightMs) / dayMs))

/**
 * The instant at which a quote for a day and its link end: the end of that day in India.
 * Milliseconds since 1970 UTC (decision 24).
 */
export const quoteValidUntilMs = (quotedFor: Day): number => endOfDayInIndiaMs(quotedFor)

/** The Indian financial year of a day, 1 April to 31 March: `2026-27`. */
export function financialYear(day: Day): string {
  const start = monthOf(day) >= 4 ? yearOf(day) : yearOf(day) - 1
  return `${start}-${twoDigits((start + 1) % 100)}`
}

/** First and last day of a financial year `2026-27`. Null if the text is not a financial year. */
export function financialYearDays(text: string): { from: Day; to: Day } | null {
  const match = /^(\d{4})-(\d{2})$/.exec(text)
  if (match === null) return null
  const start = Number(match[1])
  if (start < 1900 || start > 2198 || Number(match[2]) !== (start + 1) % 100) return null
  return { from: civilText(start, 4, 1), to: civilText(start + 1, 3, 31) }
}

/**
 * The due days that fall on a date: the last day of a short month also counts as the missing days.
 */
export function findDueDays(day: Day): number[] {
  const number = dayOfMonth(day)
  return [number, 29, 30, 31].filter((due, index) => index === 0 || (due > number && addMonths(day, 0, due) === day))
}
