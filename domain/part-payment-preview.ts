import type { Day } from './calendar.ts'
import { loanStateToPost, totalInterest } from './loan-state.ts'
import type { LoanFacts, LoanState } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, zeroPaise } from './money.ts'
import type { PaymentPurpose } from './payments.ts'
import { instalmentPending, nextInstalmentFrom } from './schedule.ts'

/**
 * The loan after the payment. `instalmentPaise` is the equated instalment from the next period on;
 * the last row can be less.
 */
export type PartPaymentOutcome = {
  instalmentPaise: Paise
  /** The first due date of that instalment. Null if only a smaller last row is left. */
  instalmentFrom: Day | null
  /** The first instalment that the payment leaves unpaid, with what is left to pay of it. */
  nextDue: { date: Day; amountPaise: Paise } | null
  lastDueDate: Day | null
  instalmentsLeft: number
  /** Of all rows, paid and unpaid, and capitalised. */
  totalInterestPaise: Paise
  /** How much less interest than without the payment. Never below 0. */
  interestSavedPaise: Paise
  /** Principal left on that day and after each later instalment. */
  balances: { date: Day; amountPaise: Paise }[]
}

type PartPaymentPreview = { unchanged: PartPaymentOutcome; reduceEmi: PartPaymentOutcome; reduceTenor: PartPaymentOutcome }

function nextDueOf({ rows }: LoanState): PartPaymentOutcome['nextDue'] {
  const row = rows.find((row) => instalmentPending(row) > 0n)
  return row ? { date: row.dueDate, amountPaise: instalmentPending(row) } : null
}

const outcomeOf = (state: LoanState, day: Day, interestBefore: Paise): PartPaymentOutcome => ({
  instalmentPaise: state.nextInstalmentPaise,
  instalmentFrom: nextInstalmentFrom(state),
  nextDue: nextDueOf(state),
  lastDueDate: state.rows.at(-1)?.dueDate ?? null,
  instalmentsLeft: state.instalmentsDue,
  totalInterestPaise: totalInterest(state),
  // A new instalment can cost a paisa more: each row rounds its interest.
  interestSavedPaise: interestBefore > totalInterest(state) ? paise(interestBefore - totalInterest(state)) : zeroPaise,
  balances: [
    { date: day, amountPaise: state.principalOutstandingPaise },
    ...state.rows
      .filter(({ dueDate }) => dueDate > day)
      .map(({ dueDate, closingBalancePaise }) => ({ date: dueDate, amountPaise: closingBalancePaise })),
  ],
})

/** The state of the loan during a day as if a part payment by its quote had just been received. */
function stateAfter(facts: LoanFacts, day: Day, madeOn: Day, amountPaise: Paise, purpose: PaymentPurpose): LoanState {
  const payment = { paymentId: 'preview', date: day, amountPaise, purpose, ...(madeOn < day && { quotedAheadFor: day }) }
  return loanStateToPost({ ...facts, payments: [...facts.payments, payment] }, day)
}

/**
 * Both outcomes of a part payment on a day, to the paisa. They are computed by posting the payment,
 * so paying it gives the same figures (decision 23). `refusePayment` decides whether the amount is
 * allowed.
 *
 * @param madeOn the day on which the preview is made: from 23:30 the evening before `day`.
 */
export function partPaymentPreview(facts: LoanFacts, day: Day, madeOn: Day, amountPaise: Paise): PartPaymentPreview {
  const unchanged = loanStateToPost(facts, day)
  const before = totalInterest(unchanged)
  return {
    unchanged: outcomeOf(unchanged, day, before),
    reduceEmi: outcomeOf(stateAfter(facts, day, madeOn, amountPaise, 'PART_PAYMENT__REDUCE_EMI'), day, before),
    reduceTenor: outcomeOf(stateAfter(facts, day, madeOn, amountPaise, 'PART_PAYMENT__REDUCE_TENOR'), day, before),
  }
}
