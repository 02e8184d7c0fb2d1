import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import { refundableDays } from '#domain/refunds.ts'
import type { Sql } from '../../database/connect.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { refuseShortRefund } from '../../loan-changes/refuse-short-refund.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { requestRefund } from './request-refund.ts'
import { refundPartsOf } from './refund-parts.ts'

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
  const { parts, leftPaise } = await refundPartsOf(sql, own, asked.amountPaise, now)
  if (leftPaise > 0n)
    throw new LedgerRefusal(
      `₹${paiseToRupeesText(leftPaise)} of it came by other ways than the provider, or more than ${refundableDays} days ago: send that by bank transfer`,
    )
  const refundIds: string[] = []
  for (const { payment, amountPaise } of parts)
    refundIds.push(
      await requestRefund(sql, jobs, { loan, payment, amountPaise, reason: 'excess', askedBy: asked.askedBy, note: asked.note }, now),
    )
  return refundIds
}
