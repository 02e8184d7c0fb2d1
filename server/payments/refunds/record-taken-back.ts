import { uuidv7 } from 'uuidv7'
import { dayInIndia } from '#domain/calendar.ts'
import type { ReceivedPayment } from '#domain/loans.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { endReturnedDebit } from '../../ledger/open-links-store.ts'
import { postRefund } from '../../ledger/post-refund.ts'
import { reconcileLedgerToFacts } from '../../ledger/reconcile-ledger.ts'
import { reversePayment } from '../../loan-changes/reverse-payment.ts'
import { isTakenByBank, takenBackId } from '../../loans/refund-facts-store.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { sumAmounts, sumRefunded } from '../link-money.ts'
import { findProviderPayment, type ProviderPaymentRow } from '../payment-store.ts'
import { addRefund, changeRefund, findRefund, listPaymentRefunds, type RefundRow } from '../refund-store.ts'
import { closeRefundReviews } from '../review-store.ts'

/**
 * Records that the payer's bank has taken a payment back. A payment that counts whole is reversed.
 * Of one that the lender or Kist sent back in part, the rest is recorded as one more refund, and so
 * is what Kist could not send: it left the provider by the bank. The caller holds the loan's row
 * lock.
 *
 * @param reportedPaise what the bank reports, if it is known: the whole payment, or what is left.
 * @returns the payment, with the amount that is recorded now.
 * @throws LedgerRefusal if the loan has no such payment, it was taken back before, nothing is left
 * of it, a refund of it is under way, or the bank reports another amount.
 */
export async function recordTakenBack(
  sql: Sql,
  own: OwnLoan,
  source: string,
  sourceId: string,
  now: Date,
  actorId: string,
  reportedPaise?: Paise,
): Promise<ReceivedPayment> {
  const found = await findCountedPayment(sql, own, source, sourceId)
  if (found === null) return reversePayment(sql, own, source, sourceId, now, actorId, true)
  const { payment, counted, refunds } = found
  if (sumRefunded(refunds) === 0n) {
    refuseOtherAmount([payment.amount_paise], reportedPaise)
    return reversePayment(sql, own, source, sourceId, now, actorId, true)
  }
  const unsent = refunds.filter(({ status, reason }) => status === 'failed' && reason !== 'by_lender')
  const leftPaise = paise(payment.amount_paise - sumRefunded(refunds))
  if (leftPaise === 0n && refunds.some(isTakenByBank))
    throw new LedgerRefusal(`Payment ${source} ${sourceId} was taken back before`, 'payment_reversed')
  if (leftPaise === 0n && unsent.length === 0)
    throw new LedgerRefusal(`Payment ${source} ${sourceId} is refunded and cannot be reversed`, 'payment_refunded')
  const takenPaise = paise(leftPaise + sumAmounts(unsent))
  refuseOtherAmount([takenPaise, payment.amount_paise], reportedPaise)
  const taken = leftPaise > 0n ? [...unsent, await addTakenPart(sql, payment, leftPaise, now, actorId)] : unsent
  if (leftPaise > 0n) await endReturnedDebit(sql, payment.borrower_id, sourceId, dayInIndia(now))
  const { facts } = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
  const changed = { ...own, facts }
  await reconcileLedgerToFacts(sql, changed, now, actorId)
  for (const refund of taken) await postTakenPart(sql, changed, refund, now, actorId)
  return { ...counted, amountPaise: takenPaise }
}

function refuseOtherAmount(possible: readonly Paise[], reportedPaise: Paise | undefined): void {
  if (reportedPaise !== undefined && !possible.includes(reportedPaise)) throw new LedgerRefusal('the bank took back another amount')
}

/**
 * A payment of the provider that is not reversed, with the refunds of what never counted or counts
 * no more; null for any other.
 */
async function findCountedPayment(sql: Sql, { loan, facts }: OwnLoan, source: string, sourceId: string) {
  if (source !== 'razorpay') return null
  const payment = await findProviderPayment(sql, { borrower_id: loan.borrower_id, provider: source, provider_payment_id: sourceId })
  const counted = facts.payments.find(({ paymentId }) => paymentId === payment?.transaction_id)
  if (payment === undefined || counted === undefined) return null
  const refunds = (await listPaymentRefunds(sql, payment)).filter(({ reason }) => reason !== 'excess')
  return { payment, counted, refunds }
}

async function addTakenPart(
  sql: Sql,
  { borrower_id, loan_id, provider, provider_payment_id, payment_intent_id }: ProviderPaymentRow,
  amountPaise: Paise,
  now: Date,
  actorId: string,
): Promise<RefundRow> {
  const refundId = uuidv7()
  await addRefund(sql, {
    borrower_id,
    loan_id,
    refund_id: refundId,
    provider,
    provider_payment_id,
    payment_intent_id,
    amount_paise: amountPaise,
    reason: 'by_lender',
    status: 'asked',
    provider_refund_id: takenBackId(refundId),
    asked_at: now,
    asked_by: actorId,
    next_check_at: now,
  })
  const added = await findRefund(sql, { borrowerId: borrower_id, refundId })
  if (!added) throw new Error(`Refund ${refundId} was not stored`)
  return added
}

async function postTakenPart(sql: Sql, own: OwnLoan, refund: RefundRow, now: Date, actorId: string): Promise<void> {
  const { refund_id: refundId, provider: source, amount_paise: amountPaise } = refund
  const providerRefundId = takenBackId(refundId)
  const transactionId = await postRefund(sql, own, { source, sourceId: providerRefundId, amountPaise }, now, actorId)
  const processed = { status: 'processed', processed_at: now, transaction_id: transactionId, last_error: null } as const
  await changeRefund(sql, refund, { ...processed, provider_refund_id: providerRefundId })
  await closeRefundReviews(sql, refund, 'taken back by the bank', now)
}
