import type { DebitOrder } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import type { CollectionRow } from './collection-store.ts'
import { deliveryCheckMs, withCollection } from './collection-transaction.ts'
import type { MandateRow } from './mandate-store.ts'
import { storeAnnouncement } from './schedule-presentation.ts'
import { skipAndPlanNext } from './skip-collection.ts'

/** Each order has a receipt of its own, so that an order is found by it and never mistaken. */
const receiptOf = ({ reference, orders }: Pick<CollectionRow, 'reference' | 'orders'>): string =>
  orders <= 1 ? reference : `${reference}-${orders}`

/** The order that a UPI announcement needs. */
export type OrderIntent = { row: CollectionRow; tokenId: string }

/** @throws Error if the mandate has no token: the provider would notify nobody. */
export function toOrderIntent(row: CollectionRow, { token_id: tokenId, reference }: MandateRow): OrderIntent {
  if (tokenId === null) throw new Error(`Mandate ${reference} is active and has no token`)
  return { row, tokenId }
}

/**
 * Has the provider announce a UPI debit through an order, and stores it unless the collection has
 * changed meanwhile. A debit whose order is refused is skipped.
 */
export async function announceByOrder(context: MoneyContext, intent: OrderIntent): Promise<void> {
  const { reference, status, orders } = intent.row
  await context.failPoint('autopay_announcement_decided')
  const order = await askForOrder(context, intent)
  await context.failPoint('autopay_announcement_made')
  if (order.kind === 'unknown') return context.log.warn({ reference, reason: order.reason }, 'announcement not confirmed by provider')
  await withCollection(context, intent.row, async (step) => {
    if (step.row.status !== status || step.row.orders !== orders) return
    if (order.kind === 'made') {
      const nextCheck = new Date(step.now.getTime() + deliveryCheckMs)
      return storeAnnouncement(step, { order_id: order.order.orderId, next_check_at: nextCheck })
    }
    context.log.error({ reference, reason: order.reason }, 'provider refused to announce a debit')
    await skipAndPlanNext(context, step, 'mandate')
  })
}

type OrderAnswer = { kind: 'made'; order: DebitOrder } | { kind: 'refused'; reason: string } | { kind: 'unknown'; reason: string }

/** Has the provider make an order, unless it has it. */
export async function askForOrder(
  { gateway, config }: MoneyContext,
  { row, tokenId }: { row: CollectionRow; tokenId: string | null },
): Promise<OrderAnswer> {
  const reference = receiptOf(row)
  const found = await gateway.findDebitOrder(reference)
  if (found.kind === 'unknown') return found
  if (found.kind === 'found') return isWanted(found.order, row) ? { kind: 'made', order: found.order } : differs(found.order)
  const notification = tokenId === null || row.present_at === null ? null : { tokenId, paymentAfter: row.present_at }
  const outcome = await gateway.createDebitOrder({
    reference,
    amountPaise: row.amount_paise,
    notification,
    namesToken: config.autopay.namesTokenInOrders,
  })
  if (outcome.kind !== 'created') return outcome
  return isWanted(outcome.order, row) ? { kind: 'made', order: outcome.order } : differs(outcome.order)
}

const isWanted = (order: DebitOrder, row: CollectionRow): boolean =>
  order.amountPaise === row.amount_paise && order.reference === receiptOf(row)
const differs = ({ orderId, amountPaise }: DebitOrder): OrderAnswer => ({
  kind: 'unknown',
  reason: `order ${orderId} has ${amountPaise} paise, which is not what was asked for`,
})
