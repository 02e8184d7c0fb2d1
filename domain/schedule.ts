import type { Day } from './calendar.ts'
import { addMonths, dayNumber, daysBetween, dueDayFrom } from './calendar.ts'
import { equatedInstalment } from './instalment.ts'
import { monthlyRatio, thirtyDayRatio } from './interest.ts'
import type { LoanFacts, LoanState, LoanTerms, ScheduleRow } from './loans.ts'
import { paise, type Paise } from './money.ts'

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

/** The unpaid part of an instalment, without charges. */
export const instalmentPending = (row: Pick<ScheduleRow, 'repaymentAmountPaise' | 'paidInterestPaise' | 'paidPrincipalPaise'>): Paise =>
  paise(row.repaymentAmountPaise - row.paidInterestPaise - row.paidPrincipalPaise)

/** From when on the instalment after a change applies: the open row keeps its agreed amount. */
export const nextInstalmentFrom = ({ rows, nextInstalmentPaise }: Pick<LoanState, 'rows' | 'nextInstalmentPaise'>): Day | null =>
  rows.find(({ status, repaymentAmountPaise }) => status !== 'Paid' && repaymentAmountPaise === nextInstalmentPaise)?.dueDate ?? null

/** The first EMI is announced from each of these days before it falls due. */
export const emiStartDays = [30, 7] as const

/** How a moratorium ends: the last row of interest only, the first EMI, and what is capitalised. */
type EmiStart = {
  lastPreEmi: Pick<ScheduleRow, 'dueDate' | 'repaymentAmountPaise'> | null
  firstEmi: Pick<ScheduleRow, 'dueDate' | 'repaymentAmountPaise'>
  /** Deferred interest that is added to principal. Null if interest is paid as it falls due. */
  capitalised: LoanState['capitalised']
}

/**
 * Null for a loan that is closed or checked, one without a moratorium, and once the first EMI has
 * fallen due.
 */
export function findEmiStart({ terms }: Pick<LoanFacts, 'terms'>, { status, rows, capitalised }: LoanState, today: Day): EmiStart | null {
  const { moratorium } = terms
  if (moratorium === null || status === 'CLOSED' || status === 'UNKNOWN') return null
  const first = rows.find(({ dueDate, principalPaise }) => dueDate > moratorium.until && principalPaise > 0n)
  if (first === undefined || first.dueDate <= today) return null
  return { lastPreEmi: rows.findLast(({ dueDate }) => dueDate < first.dueDate) ?? null, firstEmi: first, capitalised }
}

/** The notice that is due: the smallest of the days before the first EMI that has been reached. */
export const emiStartNotice = (today: Day, firstEmi: Day): (typeof emiStartDays)[number] | null =>
  emiStartDays.findLast((days) => today < firstEmi && daysBetween(today, firstEmi) <= days) ?? null
