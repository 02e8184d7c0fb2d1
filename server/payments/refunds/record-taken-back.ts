import { uuidv7 } from 'uuidv7'
import { dayInIndia } from '#domain/calendar.ts'
import type { ReceivedPayment } from '#domain/loans.ts'
import { paise, type Paise } from '#domain/money.ts'
import { isFromProvider } from '#domain/payments.ts'
import { addNotice } from '../../add-notice.ts'
import type { Sql } from '../../database/connect.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { endReturnedDebit } from '../../ledger/open-links-store.ts'
import { postRefund } from '../../ledger/post-refund.ts'
import { reconcileLedgerToFacts } from '../../ledger/reconcile-ledger.ts'
import type { LoanTransaction } from '../../loan-changes/change-loan.ts'
import { reversePayment } from '../../loan-changes/reverse-payment.ts'
import { isTakenByBank, takenBackId } from '../../loans/refund-facts-store.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import { isOfHeldMoney, sumAmounts, sumRefunded } from '../link-money.ts'
import { findProviderPayment, type ProviderPaymentRow } from '../provider-payment-store.ts'
import { addRefund, changeRefund, listPaymentRefunds, type RefundRow } from '../refund-store.ts'
import { closeRefundReviews } from '../review-store.ts'

/** What the bank reports that it took. Only a person decides that it is a part of a payment. */
type ReportedTaking = { amountPaise: Paise; isPart: boolean }

/** The payment, with the amount that was taken now. `partId` names a part: there can be several. */
type TakenPayment = ReceivedPayment & { partId?: string }

/** `partPaise`: what the bank took by a chargeback, if it is a part of the payment. */
type Reversal = { source: string; sourceId: string; isReportedByBank: boolean; partPaise: Paise | undefined }

/**
 * Reverses a payment as a person asks: one that the bank took back, or one that was recorded
 * wrongly. The borrower gets a notice. The caller holds the loan's row lock.
 *
 * @throws LedgerRefusal as {@link recordTakenBack} or {@link reversePayment}.
 */
export async function reverseByPeople(
  transaction: LoanTransaction,
  { source, sourceId, isReportedByBank, partPaise }: Reversal,
): Promise<ReceivedPayment> {
  const reported = partPaise === undefined ? undefined : { amountPaise: partPaise, isPart: true }
  const reversed: TakenPayment = isReportedByBank
    ? await recordTakenBack(transaction, source, sourceId, reported)
    : await reversePayment(transaction, source, sourceId)
  const { sql, own, now } = transaction
  const { paymentId, partId, amountPaise, date } = reversed
  const { borrower_id: borrowerId, lan } = own.loan
  const about = partId === undefined ? `reversed:${paymentId}` : `reversed:${paymentId}:${partId}`
  await addNotice(sql, { borrowerId, about, kind: 'payment_reversed', lan, amountPaise, date }, now)
  return reversed
}

/**
 * Records that the payer's bank has taken a payment back. A payment that counts whole is reversed.
 * A part, and the rest of one that the lender or Kist sent back in part, is recorded as one more
 * refund, and so is what Kist could not send: it left the provider by the bank. The caller holds
 * the loan's row lock.
 *
 * @param reported absent: the whole payment, or what is left of it.
 * @throws LedgerRefusal if the loan has no such payment, it was taken back before, nothing is left
 * of it, a refund of it is under way, or the bank cannot have taken this amount.
 */
