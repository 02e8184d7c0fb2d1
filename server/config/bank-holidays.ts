import { existsSync, readFileSync } from 'node:fs'
import type { Holidays } from '#domain/autopay-times.ts'
import { parseDay, type Day } from '#domain/calendar.ts'

/**
 * Reads the bank holidays: a JSON object of days, such as `2026-11-24`, to names. Without the file
 * only weekends are holidays.
 *
 * @returns the days, and the fault of the file, if it has one.
 */
export function readBankHolidays(path: string): { days: Holidays; faults: string[] } {
  const fault = (text: string) => ({ days: new Set<Day>(), faults: [`bank-holidays.json ${text}`] })
  if (!existsSync(path)) return { days: new Set(), faults: [] }
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return fault(`is not JSON: ${(error as Error).message}`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return fault('must be an object of days and names')
  const days = Object.keys(json).map((text) => ({ text, day: parseDay(text) }))
  const wrong = days.find(({ day }) => day === null)
  return wrong
    ? fault(`has ${wrong.text}, which is not a day such as 2026-11-24`)
    : { days: new Set(days.map(({ day }) => day as Day)), faults: [] }
}
