import type { Day } from './calendar.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanState } from './loans.ts'
import { paise, sumPaise, zeroPaise, type Paise } from './money.ts'
import { nextInstalmentFrom } from './schedule.ts'

/** What payments changed: the loan on their day without them, and with them. */
export type PaymentEffect = {
  /** The money that counts for the loan, without what goes back to the payer. */
  receivedPaise: Paise
  principalBeforePaise: Paise
  principalAfterPaise: Paise
  instalmentsLeftBefore: number
  instalmentsLeftAfter: number
  /** The equated instalment if the payments changed it, and its first due date. */
  instalment: { beforePaise: Paise; afterPaise: Paise; from: Day } | null
}

function changedInstalment(before: LoanState, after: LoanState): PaymentEffect['instalment'] {
  const [beforePaise, afterPaise] = [before.nextInstalmentPaise, after.nextInstalmentPaise]
  const from = beforePaise === afterPaise ? null : nextInstalmentFrom(after)
  return from && { beforePaise, afterPaise, from }
}

/**
 * The effect of some payments of a loan, such as those of one link. It is computed from the facts
 * on the day of the last of them, without later payments, so it does not change when the loan goes
 * on.
 *
 * @returns null if none of the payments counts, or if the loan's state is unknown.
 */
export function paymentEffect(facts: LoanFacts, paymentIds: ReadonlySet<string>): PaymentEffect | null {
  const last = facts.payments.findLastIndex(({ paymentId }) => paymentIds.has(paymentId))
  const day = facts.payments[last]?.date
  if (day === undefined) return null
  const payments = facts.payments.slice(0, last + 1)
  const own = payments.filter(({ paymentId }) => paymentIds.has(paymentId))
  const receivedPaise = sumPaise(own.map(({ amountPaise, heldPaise }) => paise(amountPaise - (heldPaise ?? zeroPaise))))
  const before = loanStateDuring({ ...facts, payments: payments.filter((payment) => !own.includes(payment)) }, day)
  const after = loanStateDuring({ ...facts, payments }, day)
  // Facts that add up with the payments add up without them.
  if (receivedPaise === zeroPaise || after.status === 'UNKNOWN') return null
  return {
    receivedPaise,
    principalBeforePaise: before.principalOutstandingPaise,
    principalAfterPaise: after.principalOutstandingPaise,
    instalmentsLeftBefore: before.instalmentsDue,
    instalmentsLeftAfter: after.instalmentsDue,
    instalment: changedInstalment(before, after),
  }
}
