import type { Day } from './calendar.ts'
import type { LoanState } from './loans.ts'
import { zeroPaise } from './money.ts'

/**
 * The day on which to look at a loan for what time alone brings about. Today if it is closed with
 * credit, which is then refunded (decision 55). Else the next due date, if the loan has credit or
 * all its principal is repaid, or the day on which deferred interest becomes principal. Null
 * otherwise.
 */
export function creditCheckDay(state: LoanState, today: Day): Day | null {
  const { status, creditPaise, principalOutstandingPaise, rows, capitalised } = state
  if (status === 'CLOSED' && creditPaise > zeroPaise) return today
  const capitalisedOn = capitalised !== null && capitalised.date > today ? capitalised.date : null
  const isWaiting = creditPaise > zeroPaise || principalOutstandingPaise === zeroPaise
  // Before interest becomes principal, no row is due.
  return capitalisedOn ?? (isWaiting ? (rows.find(({ dueDate }) => dueDate > today)?.dueDate ?? null) : null)
}
