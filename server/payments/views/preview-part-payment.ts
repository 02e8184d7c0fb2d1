import type { PartPaymentOutcome as WireOutcome, previewPartPayment as call } from '#contract/part-payments.ts'
import { dayInIndia, quoteDay } from '#domain/calendar.ts'
import { partPaymentPreview, type PartPaymentOutcome } from '#domain/part-payment-preview.ts'
import { refusePayment } from '#domain/payments.ts'
import { defineReading } from '../../http/reading.ts'
import { notOffered, offerAt } from '../../loans/offer.ts'
import { buildOwnLoan, ownLoanReads } from '../../loans/own-loan.ts'

/** Previews both outcomes of a part payment that is allowed now. */
export const previewPartPayment = defineReading<typeof call>()(ownLoanReads, ({ clock }, _caller, { query }, rows) => {
  const now = clock.now()
  const day = quoteDay(now)
  const { facts } = buildOwnLoan(rows, query.lan)
  const refusal = refusePayment(offerAt(facts, now), 'PART_PAYMENT__REDUCE_EMI', query.amount)
  if (refusal) throw notOffered(refusal)
  const { unchanged, reduceEmi, reduceTenor } = partPaymentPreview(facts, day, dayInIndia(now), query.amount)
  return {
    amount: query.amount,
    as_of: day,
    unchanged: onWire(unchanged),
    reduce_emi: onWire(reduceEmi),
    reduce_tenor: onWire(reduceTenor),
  }
})

function onWire(outcome: PartPaymentOutcome): WireOutcome {
  return {
    emi_amount: outcome.instalmentPaise,
    ...(outcome.instalmentFrom && { emi_from: outcome.instalmentFrom }),
    ...(outcome.nextDue && { next_due: { due_date: outcome.nextDue.date, amount: outcome.nextDue.amountPaise } }),
    last_due_date: outcome.lastDueDate,
    instalments_left: outcome.instalmentsLeft,
    total_interest: outcome.totalInterestPaise,
    interest_saved: outcome.interestSavedPaise,
    balances: outcome.balances.map(({ date, amountPaise }) => ({ date, amount: amountPaise })),
  }
}
