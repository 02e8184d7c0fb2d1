import { advanceCollection, isPaidOtherwise } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import { zeroPaise } from '#domain/money.ts'
import type { Debit } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import { findLinkAwaitingProvider } from '../ledger/open-links-store.ts'
import { ledgerDay } from '../ledger/postings.ts'
import { receiveMoney } from '../ledger/receive-money.ts'
import { decodeDebitParts } from '../loans/facts-store.ts'
import { lockOwnLoan, type OwnLoan } from '../loans/own-loan.ts'
import { addProviderPayment, listLinkPayments, markPosted, type ProviderPaymentRow } from '../payments/payment-store.ts'
import { replaceRecorded } from '../payments/posting/replace-recorded.ts'
import { requestRefund } from '../payments/refunds/request-refund.ts'
import { addReview, reviewOwner } from '../payments/review-store.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, type CollectionKey } from './collection-store.ts'
import { waitUntil, withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { planNextCollection } from './plan-collection.ts'

/** The wait for the end of a payment link. */
const linkWaitMs = 60_000

/**
 * Posts the money of a captured debit, in one transaction with the collection's new status. It
 * counts from the collection's value date. If something else has paid what it was for, or the
 * provider returned it without capturing it, all of it goes back. Posting the same debit again
 * changes nothing.
 *
 * @returns false if the money waits for the end of a payment link.
 */
export function postDebit(context: MoneyContext, key: CollectionKey, debit: Debit): Promise<boolean> {
  return withCollection(context, key, async (step) => {
    const { sql, mandate, row, now } = step
    const status = advanceCollection(row.status, 'captured')
    if (status === row.status || debit.payment === null || row.value_date === null) return true
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
    const asOf = ledgerDay(own.facts, now)
    // Whoever recorded the debit has decided that it counts.
    const wasRecorded = own !== before
    const isPaid = () => isPaidOtherwise(decodeDebitParts(row.parts), own.facts, loanStateToPost(own.facts, asOf), asOf)
    const isReturned = !payment.captured || (!wasRecorded && isPaid())
    const posted = await receiveMoney(
      sql,
      own,
      {
        source: payment.provider,
        sourceId: payment.provider_payment_id,
        account: 'provider_clearing',
        amountPaise: payment.amount_paise,
        date: row.value_date,
        purpose: null,
        isHeld: isReturned,
      },
      now,
      'system',
    )
    await markPosted(sql, payment, posted.paymentId, now)
    const money = { ...payment, transaction_id: posted.paymentId }
    if (isReturned) await returnMoney(context, step, own, money)
    else await announceDebited(step, own, money)
    if (payment.amount_paise !== row.amount_paise) await reviewAmount(step, payment)
    const after = await lockOwnLoan(sql, row.borrower_id, row.loan_id)
    await planNextCollection(sql, after, mandate, context.config.autopay.rules, now)
    await context.failPoint('autopay_debit_posted')
    return true
  })
}

/** The payment of a debit is stored under the collection's id, as a link's under the link's. */
async function storePayment({ sql, row, now }: CollectionTransaction, payment: NonNullable<Debit['payment']>): Promise<ProviderPaymentRow> {
  const owner = { borrower_id: row.borrower_id, loan_id: row.loan_id, payment_intent_id: row.collection_id, provider: 'razorpay' }
  // As if without refunds: reconciliation and the look that posts it then find that there are more.
  await addProviderPayment(sql, owner, { ...payment, refundedPaise: zeroPaise }, now)
  const stored = await listLinkPayments(sql, row.borrower_id, [row.collection_id])
  const own = stored.find(({ provider_payment_id }) => provider_payment_id === payment.providerPaymentId)
  if (!own) throw new Error(`Payment ${payment.providerPaymentId} was not stored`)
  return own
}

/** The money does not count (decision 49). The notice is that of refunds. */
async function returnMoney(
  { jobs }: MoneyContext,
  { sql, now }: CollectionTransaction,
  { loan }: OwnLoan,
  payment: ProviderPaymentRow,
): Promise<void> {
  const refund = { amountPaise: payment.amount_paise, reason: 'nothing_due', askedBy: 'system', note: null } as const
  await requestRefund(sql, jobs, { loan, payment, ...refund }, now)
}

function announceDebited({ sql, row, now }: CollectionTransaction, { loan }: OwnLoan, { amount_paise }: ProviderPaymentRow): Promise<void> {
  const about = `autopay_debited:${row.collection_id}`
  return addCollectionNotice({ sql, lan: loan.lan, row, now }, { about, kind: 'autopay_debited', amountPaise: amount_paise })
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
