import { dayInIndia } from '#domain/calendar.ts'
import type { ReceivedPayment } from '#domain/loans.ts'
import { isFromProvider } from '#domain/payments.ts'
import { findBySource, readLedger } from '../ledger/ledger-store.ts'
import { endReturnedDebit } from '../ledger/open-links-store.ts'
import { toPurpose } from '../loans/loan-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { isRefunded } from '../loans/refund-facts-store.ts'
import { reconcileLedgerToFacts, appendReversal } from '../ledger/reconcile-ledger.ts'
import { releaseBankReference } from '../ledger/bank-reference-store.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { findCountedPayment } from '../ledger/repeated-payments.ts'
import { groupTransactions } from '../ledger/plan.ts'
import { paymentKey } from '../ledger/postings.ts'
import type { LoanTransaction } from './change-loan.ts'
import { refuseShortRefund } from './refuse-short-refund.ts'

/**
 * Reverses a payment, such as a bounced cheque or a transfer that was booked to the wrong loan. The
 * reversal negates the payment with its reallocations, and later payments are reallocated. A
 * payment can be reversed once for each time that it is recorded. After money of a debit or money
 * that people recorded, instalments can be late from the day after the reversal on. The caller
 * holds the loan's row lock.
 *
 * @param source the provider or the payment mode: `razorpay`, `neft`, …
 * @param sourceId the payment's reference at the source.
 * @param isReportedByBank the bank has taken the money back: a refund of its credit is then short,
 * which a worker has reviewed. Otherwise such a reversal is refused. Only `recordTakenBack`, which
 * knows what was refunded besides, sets it.
 * @throws LedgerRefusal if the loan has no such payment, or it is refunded or reversed.
 */
export async function reversePayment(
  { sql, own, now, actorId }: LoanTransaction,
  source: string,
  sourceId: string,
  isReportedByBank = false,
): Promise<ReceivedPayment> {
  const { loan } = own
  const { posted: counted } = await findCountedPayment(sql, loan.borrower_id, source, sourceId)
  const posted = counted?.loan_id === loan.loan_id ? counted : await findBySource(sql, loan.borrower_id, source, sourceId)
  if (!posted || posted.loan_id !== loan.loan_id)
    throw new LedgerRefusal(`Loan ${loan.lan} has no payment ${source} ${sourceId}`, 'payment_unknown')
  if (!isReportedByBank && (await isRefunded(sql, loan, posted.transaction_id)))
    throw new LedgerRefusal(`Payment ${source} ${sourceId} is refunded and cannot be reversed`, 'payment_refunded')
  const { transactions } = await readLedger(sql, loan)
  const group = groupTransactions(transactions).get(paymentKey(posted.transaction_id))
  if (!group) throw new LedgerRefusal(`${source} ${sourceId} is no payment`, 'payment_unknown')
  if (group.isReversed) throw new LedgerRefusal(`Payment ${source} ${sourceId} was reversed before`, 'payment_reversed')
  if (isFromProvider({ source })) await endReturnedDebit(sql, loan.borrower_id, sourceId, dayInIndia(now))
  await appendReversal(sql, own, group, now, actorId)
  await releaseBankReference(sql, loan.borrower_id, posted.transaction_id)
  const { facts } = await lockOwnLoan(sql, loan.borrower_id, loan.loan_id)
  if (!isReportedByBank) refuseShortRefund(own.facts, facts, now)
  await reconcileLedgerToFacts(sql, { ...own, facts }, now, actorId)
  return { paymentId: posted.transaction_id, date: posted.value_date, amountPaise: posted.amount_paise, purpose: toPurpose(posted.purpose) }
}
