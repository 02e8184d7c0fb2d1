import { commitChanges, type SandboxContext } from '../context.ts'
import type { Order } from '../entities.ts'
import { ProviderError, providerTexts } from '../errors.ts'
import type { Notification } from './entities.ts'
import type { OrderInput } from './input.ts'
import { reasonAgainstDebit } from './tokens.ts'

/** A notification this late arrives too late for a debit on the planned day. */
const lateNotificationSeconds = 36 * 60 * 60

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
  requested: Pick<Notification, 'token_id' | 'payment_after'>,
): Notification {
  const token = context.store.get('token', requested.token_id)
  if (token === undefined || token.is_deleted) throw new ProviderError(providerTexts.unknownId)
  if (amount > token.terms.max_amount) throw new ProviderError(providerTexts.tokenMax, 'amount')
  const ordered = context.nextOutcomes.takeNotification(receipt)
  const isFailed = ordered?.outcome === 'failed' || reasonAgainstDebit(token, context.clock.now()) !== null
  const delaySeconds = ordered?.outcome === 'late' ? lateNotificationSeconds : context.config.notificationSeconds
  const at_ms = context.clock.nowMs() + (ordered?.afterSeconds ?? delaySeconds) * 1000
  return {
    ...requested,
    id: context.chance.id('notification'),
    status: 'pending',
    delivered_at: null,
    planned: { at_ms, to: isFailed ? 'failed' : 'delivered' },
  }
}

/** Applies the planned outcome of a notification: delivered or failed. */
export function applyNotificationOutcome(context: SandboxContext, order: Order): void {
  const { notification } = order
  if (!notification?.planned) return
  const { to, at_ms } = notification.planned
  const applied: Notification = {
    ...notification,
    status: to,
    // The planned moment: a moved clock can be far beyond it.
    delivered_at: to === 'delivered' ? Math.floor(at_ms / 1000) : null,
    planned: null,
  }
  const changed: Order = { ...order, notification: applied }
  commitChanges(context, [['order', changed]], [{ event: `order.notification.${to}`, order: changed }])
}
