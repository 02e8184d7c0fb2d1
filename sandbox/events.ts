import { deliveriesOf } from './deliver.ts'
import type { Change, Dispute, Link, Order, Payment, Refund, Settlement, WebhookEvent } from './entities.ts'
import { disputeView, linkInWebhook, orderInLinkWebhook, orderView, paymentView, refundView, settlementView } from './views.ts'
import { receiptOf, recurringPayload, type RecurringEvent } from './recurring/events.ts'
import type { SandboxContext } from './context.ts'

/** An event that is about to be recorded, with the entities as they are at that moment. */
export type NewEvent =
  | { readonly event: 'payment_link.cancelled' | 'payment_link.expired'; readonly link: Link }
  | {
      readonly event: 'payment_link.paid' | 'payment_link.partially_paid'
      readonly link: Link
      readonly order: Order
      readonly payment: Payment
    }
  | { readonly event: 'order.paid'; readonly order: Order; readonly payment: Payment }
  | {
      readonly event: 'payment.authorized' | 'payment.captured' | 'payment.failed'
      readonly payment: Payment
    }
  | {
      readonly event: 'refund.created' | 'refund.processed' | 'refund.failed'
      readonly refund: Refund
      readonly payment: Payment
    }
  | { readonly event: 'settlement.processed'; readonly settlement: Settlement }
  | {
      readonly event: 'payment.dispute.created' | 'payment.dispute.won' | 'payment.dispute.lost'
      readonly dispute: Dispute
      readonly payment: Payment
    }
  | RecurringEvent

export type Payload = {
  /** Id of its link; '' when it has none. */
  readonly linkId: string
  /** Unix seconds. */
  readonly createdAt: number
  readonly entities: Readonly<Record<string, Record<string, unknown>>>
  /** The sample of a notification has `created_at` inside `payload`. */
  readonly isTimeInPayload?: boolean
}

/** The records of new events. The body never changes afterwards. */
export function eventChanges(context: SandboxContext, events: readonly NewEvent[]): Change[] {
  const nowMs = context.clock.nowMs()
  return events.flatMap((event): Change[] => {
    const { linkId, createdAt, entities, isTimeInPayload } = payloadOf(context, event)
    const payload = Object.fromEntries(Object.entries(entities).map(([name, entity]) => [name, { entity }]))
    const time = { created_at: createdAt }
    const body = JSON.stringify({
      entity: 'event',
      account_id: context.config.accountId,
      event: event.event,
      contains: Object.keys(entities),
      ...(isTimeInPayload === true ? { payload: { ...payload, ...time } } : { payload, ...time }),
    })
    // The provider's header value has no prefix.
    const id = context.chance.text(14)
    const receipt = linkId === '' ? receiptOf(context, event) : undefined
    const about = { link_id: linkId, ...(receipt === undefined ? {} : { receipt }) }
    const happened: WebhookEvent = { id, event: event.event, ...about, body, created_at_ms: nowMs }
    const deliveries = deliveriesOf(happened, context.store.all('endpoint'), nowMs)
    return [['event', happened], ...deliveries.map((delivery): Change => ['delivery', delivery])]
  })
}

function payloadOf(context: SandboxContext, event: NewEvent): Payload {
  const now = context.clock.now()
  switch (event.event) {
    case 'payment_link.cancelled':
    case 'payment_link.expired':
      return {
        linkId: event.link.id,
        createdAt: event.link.created_at,
        entities: { payment_link: linkInWebhook(event.link, context.publicUrl) },
      }
    case 'payment_link.paid':
    case 'payment_link.partially_paid':
      return {
        linkId: event.link.id,
        // The time of the link, not of the event, as in every official sample: events cannot be
        // ordered by it.
        createdAt: event.link.created_at,
        entities: {
          payment_link: linkInWebhook(event.link, context.publicUrl),
          order: orderInLinkWebhook(event.order),
          payment: paymentView(event.payment),
        },
      }
    case 'order.paid':
      return {
        linkId: event.order.link_id,
        createdAt: now,
        entities: { payment: paymentView(event.payment), order: orderView(event.order) },
      }
    case 'payment.authorized':
    case 'payment.captured':
    case 'payment.failed':
      return {
        linkId: event.payment.link_id,
        createdAt: now,
        entities: { payment: paymentInWebhook(event) },
      }
    case 'settlement.processed':
      return { linkId: '', createdAt: now, entities: { settlement: settlementView(event.settlement) } }
    case 'payment.dispute.created':
    case 'payment.dispute.won':
    case 'payment.dispute.lost':
      return {
        linkId: event.payment.link_id,
        createdAt: now,
        entities: { payment: paymentView(event.payment), dispute: disputeView(event.dispute) },
      }
    case 'refund.created':
    case 'refund.processed':
    case 'refund.failed':
      return {
        linkId: event.payment.link_id,
        createdAt: now,
        entities: { refund: refundView(event.refund), payment: paymentView(event.payment) },
      }
    default:
      return recurringPayload(context, event)
  }
}

/**
 * The published sample of a failed card payment has `captured: true`, although no money was
 * captured.
 */
function paymentInWebhook({ event, payment }: { readonly event: string; readonly payment: Payment }): Record<string, unknown> {
  const isOddSample = event === 'payment.failed' && payment.method === 'card'
  return isOddSample ? { ...paymentView(payment), captured: true } : paymentView(payment)
}
