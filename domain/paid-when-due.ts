import type { Day } from './calendar.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts, ReceivedPayment } from './loans.ts'
import { instalmentPending } from './schedule.ts'

/**
 * The facts if each instalment that falls due from a day until another (exclusive) is paid on its
 * due date: what to expect of the later day. What is overdue on the first day stays so.
 */
export function paidWhenDue(facts: LoanFacts, from: Day, until: Day): LoanFacts {
  const assumed = loanStateDuring(facts, from)
    .rows.filter((row) => row.dueDate >= from && row.dueDate < until && instalmentPending(row) > 0n)
    .map((row): ReceivedPayment => {
      const { dueDate: date } = row
      return { paymentId: `assumed:${date}`, date, amountPaise: instalmentPending(row), purpose: null }
    })
  return assumed.length === 0 ? facts : { ...facts, payments: [...facts.payments, ...assumed] }
}
