import { existsSync, readFileSync } from 'node:fs'
import { mandateMethods } from '#domain/autopay.ts'
import type { Holidays } from '#domain/autopay-times.ts'
import { parseDay, type Day } from '#domain/calendar.ts'
import { rupeesToPaise } from '#domain/money.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'

/**
 * Reads the bank holidays: a JSON object of days, such as `2026-11-24`, to names.
 *
 * @returns the days, and the fault of the file, if it has one.
 */
export function readHolidays(path: string | undefined): { days: Holidays; faults: string[] } {
  const fault = (text: string) => ({ days: new Set<Day>(), faults: [`KIST_BANK_HOLIDAYS: ${text}`] })
  if (path === undefined) return { days: new Set(), faults: [] }
  if (!existsSync(path)) return fault(`there is no file ${path}`)
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return fault(`${path} is not JSON: ${(error as Error).message}`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return fault(`${path} must be an object of days and names`)
  const days = Object.keys(json).map((text) => ({ text, day: parseDay(text) }))
  const wrong = days.find(({ day }) => day === null)
  return wrong
    ? fault(`${path} has ${wrong.text}, which is not a day such as 2026-11-24`)
    : { days: new Set(days.map(({ day }) => day as Day)), faults: [] }
}

/** Without a setting only the demo offers autopay: the lender's account must be enabled for it. */
export function buildAutopayConfig(values: Settings, demo: boolean, holidays: Holidays, email: string): Config['autopay'] {
  const methods = values.KIST_AUTOPAY_METHODS?.split(',') ?? (demo ? mandateMethods : [])
  return {
    rules: {
      methods: mandateMethods.filter((method) => methods.includes(method)),
      upiDebitMaximumPaise: rupeesToPaise(values.KIST_AUTOPAY_UPI_DEBIT_MAX),
      upiMandateMaximumPaise: rupeesToPaise(values.KIST_AUTOPAY_UPI_MANDATE_MAX),
    },
    email,
    namesTokenInOrders: values.KIST_AUTOPAY_ORDER_TOKEN,
    holidays,
  }
}