export async function recordTakenBack(
  transaction: LoanTransaction,
  source: string,
  sourceId: string,
  reported?: ReportedTaking,
): Promise<TakenPayment> {
  const { sql, own, now, actorId } = transaction
  const reverseWhole = async () => {
    const reversed = await reversePayment(transaction, source, sourceId, true)
    refuseOtherAmount([reversed.amountPaise], reported)
    return reversed
  }
  const found = await findCountedPayment(sql, own, source, sourceId)
  if (found === null) return reverseWhole()
  const { payment, counted, refunds } = found
  const unsent = refunds.filter(({ status, reason }) => status === 'failed' && reason !== 'by_lender')
  const leftPaise = paise(payment.amount_paise - sumRefunded(refunds))
  // While something could not be sent, a part could be of that as well.
  const partPaise = reported?.isPart && reported.amountPaise < leftPaise && unsent.length === 0 ? reported.amountPaise : null
  if (leftPaise === payment.amount_paise && partPaise === null) return reverseWhole()
  if (leftPaise === 0n && refunds.some(isTakenByBank))
    throw new LedgerRefusal(`Payment ${source} ${sourceId} was taken back before`, 'payment_reversed')
  if (leftPaise === 0n && unsent.length === 0)
    throw new LedgerRefusal(`Payment ${source} ${sourceId} is refunded and cannot be reversed`, 'payment_refunded')
  // The part that a person has recorded can be of this report.
  if (reported?.isPart === false && refunds.some(isTakenByBank))
    throw new LedgerRefusal('a part of the payment was taken back before', 'taken_amount')
  const countedPaise = partPaise ?? leftPaise
  const takenPaise = paise(countedPaise + sumAmounts(unsent))
  refuseOtherAmount([takenPaise, payment.amount_paise], reported)
  const added = countedPaise > 0n ? await addTakenPart(transaction, payment, countedPaise) : null
  const taken = added === null ? unsent : [...unsent, added]
  if (added !== null && partPaise === null) await endReturnedDebit(sql, payment.borrower_id, sourceId, dayInIndia(now))
  const { facts } = await lockOwnLoan(sql, own.loan.borrower_id, own.loan.loan_id)
  const changed = { ...own, facts }
  await reconcileLedgerToFacts(sql, changed, now, actorId)
  for (const refund of taken) await postTakenPart({ ...transaction, own: changed }, refund)
  return { ...counted, amountPaise: takenPaise, ...(partPaise !== null && added !== null && { partId: added.refund_id }) }
}

function refuseOtherAmount(possible: readonly Paise[], reported: ReportedTaking | undefined): void {
  if (reported && !possible.includes(reported.amountPaise)) throw new LedgerRefusal('the bank took back another amount', 'taken_amount')
}

/**
 * A payment of the provider that is not reversed, with the refunds of what never counted or counts
 * no more; null for any other.
 */
async function findCountedPayment(sql: Sql, { loan, facts }: OwnLoan, source: string, sourceId: string) {
  if (!isFromProvider({ source })) return null
  const payment = await findProviderPayment(sql, { borrower_id: loan.borrower_id, provider: source, provider_payment_id: sourceId })
  const counted = facts.payments.find(({ paymentId }) => paymentId === payment?.transaction_id)
  if (payment === undefined || counted === undefined) return null
  const refunds = (await listPaymentRefunds(sql, payment)).filter(isOfHeldMoney)
  return { payment, counted, refunds }
}

function addTakenPart({ sql, now, actorId }: LoanTransaction, payment: ProviderPaymentRow, amountPaise: Paise): Promise<RefundRow> {
  const refund_id = uuidv7()
  const taken = { refund_id, provider_refund_id: takenBackId(refund_id), amount_paise: amountPaise, reason: 'by_lender' } as const
  return addRefund(sql, payment, { ...taken, asked_at: now, asked_by: actorId })
}

async function postTakenPart({ sql, own, now, actorId }: LoanTransaction, refund: RefundRow): Promise<void> {
  const { refund_id: refundId, provider: source, amount_paise: amountPaise } = refund
  const providerRefundId = takenBackId(refundId)
  const transactionId = await postRefund(sql, own, { source, sourceId: providerRefundId, amountPaise }, now, actorId)
  const processed = { status: 'processed', processed_at: now, transaction_id: transactionId, last_error: null } as const
  await changeRefund(sql, refund, { ...processed, provider_refund_id: providerRefundId })
  await closeRefundReviews(sql, refund, 'taken back by the bank', now)
}
