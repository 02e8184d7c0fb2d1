import { dayInIndia } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { postCreditReturn, postRefundByBank, type BankTransfer } from '../../ledger/post-refund.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import { addNotice } from '../../add-notice.ts'
import type { LoanTransaction } from '../../loan-changes/change-loan.ts'
import { changeRefund, listLoanRefunds, type RefundRow } from '../refund-store.ts'
import { closeRefundReviews, closeReviews } from '../review-store.ts'
import { addRefundNotice } from './refund-notice.ts'
import { isSentByBank } from './sync-refunds.ts'
import { refuseTakenBack } from './taken-back.ts'

/**
 * Records that the lender's bank sent money of a loan to the borrower, where the provider could not
 * refund it (decision 49): a failed refund of exactly this amount if there is one, else the loan's
 * credit. Reviews of what was sent are resolved; the follow-up adds one of credit that is left. The
 * caller holds the loan's row lock.
 *
 * @returns the ledger transaction.
 * @throws LedgerRefusal if the reference was recorded before, the day is in the future or before
 * the refund was requested, the bank has since taken back the money of the refund, or no refund of
 * this amount has failed and the credit of today or of its day does not cover it or is unknown.
 */
export async function returnByBank(transaction: LoanTransaction, sent: BankTransfer): Promise<string> {
  const { sql, own, now } = transaction
  if (sent.date > dayInIndia(now)) throw new LedgerRefusal(`The value date ${sent.date} is in the future`, 'future_date')
  const refunds = await listLoanRefunds(sql, own.loan.borrower_id, own.loan.loan_id)
  // References of cheques and cash are claimed nowhere else.
  if (refunds.some((refund) => isSentByBank(refund) && refund.bank_reference === sent.reference))
    throw new LedgerRefusal(`The reference ${sent.mode} ${sent.reference} was recorded before`, 'reference_taken')
  const failed = refunds.filter(({ status, reason }) => status === 'failed' && reason !== 'by_lender')
  const same = failed.find(({ amount_paise }) => amount_paise === sent.amountPaise)
  return same ? endFailedRefund(transaction, same, sent) : returnCredit(transaction, sent)
}

async function endFailedRefund({ sql, own, now, actorId }: LoanTransaction, refund: RefundRow, sent: BankTransfer): Promise<string> {
  const { refund_id: refundId, provider } = refund
  if (sent.date < dayInIndia(refund.asked_at))
    throw new LedgerRefusal(`The refund was requested on ${dayInIndia(refund.asked_at)}, after ${sent.date}`, 'refund_before_request')
  await refuseTakenBack(sql, own, refund, now)
  const transactionId = await postRefundByBank(sql, own, { provider, refundId }, sent, now, actorId)
  // The provider has no refund of it: the one of its id failed.
  const processed = {
    status: 'processed',
    provider_refund_id: null,
    bank_reference: sent.reference,
    processed_at: now,
    transaction_id: transactionId,
    last_error: null,
  } as const
  await changeRefund(sql, refund, processed)
  await closeRefundReviews(sql, refund, `returned by ${sent.mode} ${sent.reference}`, now)
  await addRefundNotice(sql, own.loan, { ...refund, ...processed }, 'refund_processed', now)
  return transactionId
}

async function returnCredit({ sql, own, now, actorId }: LoanTransaction, sent: BankTransfer): Promise<string> {
  const { mode, reference, amountPaise, date } = sent
  const { borrower_id: borrowerId, loan_id: loanId, lan } = own.loan
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
  const transactionId = await postCreditReturn(sql, own, sent, now, actorId)
  const isOfLoan = (about: string) => about.startsWith(`${loanId}:`)
  await closeReviews(sql, { borrowerId, kind: 'credit_on_closed_loan' }, isOfLoan, `returned by ${mode} ${reference}`, now)
  const notice = { kind: 'refund_processed', about: `refunded:${transactionId}`, subject: reference } as const
  await addNotice(sql, { ...notice, borrowerId, lan, amountPaise, date }, now)
  return transactionId
}
