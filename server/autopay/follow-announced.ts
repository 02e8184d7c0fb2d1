import { nextWindowAtMs, presentAfterDeliveryAtMs, presentAtMs, redeliverAtMs } from '#domain/autopay-times.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import type { MoneyContext } from '../context.ts'
import { changeCollection, readCollection, type CollectionRow } from './collection-store.ts'
import { deliveryCheckMs, providerRetryMs, waitUntil, withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { announceByOrder, toOrderIntent, type OrderIntent } from './debit-order.ts'
import { isTooLate } from './decide-debit.ts'
import { mandateIsOver } from './mandate-store.ts'
import { presentCollection } from './present-collection.ts'
import { schedulePresentation } from './schedule-presentation.ts'
import { skipAndPlanNext, skipIfPaid } from './skip-collection.ts'

/**
 * How long a delivery can take. A second order is not made before that; an announcement that was
 * late leaves no more time.
 */
const deliveryMs = 2 * hourMs

/**
 * Follows an announced collection: the delivery of its notification, a second order if it is not
 * delivered in time, and its presentation when its time has come.
 */
export async function followAnnounced(context: MoneyContext, known: CollectionRow): Promise<void> {
  if (known.delivered_at === null) return followDelivery(context, known)
  const now = context.clock.now()
  if (known.present_at === null || known.present_at > now) return waitUnlessPaid(context, known, known.present_at ?? now)
  return presentCollection(context, known)
}

const waitUnlessPaid = (context: MoneyContext, row: CollectionRow, at: Date): Promise<void> =>
  withCollection(context, row, async (step) => {
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
    return waitUnlessPaid(context, known, new Date(context.clock.now().getTime() + providerRetryMs))
  }
  const deliveredAt = outcome.kind === 'found' ? (outcome.order.notification?.deliveredAt ?? null) : null
  const intent = await withCollection(context, known, async (step) => {
    const { status, delivered_at } = step.row
    if (status !== 'announced' || delivered_at !== null) return null
    const isToAsk = deliveredAt !== null && mayBeRequested(step)
    if (!isToAsk && (await skipIfPaid(context, step))) return null
    if (deliveredAt === null) return decideRedelivery(context, step)
    if (!isToAsk) return storeDelivery(context, step, deliveredAt)
    await changeCollection(step.sql, known, { delivered_at: deliveredAt, next_check_at: step.now })
    return null
  })
  if (intent !== null) await announceByOrder(context, intent)
}

/** A delivery that came too late moves the debit, unless its mandate is over. */
function storeDelivery(context: MoneyContext, step: CollectionTransaction, deliveredAt: Date): Promise<null> {
  const { mandate, row, now } = step
  const announced = { debitOn: row.debit_on, presentMs: (row.present_at ?? now).getTime() }
  const presentAt = new Date(presentAfterDeliveryAtMs(mandate.method, announced, deliveredAt.getTime(), now.getTime()))
  if (mandateIsOver(mandate) || isTooLate(step, dayInIndia(presentAt))) return skipAndPlanNext(context, step, 'mandate')
  return schedulePresentation(step, presentAt, { delivered_at: deliveredAt })
}

/** @returns the new order to ask for; null: none. */
async function decideRedelivery(context: MoneyContext, step: CollectionTransaction): Promise<OrderIntent | null> {
  const { sql, mandate, row, now } = step
  const dueMs = Math.max(redeliverAtMs(row.debit_on), (row.announced_at ?? now).getTime() + deliveryMs)
  if (now.getTime() < dueMs) return waitUntil(step, new Date(Math.min(now.getTime() + deliveryCheckMs, dueMs)))
  if (mandate.status !== 'active') return skipAndPlanNext(context, step, 'mandate')
  const isAsked = row.orders > 1
  // The process that decided to ask is asking: an event meanwhile does not make another order.
  if (isAsked && row.order_id === null && row.next_check_at > now) return null
  if (isAsked && row.order_id !== null) {
    // The last order: if it reaches nobody until its debit would be due, the borrower is asked to
    // pay by hand.
    if (row.present_at !== null && now >= row.present_at) return skipAndPlanNext(context, step, 'mandate')
    return waitUntil(step, new Date(now.getTime() + deliveryCheckMs))
  }
  const presentAt = new Date(nextWindowAtMs(mandate.method, presentAtMs(mandate.method, dayInIndia(now), now.getTime())))
  if (isTooLate(step, dayInIndia(presentAt))) return skipAndPlanNext(context, step, 'mandate')
  await changeCollection(sql, row, {
    orders: isAsked ? row.orders : row.orders + 1,
    order_id: null,
    present_at: presentAt,
    debit_on: dayInIndia(presentAt),
    next_check_at: new Date(now.getTime() + providerRetryMs),
  })
  return toOrderIntent(await readCollection(sql, row), mandate)
}
