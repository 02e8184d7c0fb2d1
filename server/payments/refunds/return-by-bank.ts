import { dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { postCreditReturn } from '../../ledger/post-refund.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import { addNotice } from '../../add-notice.ts'
import type { PaymentMode } from '../../loan-changes/record-payment.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { closeReview, listOpenReviewSubjects } from '../review-store.ts'

/** `date`: the day on which it left the lender's bank. */
type CreditReturn = { mode: PaymentMode; reference: string; amountPaise: Paise; date: Day }

/**
 * Records that the lender's bank sent a loan's credit to the borrower, where the provider could not
 * refund it (decision 49). Reviews of that credit are resolved; the follow-up adds one of what is
 * left. The caller holds the loan's row lock.
 *
 * @returns the ledger transaction.
 * @throws LedgerRefusal if the credit of today or of its day does not cover it, the day is in the
 * future, or the loan's state is unknown.
 * @throws LedgerConflict if the reference was recorded before.
 */
export async function returnCredit(sql: Sql, own: OwnLoan, returned: CreditReturn, now: Date, actorId: string): Promise<string> {
  const { mode, reference, amountPaise, date } = returned
  const { borrower_id: borrowerId, loan_id: loanId, lan } = own.loan
  if (date > dayInIndia(now)) throw new LedgerRefusal(`The value date ${date} is in the future`, 'future_date')
  const today = loanStateToPost(own.facts, ledgerDay(own.facts, now))
  if (today.status === 'UNKNOWN')
    throw new LedgerRefusal(`The facts of loan ${lan} contradict each other, so its credit is unknown`, 'facts_do_not_allow')
  if (amountPaise > today.creditPaise)
    throw new LedgerRefusal(
      `Loan ${lan} has a credit of ₹${paiseToRupeesText(today.creditPaise)} today; no more than that can have been returned`,
      'credit_too_small',
    )
  // What came since that day can have been paid from the credit and then with other money.
  const facts = { ...own.facts, refunds: [...own.facts.refunds, { refundId: 'new', date, amountPaise }] }
  const { refundShortPaise } = loanStateToPost(facts, ledgerDay(facts, now))
  if (refundShortPaise > 0n)
    throw new LedgerRefusal(`₹${paiseToRupeesText(refundShortPaise)} more than the credit of loan ${lan} since ${date}`, 'credit_too_small')
  const transactionId = await postCreditReturn(sql, own, { source: mode, sourceId: reference, amountPaise, date }, now, actorId)
  const reviewed = await listOpenReviewSubjects(sql, borrowerId, 'credit_on_closed_loan')
  for (const about of [...reviewed].filter((subject) => subject.startsWith(`${loanId}:`)))
    await closeReview(sql, { borrowerId, kind: 'credit_on_closed_loan', about }, `returned by ${mode} ${reference}`, now)
  const notice = { kind: 'refund_processed', about: `refunded:${transactionId}`, subject: reference } as const
  await addNotice(sql, { ...notice, borrowerId, lan, amountPaise, date }, now)
  return transactionId
}
