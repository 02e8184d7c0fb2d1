import { notPresentedReason } from '#domain/autopay.ts'
import { minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import { providerName } from '#domain/payments.ts'
import type { Debit } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import { backOffMs, noFurtherCheck } from '../jobs/back-off.ts'
import { syncRefunds } from '../payments/refunds/sync-refunds.ts'
import { addReview, reviewOwner } from '../payments/review-store.ts'
import { changeCollection, type CollectionKey, type CollectionRow } from './collection-store.ts'
import { withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { failCollection } from './fail-collection.ts'
import { postDebit } from './post-debit.ts'

/** A debit is requested at most this long after it was decided. */
export const requestMsMax = 5 * minuteMs
/**
 * The time in which an unanswered request can still reach the provider: ten minutes, and twenty by
 * which the clocks of two servers may differ. After it, an order without a payment was never
 * debited.
 */
const requestInFlightMsMax = 30 * minuteMs
/** The waits between looks at a debit: soon after its request, then with the bank's pace. */
const pendingBackOff = { firstMs: 60_000, maxMs: hourMs }
/**
 * A failed debit can still succeed for five days. It is looked at until the provider has answered
 * once after them, for thirty days at most.
 */
const lateSuccessMs = { answered: 5 * dayMs, most: 30 * dayMs }
const lateBackOff = { firstMs: 10 * minuteMs, maxMs: 12 * hourMs }
/** A debit without an outcome this long after it was expected is for a person. */
const overdueMs = dayMs

/**
 * Asks the provider what became of a presented debit, and stores it: the one function behind
 * webhooks and sweeps. Repeated and parallel calls have the effect of one. The request for a debit
 * is never repeated; one whose answer was lost is found by its order.
 *
 * @returns false if the provider did not answer, or a late success waits for a payment link.
 */
export async function syncCollection(context: MoneyContext, key: CollectionKey): Promise<boolean> {
  const row = await scheduleNext(context, key)
  if (row.status !== 'presented' && row.status !== 'failed') return true
  try {
    return await findAndStoreOutcome(context, row)
  } catch (error) {
    // A fault can repeat at every look, and until the outcome is stored no link can be paid.
    await withCollection(context, key, reviewOverdue)
    throw error
  }
}

async function findAndStoreOutcome(context: MoneyContext, row: CollectionRow): Promise<boolean> {
  const found = await findDebit(context, row)
  if (found === 'unknown') {
    await withCollection(context, row, reviewOverdue)
    return false
  }
  if (found !== null) await context.failPoint('autopay_debit_known')
  if (found?.status !== 'captured' || !found.payment) {
    await storeFound(context, row, found)
    return true
  }
  if (!(await postDebit(context, row, found))) return false
  // The lender can have refunded it in the dashboard while it was not posted.
  const payment = { ...row, provider: providerName, provider_payment_id: found.paymentId }
  return found.payment.refundedPaise === 0n || syncRefunds(context, payment)
}

async function storeFound(context: MoneyContext, row: CollectionRow, found: Debit | null): Promise<void> {
  if (found === null) {
    const isOver = context.clock.now().getTime() - (row.presented_at ?? row.created_at).getTime() > requestInFlightMsMax
    return isOver && row.status === 'presented' ? failCollection(context, row, notPresentedReason) : finishLook(context, row)
  }
  if (found.status === 'failed' && row.status === 'presented') return failCollection(context, row, found.reason ?? 'unknown')
  if (found.status === null) context.log.warn({ reference: row.reference }, 'unknown status of a debit from provider')
  await finishLook(context, row)
}

const hasFailedFor = (ms: number, { status, ended_at }: CollectionRow, now: Date): boolean =>
  status === 'failed' && ended_at !== null && now.getTime() - ended_at.getTime() > ms

/** Sets the time of the next look before this one, so that a failure does not repeat it at once. */
function scheduleNext(context: MoneyContext, key: CollectionKey): Promise<CollectionRow> {
  return withCollection(context, key, async ({ sql, row, now }) => {
    if (row.status !== 'presented' && row.status !== 'failed') return row
    const waitMs = backOffMs(row.checks, row.status === 'failed' ? lateBackOff : pendingBackOff)
    const nextCheck = hasFailedFor(lateSuccessMs.most, row, now) ? noFurtherCheck : new Date(now.getTime() + waitMs)
    await changeCollection(sql, key, { next_check_at: nextCheck, checks: row.checks + 1 })
    return row
  })
}

/**
 * Finds the debit of a collection by its payment, or by its order if the answer to the request was
 * lost. `null`: the order has none.
 */
async function findDebit(context: MoneyContext, row: CollectionRow): Promise<Debit | null | 'unknown'> {
  const { gateway, log } = context
  const unknown = (reason: string): 'unknown' => {
    log.warn({ reference: row.reference, reason }, 'debit not available from provider')
    return 'unknown'
  }
  if (row.order_id === null) return null
  const listed = await gateway.debitsOfOrder(row.order_id)
  if (listed.kind !== 'found') return unknown(listed.kind === 'unknown' ? listed.reason : 'its order is unknown')
  // The outcome is the one that both answers have: a wrong amount in one of them is not believed.
  const candidates = listed.debits.filter(({ paymentId }) => row.provider_payment_id === null || paymentId === row.provider_payment_id)
  const listedDebit = pickDebit(candidates)
  const paymentId = row.provider_payment_id ?? listedDebit?.paymentId
  if (paymentId === undefined) return null
  if (row.provider_payment_id === null) await storePaymentId(context, row, paymentId)
  const fetched = await gateway.fetchDebit(paymentId)
  if (fetched.kind !== 'found') return unknown(fetched.kind === 'unknown' ? fetched.reason : 'its payment is unknown')
  const { debit } = fetched
  if (listedDebit && (listedDebit.amountPaise !== debit.amountPaise || listedDebit.status !== debit.status))
    return unknown('its order and its payment differ')
  return debit
}

/** Of several debits of an order, the one that took money. */
export const pickDebit = (debits: readonly Debit[]): Debit | undefined => debits.find(({ status }) => status === 'captured') ?? debits[0]

const storePaymentId = (context: MoneyContext, key: CollectionKey, paymentId: string): Promise<void> =>
  withCollection(context, key, async ({ sql, row }) => {
    if (row.provider_payment_id === null) await changeCollection(sql, key, { provider_payment_id: paymentId })
  })

/**
 * Ends a look that found nothing new: an overdue outcome is for a person, and a failed debit is
 * looked at no more once the provider has answered late enough.
 */
function finishLook(context: MoneyContext, key: CollectionKey): Promise<void> {
  return withCollection(context, key, async (step) => {
    const { sql, row, now } = step
    if (hasFailedFor(lateSuccessMs.answered, row, now)) return changeCollection(sql, key, { next_check_at: noFurtherCheck })
    await reviewOverdue(step)
  })
}

async function reviewOverdue({ sql, row, now }: CollectionTransaction): Promise<void> {
  if (row.status !== 'presented' || row.expected_by === null || now.getTime() - row.expected_by.getTime() < overdueMs) return
  const detail = { reference: row.reference, payment: row.provider_payment_id, expected_by: row.expected_by.toISOString() }
  await addReview(sql, { ...reviewOwner(row), kind: 'debit_overdue', about: row.collection_id, detail }, now)
}
