import type { Day } from './calendar.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { instalmentPending } from './schedule.ts'

/**
 * The facts if everything that falls due from a day until another (exclusive) is paid on its due
 * date: what to expect of the later day. While an instalment is overdue, nothing is assumed, unless
 * a debit of it is at the bank.
 */
export function paidWhenDue(facts: LoanFacts, from: Day, until: Day): LoanFacts {
  const unpaid = loanStateDuring(facts, from).rows.filter((row) => row.dueDate < until && instalmentPending(row) > 0n)
  const atBank = new Set<Day>(facts.lateChargeHolds?.flatMap((hold) => ('dueDates' in hold && hold.until === null ? hold.dueDates : [])))
  if (unpaid.some(({ dueDate }) => dueDate < from && !atBank.has(dueDate))) return facts
  return unpaid.reduce((known, { dueDate }) => {
    const date = dueDate < from ? from : dueDate
    // On its day: credit and what was assumed before have paid a part of it.
    const { duesPaise: amountPaise } = loanStateDuring(known, date)
    if (amountPaise === 0n) return known
    return { ...known, payments: [...known.payments, { paymentId: `assumed:${date}`, date, amountPaise, purpose: null }] }
  }, facts)
}
