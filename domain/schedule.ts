import type { Day } from './calendar.ts'
import { addMonths, dayNumber, dueDayFrom } from './calendar.ts'
import { equatedInstalment } from './instalment.ts'
import { monthlyRatio, thirtyDayRatio } from './interest.ts'
import type { LoanTerms } from './loans.ts'

/**
 * The instalment in paise of a principal under a product's terms, over `count` rows (decision 20).
 */
export function instalmentUnderTerms(terms: LoanTerms, annualRatePpb: number, principalPaise: number, count: number): number {
  const periodRate = terms.interest === 'actual_365' ? thirtyDayRatio(annualRatePpb) : monthlyRatio(annualRatePpb)
  return equatedInstalment(principalPaise, periodRate, count, terms.instalmentRounding)
}

/**
 * True if the first disbursal and the first due date are one whole month apart, by the calendar or
 * from due day to due day. Its interest is then r/12 (decision 20).
 */
export function isWholeMonth(from: Day, firstDueDate: Day, dueDay: number): boolean {
  const isOnDueDay = dueDayFrom(firstDueDate, 0, dueDay) === dayNumber(firstDueDate)
  return addMonths(from, 1) === firstDueDate || (isOnDueDay && dueDayFrom(firstDueDate, -1, dueDay) === dayNumber(from))
}
