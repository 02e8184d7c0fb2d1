import type { Day } from './calendar.ts'
import { daysBetween } from './calendar.ts'
import type { LoanFacts, LoanState, ScheduleRow } from './loans.ts'

/** The first EMI is announced from each of these days before it falls due. */
export const emiStartDays = [30, 7] as const

/** How a moratorium ends: the last row of interest only, the first EMI, and what is capitalised. */
type EmiStart = {
  lastPreEmi: Pick<ScheduleRow, 'dueDate' | 'repaymentAmountPaise'> | null
  firstEmi: Pick<ScheduleRow, 'dueDate' | 'repaymentAmountPaise'>
  /** Deferred interest that is added to principal. Null if interest is paid as it falls due. */
  capitalised: LoanState['capitalised']
}

/** Null for a loan without a moratorium, and once the first EMI has fallen due. */
export function findEmiStart({ terms }: Pick<LoanFacts, 'terms'>, { rows, capitalised }: LoanState, today: Day): EmiStart | null {
  const { moratorium } = terms
  if (moratorium === null) return null
  const first = rows.find(({ dueDate, principalPaise }) => dueDate > moratorium.until && principalPaise > 0n)
  if (first === undefined || first.dueDate <= today) return null
  return { lastPreEmi: rows.findLast(({ dueDate }) => dueDate < first.dueDate) ?? null, firstEmi: first, capitalised }
}

/** The notice that is due: the smallest of the days before the first EMI that has been reached. */
export const emiStartNotice = (today: Day, firstEmi: Day): (typeof emiStartDays)[number] | null =>
  emiStartDays.findLast((days) => today < firstEmi && daysBetween(today, firstEmi) <= days) ?? null
