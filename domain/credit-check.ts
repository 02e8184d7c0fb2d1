import type { Day } from './calendar.ts'
import type { LoanState } from './loans.ts'
import { zeroPaise } from './money.ts'

/**
 * The day on which somebody must look whether a loan is closed and still has credit, which then goes back (decision 55): today where
 * it is so; else the next due date where time alone can bring it about, because the loan has credit or all its principal is repaid;
 * null where it cannot.
 */
export function creditCheckDay({ status, creditPaise, principalOutstandingPaise, rows }: LoanState, today: Day): Day | null {
  if (status === 'CLOSED' && creditPaise > zeroPaise) return today
  if (creditPaise === zeroPaise && principalOutstandingPaise > zeroPaise) return null
  return rows.find(({ dueDate }) => dueDate > today)?.dueDate ?? null
}
