import { nextWindowAtMs, presentAfterDeliveryAtMs, presentAtMs, redeliverAtMs } from '#domain/autopay-times.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { MoneyContext } from '../context.ts'
import { changeCollection, collectionKeyOf, readCollection, type CollectionRow } from './collection-store.ts'
import { deliveryCheckMs, providerRetryMs, waitUntil, withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { askForOrder } from './debit-order.ts'
import { isTooLate } from './decide-debit.ts'
import { mandateIsOver } from './mandate-store.ts'
import { presentCollection } from './present-collection.ts'
import { addAnnouncement, schedulePresentation } from './schedule-presentation.ts'
import { skipAndPlanNext, skipIfPaid } from './skip-collection.ts'

/** A delivery can take so long; a late announcement leaves no more time before the next order. */
const deliveryMs = 2 * 3_600_000

/**
 * Follows an announced collection: the delivery of its notification, a second order if it is not
 * delivered in time, and its presentation when its time has come.
 */
export async function followAnnounced(context: MoneyContext, known: CollectionRow): Promise<void> {
  if (known.delivered_at === null) return followDelivery(context, known)
  const now = context.clock.now()
  if (known.present_at === null || known.present_at > now) return wait(context, known, known.present_at ?? now)
  return presentCollection(context, known)
}

const wait = (context: MoneyContext, row: CollectionRow, at: Date): Promise<void> =>
  withCollection(context, collectionKeyOf(row), async (step) => {
    if (step.row.status !== 'announced') return
    if (mayBeRequested(step) || !(await skipIfPaid(context, step))) await waitUntil(step, at)
  })

/**
 * After a restore of the database the bank can have a debit whose time has come: it is not skipped
 * until presentCollection has asked.
 */
const mayBeRequested = ({ row, now }: CollectionTransaction): boolean => row.present_at !== null && row.present_at <= now

async function followDelivery(context: MoneyContext, known: CollectionRow): Promise<void> {
  const { gateway, log } = context
  const outcome = known.order_id === null ? ({ kind: 'absent' } as const) : await gateway.fetchDebitOrder(known.order_id)
  if (outcome.kind === 'unknown') {
    log.warn({ reference: known.reference, reason: outcome.reason }, 'order of a debit not available from provider')
    return wait(context, known, new Date(context.clock.now().getTime() + providerRetryMs))
  }
  const deliveredAt = outcome.kind === 'found' ? (outcome.order.notification?.deliveredAt ?? null) : null
  const needsOrder = await withCollection(context, collectionKeyOf(known), async (step) => {
    const { status, delivered_at } = step.row
    if (status !== 'announced' || delivered_at !== null) return false
    const isToAsk = deliveredAt !== null && mayBeRequested(step)
    if (!isToAsk && (await skipIfPaid(context, step))) return false
    if (deliveredAt === null) return decideRedelivery(context, step)
    if (isToAsk) await changeCollection(step.sql, collectionKeyOf(known), { delivered_at: deliveredAt, next_check_at: step.now })
    else await storeDelivery(context, step, deliveredAt)
    return false
  })
  if (needsOrder) await orderAgain(context, known)
}

/** A delivery that came too late moves the debit, unless its mandate is over. */
function storeDelivery(context: MoneyContext, step: CollectionTransaction, deliveredAt: Date): Promise<null> {
  const { mandate, row, now } = step
  const announced = { debitOn: row.debit_on, presentMs: (row.present_at ?? now).getTime() }
  const presentAt = new Date(presentAfterDeliveryAtMs(mandate.method, announced, deliveredAt.getTime(), now.getTime()))
  if (mandateIsOver(mandate) || isTooLate(step, dayInIndia(presentAt))) return skipAndPlanNext(context, step, 'mandate')
  return schedulePresentation(step, presentAt, { delivered_at: deliveredAt })
}

/** @returns true if a new order is to be made. */
async function decideRedelivery(context: MoneyContext, step: CollectionTransaction): Promise<boolean> {
  const { sql, mandate, row, now } = step
  const dueMs = Math.max(redeliverAtMs(row.debit_on), (row.announced_at ?? now).getTime() + deliveryMs)
  if (now.getTime() < dueMs) {
    await waitUntil(step, new Date(Math.min(now.getTime() + deliveryCheckMs, dueMs)))
    return false
  }
  if (mandate.status !== 'active') return (await skipAndPlanNext(context, step, 'mandate'), false)
  const isAsked = row.orders > 1
  // The process that decided to ask is asking: an event meanwhile does not make another order.
  if (isAsked && row.order_id === null && row.next_check_at > now) return false
  if (isAsked && row.order_id !== null) {
    // The last order: if it reaches nobody until its debit would be due, the borrower is asked to
    // pay by hand.
    if (row.present_at !== null && now >= row.present_at) await skipAndPlanNext(context, step, 'mandate')
    else await waitUntil(step, new Date(now.getTime() + deliveryCheckMs))
    return false
  }
  const presentAt = new Date(nextWindowAtMs(mandate.method, presentAtMs(mandate.method, dayInIndia(now), now.getTime())))
  if (isTooLate(step, dayInIndia(presentAt))) return (await skipAndPlanNext(context, step, 'mandate'), false)
  await changeCollection(sql, collectionKeyOf(row), {
    orders: isAsked ? row.orders : row.orders + 1,
    order_id: null,
    present_at: presentAt,
    debit_on: dayInIndia(presentAt),
    next_check_at: new Date(now.getTime() + providerRetryMs),
  })
  return true
}

async function orderAgain(context: MoneyContext, known: CollectionRow): Promise<void> {
  const { row, tokenId } = await withCollection(context, collectionKeyOf(known), async ({ row, mandate }) => ({
    row,
    tokenId: mandate.token_id ?? '',
  }))
  await context.failPoint('autopay_announcement_decided')
  const order = await askForOrder(context, { row, tokenId })
  await context.failPoint('autopay_announcement_made')
  await withCollection(context, collectionKeyOf(known), async (step) => {
    if (step.row.status !== 'announced' || step.row.orders !== row.orders) return
    if (order.kind === 'refused') return skipAndPlanNext(context, step, 'mandate')
    if (order.kind === 'unknown') return
    await changeCollection(step.sql, collectionKeyOf(row), {
      order_id: order.order.orderId,
      next_check_at: new Date(step.now.getTime() + deliveryCheckMs),
    })
    await addAnnouncement(step.sql, step.own, await readCollection(step.sql, collectionKeyOf(row)), step.now)
  })
}
