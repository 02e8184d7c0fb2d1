import type { Day } from './calendar.ts'
import type { LoanState } from './loans.ts'
import { zeroPaise } from './money.ts'

/**
 * The day on which to check whether a loan is closed with credit, which is then refunded (decision
 * 55). Today if it is. The next due date if time alone can lead to it, because the loan has credit
 * or all its principal is repaid. Null otherwise.
 */
export function creditCheckDay({ status, creditPaise, principalOutstandingPaise, rows }: LoanState, today: Day): Day | null {
  if (status === 'CLOSED' && creditPaise > zeroPaise) return today
  if (creditPaise === zeroPaise && principalOutstandingPaise > zeroPaise) return null
  return rows.find(({ dueDate }) => dueDate > today)?.dueDate ?? null
}
