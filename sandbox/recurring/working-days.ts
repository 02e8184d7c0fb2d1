import * as fs from 'node:fs'

/** Bank days in India, and the hours in which debits run. Instants are milliseconds. */

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const indiaOffsetMs = 5.5 * hourMs

/** eNACH debits that reach the provider before this hour count for the day. */
const cutHour = 9
/** The hour of the day, in India, at which banks report. */
const reportHour = 10
/** Working days from the presentation of an eNACH debit to its result. */
const resultWorkingDays = 2
/** NPCI runs UPI mandates in these hours only. */
const upiWindows: readonly (readonly [fromHour: number, toHour: number])[] = [
  [0, 10],
  [13, 17],
  [21.5, 24],
]

/** Days of India, `2026-11-24`, on which banks are closed besides weekends. */
export type Holidays = ReadonlySet<string>

/**
 * Reads a file of holidays: a JSON object of days and names.
 *
 * @throws Error if a day is not written as `2026-11-24`.
 */
export function readHolidays(file: string): Holidays {
  const days = Object.keys(JSON.parse(fs.readFileSync(file, 'utf8')) as object)
  const wrong = days.find((day) => !/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
  if (wrong !== undefined) throw new Error(`${file}: "${wrong}" is not a day such as 2026-11-24`)
  return new Set(days)
}

/** Sundays, second and fourth Saturdays, and holidays are not working days. */
export function isWorkingDay(holidays: Holidays, ms: number): boolean {
  const india = new Date(ms + indiaOffsetMs)
  const weekday = india.getUTCDay()
  const week = Math.ceil(india.getUTCDate() / 7)
  const isFreeSaturday = weekday === 6 && (week === 2 || week === 4)
  return weekday !== 0 && !isFreeSaturday && !holidays.has(india.toISOString().slice(0, 10))
}

/** When banks report on the working day that is `count` working days after the day of `ms`. */
export function reportAfterWorkingDays(holidays: Holidays, ms: number, count: number): number {
  let day = startOfDay(ms)
  for (let left = count; left > 0;) {
    day += dayMs
    if (isWorkingDay(holidays, day)) left -= 1
  }
  return day + reportHour * hourMs
}

/**
 * When the result of an eNACH debit is known. A request before 09:00 is presented the same day,
 * any other the next day; debits run on holidays too.
 */
export function enachResultMs(holidays: Holidays, requestedMs: number): number {
  const day = startOfDay(requestedMs)
  const isInTime = requestedMs < day + cutHour * hourMs
  return reportAfterWorkingDays(holidays, isInTime ? day : day + dayMs, resultWorkingDays)
}

/** The first moment from `ms` on at which NPCI runs UPI mandates. */
export function nextUpiWindow(ms: number): number {
  const day = startOfDay(ms)
  const hour = (ms - day) / hourMs
  const window = upiWindows.find(([, to]) => hour < to)
  return window === undefined || hour >= window[0] ? ms : day + window[0] * hourMs
}

function startOfDay(ms: number): number {
  return Math.floor((ms + indiaOffsetMs) / dayMs) * dayMs - indiaOffsetMs
}
