import { dayInIndia } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { refundableDays } from '#domain/refunds.ts'
import type { Sql } from '../../database/connect.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { refuseShortRefund } from '../../loan-changes/refuse-short-refund.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { requestCreditRefunds } from './request-refund.ts'
import { planRefundParts } from './refund-parts.ts'

/**
 * Requests refunds of a loan's credit (decision 49) through the payments that brought it. The
 * amount stops being credit at once. The caller holds the loan's row lock and refuses the change
 * while a payment link is open, because the link's amount can include the credit.
 *
 * @returns the ids of the refunds.
 * @throws LedgerRefusal if the credit is smaller, the provider cannot refund the amount, or the
 * bank has taken back money of the loan.
 */
export async function refundCredit(
  sql: Sql,
  jobs: Jobs,
  own: OwnLoan,
  request: { amountPaise: Paise; note: string | null; askedBy: string },
  now: Date,
): Promise<string[]> {
  const { loan, facts } = own
  const today = dayInIndia(now)
  const { creditPaise } = loanStateToPost(facts, today)
  if (request.amountPaise > creditPaise)
    throw new LedgerRefusal(
      `Loan ${loan.lan} has a credit of ₹${paiseToRupeesText(creditPaise)}; no more than that can be refunded`,
      'credit_too_small',
    )
  const refund = { refundId: 'new', date: today, amountPaise: request.amountPaise }
  refuseShortRefund(facts, { ...facts, refunds: [...facts.refunds, refund] }, now)
  const { parts, leftPaise, isMoneyGone } = await planRefundParts(sql, own, request.amountPaise, now)
  if (isMoneyGone) throw new LedgerRefusal(`The bank has taken back money of loan ${loan.lan}; record that first`, 'refund_money_gone')
  if (leftPaise > 0n)
    throw new LedgerRefusal(
      `₹${paiseToRupeesText(leftPaise)} of it was paid outside the provider or more than ${refundableDays} days ago: refund that by bank transfer`,
      'credit_not_returnable',
    )
  return requestCreditRefunds(sql, jobs, parts, { loan, askedBy: request.askedBy, note: request.note }, now)
}
