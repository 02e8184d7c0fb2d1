import type { Notification } from './recurring/entities.ts'
import { termsView } from './recurring/views.ts'
import type { Dispute, Link, Notes, Order, Payment, Refund, Settlement } from './entities.ts'

/**
 * The provider's JSON of each entity, with the quirks of its published samples: 0 for times that
 * are not set, `notes` that are null, an object or an empty array, `payments` null until a payment
 * is captured.
 */

/** A PHP backend writes an empty map as `[]`. */
const notesOrArray = (notes: Notes | null): Notes | [] => (notes === null || Object.keys(notes).length === 0 ? [] : notes)

/** A payment link as the API returns it. */
export function linkView(link: Link, publicUrl: string): Record<string, unknown> {
  return {
    accept_partial: link.accept_partial,
    amount: link.amount,
    amount_paid: link.amount_paid,
    callback_method: link.callback_method,
    callback_url: link.callback_url,
    cancelled_at: link.cancelled_at,
    created_at: link.created_at,
    currency: link.currency,
    customer: link.customer,
    description: link.description,
    expire_by: link.expire_by,
    expired_at: link.expired_at,
    first_min_partial_amount: link.first_min_partial_amount,
    id: link.id,
    notes: link.notes,
    notify: link.notify,
    payments: link.payments,
    reference_id: link.reference_id,
    reminder_enable: link.reminder_enable,
    reminders: [],
    short_url: `${publicUrl}/i/${link.slug}`,
    status: link.status,
    updated_at: link.updated_at,
    upi_link: link.upi_link,
    user_id: '',
    ...(link.order_id === null ? {} : { order_id: link.order_id }),
  }
}

/** The link right after its creation, as a lagging replica returns it. */
export function staleLink(link: Link): Link {
  return {
    ...link,
    amount_paid: 0,
    payments: null,
    order_id: null,
    status: 'created',
    cancelled_at: 0,
    expired_at: 0,
    updated_at: link.created_at,
  }
}

/** The link inside a webhook: no `payments`, no callback when unset, notes never null. */
export function linkInWebhook(link: Link, publicUrl: string): Record<string, unknown> {
  const { payments: _, callback_url, callback_method, ...view } = linkView(link, publicUrl)
  return {
    ...view,
    ...(callback_url ? { callback_url, callback_method } : {}),
    notes: notesOrArray(link.notes),
    // Samples of payment_link.expired carry the time of creation here.
    updated_at: link.status === 'expired' ? link.created_at : link.updated_at,
  }
}

export function orderView(order: Order): Record<string, unknown> {
  return {
    id: order.id,
    entity: 'order',
    amount: order.amount,
    amount_paid: order.amount_paid,
    amount_due: Math.max(0, order.amount - order.amount_paid),
    currency: order.currency,
    receipt: order.receipt || null,
    offer_id: null,
    status: order.status,
    attempts: order.attempts,
    notes: notesOrArray(order.notes),
    ...(order.link_id === '' ? {} : { product_id: bare(order.link_id), product_type: 'payment_link_v2' }),
    created_at: order.created_at,
    ...(order.terms === undefined ? {} : { token: termsView(order.terms) }),
    ...(order.notification === undefined ? {} : { notification: notificationInOrder(order.notification) }),
  }
}

function notificationInOrder(notification: Notification): Record<string, unknown> {
  const { planned: _, ...view } = notification
  return view
}

/** The order right after its creation, as a lagging replica returns it. */
export function staleOrder(order: Order): Order {
  const { notification } = order
  const created: Order = { ...order, status: 'created', amount_paid: 0, attempts: 0 }
  return notification === undefined ? created : { ...created, notification: { ...notification, status: 'pending', delivered_at: null } }
}

/** The order id in payment_link.* webhooks has no `order_` prefix, as in the samples. */
export function orderInLinkWebhook(order: Order): Record<string, unknown> {
  return { ...orderView(order), id: bare(order.id) }
}

export function paymentView(payment: Payment): Record<string, unknown> {
  const refunded = payment.amount_refunded
  // A test card's failure reason is known before its bank has answered.
  const error = payment.status === 'failed' ? payment.error : null
  return {
    id: payment.id,
    entity: 'payment',
    amount: payment.amount,
    base_amount: payment.amount,
    currency: payment.currency,
    status: payment.status,
    order_id: payment.order_id,
    invoice_id: payment.mandate?.invoice_id ?? null,
    international: false,
    method: payment.method,
    amount_refunded: refunded,
    refund_status: refunded === 0 ? null : refunded < payment.amount ? 'partial' : 'full',
    captured: payment.captured,
    description: describePayment(payment),
    card_id: payment.card?.['id'] ?? null,
    ...(payment.card === null ? {} : { card: payment.card }),
    bank: payment.bank,
    wallet: payment.wallet,
    vpa: payment.vpa,
    ...(payment.vpa === null ? {} : { upi: { payer_account_type: 'bank_account', vpa: payment.vpa } }),
    email: payment.email,
    contact: payment.contact,
    ...(payment.mandate === undefined ? {} : { customer_id: payment.mandate.customer_id, token_id: payment.mandate.token_id }),
    notes: notesOrArray(payment.notes),
    fee: payment.fee,
    tax: payment.tax,
    error_code: error?.code ?? null,
    error_description: error?.description ?? null,
    error_source: error?.source ?? null,
    error_step: error?.step ?? null,
    error_reason: error?.reason ?? null,
    acquirer_data: payment.acquirer_data,
    created_at: payment.created_at,
  }
}

/** A link's payment is named by the link's id without its prefix. */
export function describePayment({ mandate, link_id }: Payment): string | null {
  return mandate === undefined ? `#${bare(link_id)}` : mandate.description
}

export function refundView(refund: Refund): Record<string, unknown> {
  return {
    id: refund.id,
    entity: 'refund',
    amount: refund.amount,
    currency: refund.currency,
    payment_id: refund.payment_id,
    notes: notesOrArray(refund.notes),
    receipt: refund.receipt,
    acquirer_data: refund.acquirer_data,
    created_at: refund.created_at,
    batch_id: null,
    status: refund.status,
    speed_processed: 'normal',
    speed_requested: refund.speed,
  }
}

export function disputeView(dispute: Dispute): Record<string, unknown> {
  return {
    id: dispute.id,
    entity: 'dispute',
    payment_id: dispute.payment_id,
    amount: dispute.amount,
    currency: dispute.currency,
    amount_deducted: dispute.amount_deducted,
    reason_code: dispute.reason_code,
    respond_by: dispute.respond_by,
    status: dispute.status,
    phase: 'chargeback',
    created_at: dispute.created_at,
  }
}

export function settlementView(settlement: Settlement): Record<string, unknown> {
  return {
    id: settlement.id,
    entity: 'settlement',
    amount: settlement.amount,
    status: settlement.status,
    fees: settlement.fees,
    tax: settlement.tax,
    utr: settlement.utr,
    created_at: settlement.created_at,
  }
}

/** The payment before its bank's answer, as a lagging replica returns it. */
export function stalePayment(payment: Payment): Payment {
  return { ...payment, status: 'created', captured: false, amount_refunded: 0, fee: null, tax: null, error: null }
}

/** The collection envelope of payments, orders, refunds and settlements (links have their own). */
export function collection(items: readonly unknown[]): Record<string, unknown> {
  return { entity: 'collection', count: items.length, items }
}

/** An id without its prefix. */
function bare(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}
