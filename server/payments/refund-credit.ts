import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paise, paiseToRupeesText, zeroPaise, type Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { refuseShortRefund } from '../ledger/refuse-short-refund.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { askRefund } from './ask-refund.ts'
import { paymentsOfLoan, type ProviderPaymentRow } from './payment-store.ts'
import { refundsOfLoan, type RefundRow } from './refund-store.ts'

/** The provider sends nothing back of a payment older than six months. */
const refundableDays = 180

type Part = { payment: ProviderPaymentRow; amountPaise: Paise }

/**
 * Sends credit of a loan back to who paid it (decision 49), through the newest payments that can carry it. From now on it is no credit
 * any more. The caller holds the loan's row lock and has made sure
 * that no payment link is open, whose amount may contain the credit.
 *
 * @returns the refunds' ids.
 * @throws LedgerRefusal where that much is not there, or cannot go back this way.
 */
export async function refundCredit(
  sql: Sql,
  jobs: Jobs,
  own: OwnLoan,
  asked: { amountPaise: Paise; note: string; askedBy: string },
  now: Date,
): Promise<string[]> {
  const { loan, facts } = own
  const today = dayInIndia(now)
  const { creditPaise } = loanStateDuring(facts, today)
  if (asked.amountPaise > creditPaise)
    throw new LedgerRefusal(`Loan ${loan.lan} has a credit of ₹${paiseToRupeesText(creditPaise)}; no more than that can be refunded`)
  refuseShortRefund({ ...facts, refunds: [...facts.refunds, { refundId: 'asked', date: today, amountPaise: asked.amountPaise }] }, now)
  const parts = partsOf(
    asked.amountPaise,
    await paymentsOfLoan(sql, loan.borrower_id, loan.loan_id),
    await refundsOfLoan(sql, loan.borrower_id, loan.loan_id),
    now,
  )
  const refundIds: string[] = []
  for (const { payment, amountPaise } of parts)
    refundIds.push(
      await askRefund(sql, jobs, { loan, payment, amountPaise, reason: 'excess', askedBy: asked.askedBy, note: asked.note }, now),
    )
  return refundIds
}

/** Which payments carry an amount back: the newest first, each no more than is left of it. */
function partsOf(amountPaise: Paise, payments: readonly ProviderPaymentRow[], refunds: readonly RefundRow[], now: Date): Part[] {
  const parts: Part[] = []
  let left: bigint = amountPaise
  for (const payment of payments.toSorted((one, other) => other.paid_at.getTime() - one.paid_at.getTime())) {
    const isOld = now.getTime() - payment.paid_at.getTime() > refundableDays * 86_400_000
    if (left === 0n || isOld || !payment.captured || payment.transaction_id === null) continue
    const gone = refunds
      .filter((refund) => refund.provider_payment_id === payment.provider_payment_id)
      .reduce<bigint>((sum, refund) => sum + refund.amount_paise, zeroPaise)
    const part = payment.amount_paise - gone < left ? payment.amount_paise - gone : left
    if (part <= 0n) continue
    parts.push({ payment, amountPaise: paise(part) })
    left -= part
  }
  if (left > 0n)
    throw new LedgerRefusal(
      `₹${paiseToRupeesText(paise(left))} of it came by other ways than the provider, or more than ${refundableDays} days ago: send that by bank transfer`,
    )
  return parts
}
