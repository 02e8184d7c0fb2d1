import type { SandboxContext } from '../context.ts'
import type { Order, Payment } from '../entities.ts'
import type { Payload } from '../events.ts'
import { orderView, paymentView } from '../views.ts'
import type { Registration, Token } from './entities.ts'
import { notificationView, registrationView, tokenView } from './views.ts'

/** The events that only recurring payments have. */
export type RecurringEvent =
  | {
      readonly event: 'token.confirmed' | 'token.rejected' | 'token.cancelled' | 'token.paused' | 'token.resumed'
      readonly token: Token
    }
  | { readonly event: 'invoice.paid'; readonly registration: Registration; readonly order: Order; readonly payment: Payment }
  | { readonly event: 'invoice.expired'; readonly registration: Registration }
  | { readonly event: 'order.notification.delivered' | 'order.notification.failed'; readonly order: Order }

export function recurringPayload(context: SandboxContext, event: RecurringEvent): Payload {
  const base = { linkId: '', createdAt: context.clock.now() }
  switch (event.event) {
    case 'invoice.paid': {
      const { line_items: _, ...invoice } = registrationView(event.registration, context.publicUrl)
      return { ...base, entities: { payment: paymentView(event.payment), order: orderView(event.order), invoice } }
    }
    case 'invoice.expired': {
      const { line_items: _, ...invoice } = registrationView(event.registration, context.publicUrl)
      return { ...base, entities: { invoice } }
    }
    case 'order.notification.delivered':
    case 'order.notification.failed':
      return { ...base, isTimeInPayload: true, entities: { notification: notificationView(event.order) } }
    case 'token.resumed':
      // One published page names this event and this status; the token itself is confirmed.
      return { ...base, entities: { token: { ...tokenView(event.token), recurring_details: { status: 'resumed', failure_reason: null } } } }
    default:
      return { ...base, entities: { token: tokenView(event.token) } }
  }
}

/** The receipt of the order that an event is about; undefined for events of links. */
export function receiptOf({ store }: SandboxContext, event: object): string | undefined {
  const { payment, order, registration, token } = event as {
    payment?: Payment
    order?: Order
    registration?: Registration
    token?: Token
  }
  const about =
    registration ?? store.get('registration', token?.registration_id ?? '') ?? order ?? store.get('order', payment?.order_id ?? '')
  return about !== undefined && 'link_id' in about && about.link_id !== '' ? undefined : about?.receipt
}
