import { dayMs } from '#domain/durations.ts'
import { providerName } from '#domain/payments.ts'
import type { ListedPayment } from '../adapters/payment-gateway/payment-gateway.ts'
import type { MoneyContext } from '../context.ts'
import type { SyncRecurring } from '../payments/reconciliation/settle.ts'
import { findPaymentById } from '../payments/provider-payment-store.ts'
import { addReview } from '../payments/review-store.ts'
import { syncRefunds } from '../payments/refunds/sync-refunds.ts'
import { checkCollection } from './sweep-debits.ts'
import { findCollectionByOrder, readCollection, type CollectionRow } from './collection-store.ts'
import { findByReference, findMandateByToken, listWaitingMandates, readMandateRow } from './mandate-store.ts'
import { syncMandate } from './sync-mandate.ts'

/** The mandates that can have caused an event of a token that is not known yet. */
const waitingMandatesMax = 50
/** A refund of ₹1 that the provider has not made by then is for a person. */
const registrationRefundMs = 3 * dayMs

/** True of our reference: `KM…` of a mandate, `KC…` of a collection (of an order with a number). */
export const isAutopayReference = (reference: string): boolean => /^K[MC][0-9a-f]{32}(-\d+)?$/.test(reference)

/** True of a name of autopay in an event: our reference, or the id of a token or an order. */
export const isAutopayName = (name: string): boolean => isAutopayReference(name) || /^(token|order)_\w+$/.test(name)

/** What a sync by name has found: the collection afterwards, a mandate, or nothing of ours. */
type SyncedAutopay = { kind: 'collection'; row: CollectionRow } | { kind: 'mandate' } | { kind: 'absent' }

/**
 * Looks at what a name in an event names, with the provider: a mandate, or a collection's delivery
 * or outcome. Only this look changes anything, so a forged event can only cause one more.
 */
export async function syncByName(context: MoneyContext, name: string): Promise<SyncedAutopay> {
  const { database } = context
  if (name.startsWith('token_')) return syncByToken(context, name)
  const isOrder = name.startsWith('order_')
  const named = await database.asSystem((sql) => (isOrder ? findCollectionByOrder(sql, name) : findByReference(sql, withoutNumber(name))))
  if (named === null) return { kind: 'absent' }
  const { borrower_id, collection_id } = named
  if (collection_id === null) {
    await syncMandate(context, named)
    return { kind: 'mandate' }
  }
  const read = () => database.asBorrower(borrower_id, (sql) => readCollection(sql, { borrower_id, collection_id }))
  const known = await read()
  // Nothing is announced or presented because an event says so.
  const isFollowed =
    known.status === 'presented' || known.status === 'failed' || (known.status === 'announced' && known.delivered_at === null)
  if (isFollowed) await checkCollection(context, known)
  return { kind: 'collection', row: await read() }
}

const withoutNumber = (reference: string): string => reference.replace(/-\d+$/, '')

/** The first event of a token names it before its registration does. */
async function syncByToken(context: MoneyContext, tokenId: string): Promise<SyncedAutopay> {
  const known = await context.database.asSystem((sql) => findMandateByToken(sql, tokenId))
  const mandates = known === null ? await context.database.asSystem((sql) => listWaitingMandates(sql, waitingMandatesMax)) : [known]
  for (const key of mandates) await syncMandate(context, key)
  return mandates.length === 0 ? { kind: 'absent' } : { kind: 'mandate' }
}

/**
 * Syncs a payment that the provider lists, if it is one of autopay. A registration is never posted
 * to a loan: its ₹1 goes back by itself.
 *
 * @returns null if the payment is not one of autopay, or of a debit that was never presented.
 * @throws Error if the payment is not posted yet, or its refunds cannot be fetched.
 */
export const syncRecurringPayment: SyncRecurring = async (context, payment) => {
  const { database } = context
  if (payment.reference === null || !isAutopayName(payment.reference)) return null
  const named = await database.asSystem((sql) => findByReference(sql, withoutNumber(payment.reference ?? '')))
  if (named === null) return null
  if (named.collection_id === null) {
    const { borrower_id: borrowerId } = named
    await reviewKeptRegistration(context, borrowerId, payment)
    const { loan_id: loanId } = await database.asBorrower(borrowerId, (sql) => readMandateRow(sql, named))
    return { kind: 'registration', borrowerId, loanId }
  }
  const synced = await syncByName(context, payment.reference)
  const stored = await database.asSystem((sql) => findPaymentById(sql, providerName, payment.providerPaymentId))
  if (!stored && synced.kind === 'collection' && awaitsPayment(synced.row, payment.providerPaymentId))
    throw new Error(`Payment ${payment.providerPaymentId} of debit ${payment.reference} is not posted yet`)
  if (!stored) return null
  if (payment.refundedPaise > 0n && !(await syncRefunds(context, stored)))
    throw new Error(`Refunds of payment ${payment.providerPaymentId} could not be fetched from the provider`)
  return { kind: 'debit' }
}

/** Whether a payment is posted once the provider answers, or a payment link has ended. */
function awaitsPayment({ status, provider_payment_id: known }: CollectionRow, providerPaymentId: string): boolean {
  return (status === 'presented' || status === 'failed') && (known === null || known === providerPaymentId)
}

async function reviewKeptRegistration({ database, clock }: MoneyContext, borrowerId: string, payment: ListedPayment): Promise<void> {
  const now = clock.now()
  const isKept = payment.refundedPaise < payment.amountPaise && now.getTime() - payment.paidAt.getTime() > registrationRefundMs
  if (!isKept) return
  const detail = { payment: payment.providerPaymentId, reference: payment.reference, amount_paise: String(payment.amountPaise) }
  const review = { borrowerId, kind: 'registration_kept' as const, about: payment.providerPaymentId, detail }
  await database.asBorrower(borrowerId, (sql) => addReview(sql, review, now))
}
