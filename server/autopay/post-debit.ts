import { advanceCollection, notCapturedReason } from '#domain/autopay.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { zeroPaise } from '#domain/money.ts'
import { providerName } from '#domain/payments.ts'
import type { Debit } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import { findLinkAwaitingProvider } from '../ledger/open-links-store.ts'
import { receiveMoney } from '../ledger/receive-money.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { addProviderPayment, listLinkPayments, markPosted, type ProviderPaymentRow } from '../payments/provider-payment-store.ts'
import { replaceRecorded } from '../payments/posting/replace-recorded.ts'
import { requestRefund } from '../payments/refunds/request-refund.ts'
import { addReview, reviewOwner } from '../payments/review-store.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, type CollectionKey } from './collection-store.ts'
import { waitUntil, withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { isPaidMeanwhile } from './decide-debit.ts'
import { restateFailure, storeFailure } from './fail-collection.ts'
import { planNextCollection } from './plan-collection.ts'

/** The wait for the end of a payment link. */
const linkWaitMs = 60_000

/**
 * Posts the money of a captured debit, in one transaction with the collection's new status. It
 * counts from the collection's value date. If something else has paid what it was for, all of it
 * goes back. A debit that the provider returned without capturing it has failed. Posting the same
 * debit again changes nothing.
 *
 * @returns false if the money waits for the end of a payment link.
 */
export function postDebit(context: MoneyContext, key: CollectionKey, debit: Debit): Promise<boolean> {
  return withCollection(context, key, async (step) => {
    const { sql, row, now } = step
    const status = advanceCollection(row.status, 'captured')
    if (status === row.status || debit.payment === null || row.value_date === null) return true
    if (!debit.payment.captured) return failReturned(context, step, debit.payment)
    // After a failure the borrower can pay by a link, whose money would then be paid twice.
    if (row.status === 'failed' && (await findLinkAwaitingProvider(sql, row.borrower_id, row.loan_id))) {
      await waitUntil(step, new Date(now.getTime() + linkWaitMs))
      return false
    }
    const today = dayInIndia(now)
    // The day of a failure stays: a late charge that arose since then is owed if the money goes
    // back.
    const outcome_on = row.outcome_on ?? today
    const outcome = { status, reason: null, failure_class: null, outcome_on, ended_at: now, next_check_at: noFurtherCheck }
    await changeCollection(sql, key, { ...outcome, provider_payment_id: debit.paymentId })
    const payment = await storePayment(step, debit.payment)
    // The loan with the outcome of the debit and without its money.
    const before = await lockOwnLoan(sql, row.borrower_id, row.loan_id)
    const own = await replaceRecorded(sql, before, payment, now)
    // Whoever recorded the debit has decided that it counts.
    const wasRecorded = own !== before
    const isReturned = !wasRecorded && isPaidMeanwhile({ own, row, now })
    const money = await receiveDebit(step, own, payment, { date: row.value_date, isHeld: isReturned })
    if (isReturned) await returnMoney(context, step, own, money, true)
    else await announceDebited(step, money)
    if (payment.amount_paise !== row.amount_paise) await reviewAmount(step, payment)
    const after = await lockOwnLoan(sql, row.borrower_id, row.loan_id)
    await planNextCollection(context, { ...step, own: after })
    await context.failPoint('autopay_debit_posted')
    return true
  })
}

/**
 * Stores a debit that the provider returned without capturing it as failed, with its money, which
 * goes back: each look at it finds it again, and is the last. One notice tells of it: that of a
 * failure, or of the refund if the failure was told before and something else has paid since.
 */
async function failReturned(context: MoneyContext, step: CollectionTransaction, reported: ReportedMoney): Promise<true> {
  const { sql, row, now } = step
  const payment = await storePayment(step, reported)
  if (payment.transaction_id === null) {
    await storeFailure(context, step, notCapturedReason)
    const own = await replaceRecorded(sql, await lockOwnLoan(sql, row.borrower_id, row.loan_id), payment, now)
    const money = await receiveDebit(step, own, payment, { date: row.value_date ?? dayInIndia(now), isHeld: true })
    const isPaidSince = row.status === 'failed' && isPaidMeanwhile({ ...step, own })
    if (row.status === 'failed') await restateFailure(context, { ...step, own }, isPaidSince)
    await returnMoney(context, step, own, money, isPaidSince)
  }
  await changeCollection(sql, row, { provider_payment_id: payment.provider_payment_id, next_check_at: noFurtherCheck })
  return true
}

/** Posts the money of a debit. @returns its payment, which is posted. */
async function receiveDebit(
  { sql, now }: CollectionTransaction,
  own: OwnLoan,
  payment: ProviderPaymentRow,
  posting: { date: Day; isHeld: boolean },
): Promise<ProviderPaymentRow> {
  const { provider: source, provider_payment_id: sourceId, amount_paise: amountPaise } = payment
  const money = { source, sourceId, account: 'provider_clearing' as const, amountPaise, purpose: null, ...posting }
  const posted = await receiveMoney(sql, own, money, now, 'system')
  await markPosted(sql, payment, posted.paymentId, now)
  return { ...payment, transaction_id: posted.paymentId }
}

type ReportedMoney = NonNullable<Debit['payment']>

/** The payment of a debit is stored under the collection's id, as a link's under the link's. */
async function storePayment({ sql, row, now }: CollectionTransaction, payment: ReportedMoney): Promise<ProviderPaymentRow> {
  const owner = { borrower_id: row.borrower_id, loan_id: row.loan_id, payment_intent_id: row.collection_id, provider: providerName }
  // As if without refunds: reconciliation and the look that posts it then find that there are more.
  await addProviderPayment(sql, owner, { ...payment, refundedPaise: zeroPaise }, now)
  const stored = await listLinkPayments(sql, row.borrower_id, [row.collection_id])
  const own = stored.find(({ provider_payment_id }) => provider_payment_id === payment.providerPaymentId)
  if (!own) throw new Error(`Payment ${payment.providerPaymentId} was not stored`)
  return own
}

/**
 * The money does not count (decision 49).
 *
 * @param isPaid whether the notice is that of refunds: the money was not needed.
 */
async function returnMoney(
  { jobs }: MoneyContext,
  { sql, now }: CollectionTransaction,
  { loan }: OwnLoan,
  payment: ProviderPaymentRow,
  isPaid: boolean,
): Promise<void> {
  const refund = { amountPaise: payment.amount_paise, reason: 'nothing_due', askedBy: 'system', note: null, isTold: isPaid } as const
  await requestRefund(sql, jobs, { loan, payment, ...refund }, now)
}

function announceDebited(step: CollectionTransaction, { amount_paise: amountPaise }: ProviderPaymentRow): Promise<void> {
  return addCollectionNotice(step, { about: `autopay_debited:${step.row.collection_id}`, kind: 'autopay_debited', amountPaise })
}

/** The money is posted as it came; a person finds out why it is not what was asked for. */
async function reviewAmount({ sql, row, now }: CollectionTransaction, payment: ProviderPaymentRow): Promise<void> {
  await addReview(
    sql,
    {
      ...reviewOwner(row),
      kind: 'debit_amount',
      about: row.collection_id,
      detail: {
        reference: row.reference,
        payment: payment.provider_payment_id,
        amount_paise: String(payment.amount_paise),
        expected_paise: String(row.amount_paise),
      },
    },
    now,
  )
}
