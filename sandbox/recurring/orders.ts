import { commitChanges, type SandboxContext } from '../context.ts'
import type { Order } from '../entities.ts'
import { ProviderError, TEXT } from '../errors.ts'
import type { Notification } from './entities.ts'
import type { OrderInput } from './input.ts'
import { reasonAgainstDebit } from './tokens.ts'

/** A late notification arrives too late for a debit on the planned day. */
const LATE_S = 36 * 60 * 60

/** Creates the order of a debit and, if asked, announces the debit to the customer. */
export function createDebitOrder(context: SandboxContext, input: OrderInput): Order {
  const notification = input.notification === null ? undefined : newNotification(context, input, input.notification)
  const order: Order = {
    id: context.chance.id('order'),
    link_id: '',
    amount: input.amount,
    amount_paid: 0,
    currency: input.currency,
    receipt: input.receipt,
    status: 'created',
    attempts: 0,
    notes: input.notes,
    created_at: context.clock.now(),
    ...(notification === undefined ? {} : { notification }),
  }
  commitChanges(context, [['order', order]], [])
  return order
}

function newNotification(
  context: SandboxContext,
  { amount, receipt }: OrderInput,
  asked: Pick<Notification, 'token_id' | 'payment_after'>,
): Notification {
  const token = context.store.get('token', asked.token_id)
  if (token === undefined || token.is_deleted) throw new ProviderError(TEXT.unknownId)
  if (amount > token.terms.max_amount) throw new ProviderError(TEXT.tokenMax, 'amount')
  const ordered = context.nextOutcomes.takeNotification(receipt)
  const isFailed = ordered?.outcome === 'failed' || reasonAgainstDebit(token, context.clock.now()) !== null
  const usualS = ordered?.outcome === 'late' ? LATE_S : context.config.notificationSeconds
  const at_ms = context.clock.nowMs() + (ordered?.afterS ?? usualS) * 1000
  return {
    ...asked,
    id: context.chance.id('notification'),
    status: 'pending',
    delivered_at: null,
    planned: { at_ms, to: isFailed ? 'failed' : 'delivered' },
  }
}

/** Delivers a notification, or lets it fail. */
export function carryOutNotification(context: SandboxContext, order: Order): void {
  const { notification } = order
  if (!notification?.planned) return
  // The planned moment: the clock may have been moved far beyond it in one step.
  const { to, at_ms } = notification.planned
  const told: Notification = {
    ...notification,
    status: to,
    delivered_at: to === 'delivered' ? Math.floor(at_ms / 1000) : null,
    planned: null,
  }
  const changed: Order = { ...order, notification: told }
  commitChanges(context, [['order', changed]], [{ event: `order.notification.${to}`, order: changed }])
}
