import type { DebitOrder } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import type { CollectionRow } from './collection-store.ts'

/** Each order has a receipt of its own, so that an order is found by it and never mistaken. */
const receiptOf = ({ reference, orders }: Pick<CollectionRow, 'reference' | 'orders'>): string =>
  orders <= 1 ? reference : `${reference}-${orders}`

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
