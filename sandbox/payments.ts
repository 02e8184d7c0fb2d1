import type { Change, Link, Method, Order, Payment, PaymentError } from './entities.ts'
import type { NewEvent } from './events.ts'
import { acquirerData, failureOf, feeOf, instrumentOf, type Instrument } from './instruments.ts'
import { isOpen } from './link-state.ts'
import { isPayable, openOrder } from './links.ts'
import { newRefund } from './refunds.ts'
import { commitChanges, type SandboxContext } from './context.ts'

/**
 * `late_success` fails and is captured later; `pending_…` stays `created` until the bank has
 * answered; `authorized` waits for a capture through the API.
 */
export const paymentOutcomes = [
  'success',
  'failure',
  'late_success',
  'success_no_redirect',
  'pending_success',
  'pending_failure',
  'authorized',
] as const
export type Outcome = (typeof paymentOutcomes)[number]

/** One attempt to pay a link. */
export type PayRequest = {
  readonly method: Method
  readonly outcome: Outcome
  /**
   * Paise; less than what is due only where the link accepts parts. A bank transfer may be of any
   * amount.
   */
  readonly amount?: number | undefined
  readonly instrument?: Partial<Instrument> | undefined
  readonly contact?: string | undefined
  readonly email?: string | undefined
  /** Why a failure fails; the method's usual reason when absent. */
  readonly reason?: string | undefined
  /** Sandbox seconds until a late answer of the bank. */
  readonly afterSeconds?: number | undefined
  /** Captures even where the link is paid already, instead of sending the money back. */
  readonly isSecondKept?: boolean | undefined
}

/** Default delay of a late answer of the bank, seconds. */
export const lateAfterSeconds = 20
/** A payment left on the bank's page fails after ten minutes. */
const abandonedAfterSeconds = 10 * 60
/** An authorised payment that is not captured is refunded after three days. */
const uncapturedAfterSeconds = 3 * 24 * 60 * 60

/** Thrown when the link's state does not let it be paid. */
export class NotPayable extends Error {}

type Paid = { readonly link: Link; readonly payment: Payment }

/**
 * Attempts a payment. Late successes and bank transfers are accepted in every state of the link.
 */
export function payLink(context: SandboxContext, asked: Link, request: PayRequest): Paid {
  const { link, order, payment } = attempt(context, asked, request)
  const answerAtMs = context.clock.nowMs() + (request.afterSeconds ?? lateAfterSeconds) * 1000
  switch (request.outcome) {
    case 'failure':
      return fail(context, order, { ...payment, error: failureOf(request.method, request.reason) })
    case 'late_success':
      return fail(context, order, {
        ...payment,
        error: failureOf(payment.method, 'payment_timed_out'),
        planned: { at_ms: answerAtMs, to: 'captured' },
      })
    case 'pending_success':
      return keep(context, link, { ...payment, planned: { at_ms: answerAtMs, to: 'captured' } })
    case 'pending_failure':
      return keep(context, link, { ...payment, planned: { at_ms: answerAtMs, to: 'failed' } })
    case 'authorized':
      return authorize(context, link, payment)
    default:
      return capture(context, payment, request.isSecondKept)
  }
}

/** Starts a payment on the bank's page; its outcome is unknown until the customer returns. */
export function beginAtBank(context: SandboxContext, asked: Link, request: PayRequest): Paid {
  const { link, payment } = attempt(context, asked, request)
  const error = request.reason === undefined ? null : failureOf(request.method, request.reason)
  const at_ms = context.clock.nowMs() + abandonedAfterSeconds * 1000
  return keep(context, link, { ...payment, error, planned: { at_ms, to: 'failed' } })
}

/** Ends a payment that was started on the bank's page; `error` null means success. */
export function answerOfBank(context: SandboxContext, payment: Payment, error: PaymentError | null): Paid {
  if (error === null) return capture(context, payment)
  return fail(context, orderOf(context, payment), { ...payment, error })
}

/** Captures an authorised payment on the merchant's request. */
export function captureByMerchant(context: SandboxContext, payment: Payment): Payment {
  return capture(context, payment).payment
}

/** Applies the planned change of a payment. */
export function applyPlannedChange(context: SandboxContext, payment: Payment): void {
  const { planned, ...now } = payment
  if (planned?.to === 'captured') capture(context, { ...now, planned: null })
  if (planned?.to === 'refunded') refundUncaptured(context, linkOf(context, payment), payment)
  if (planned?.to === 'failed') {
    const error = failureOf(payment.method, 'payment_timed_out')
    fail(context, orderOf(context, payment), { ...now, planned: null, error })
  }
}

function attempt(context: SandboxContext, asked: Link, request: PayRequest): { link: Link; order: Order; payment: Payment } {
  const isUnderWay = request.outcome === 'late_success' || request.method === 'bank_transfer' || request.isSecondKept === true
  if (!isUnderWay && !isPayable(context, asked)) throw new NotPayable(`payment link is ${asked.status}`)
  const amountDue = asked.amount - asked.amount_paid
  const amount = request.amount ?? (amountDue > 0 ? amountDue : asked.amount)
  if (!isUnderWay && amount !== amountDue && !isPartTaken(asked, amount, amountDue)) {
    throw new NotPayable('payment link does not take this amount')
  }
  const { link, order } = openOrder(context, asked)
  const payment: Payment = {
    id: context.chance.id('pay'),
    link_id: link.id,
    order_id: order.id,
    amount,
    currency: link.currency,
    status: 'created',
    method: request.method,
    captured: false,
    amount_refunded: 0,
    ...instrumentOf(context.chance, request.method, request.outcome === 'failure'),
    ...request.instrument,
    email: request.email || (link.customer['email'] ?? null),
    contact: request.contact || (link.customer['contact'] ?? null),
    notes: link.notes,
    fee: null,
    tax: null,
    error: null,
    created_at: context.clock.now(),
    planned: null,
    settlement_id: null,
  }
  return { link, order, payment }
}

function isPartTaken(link: Link, amount: number, amountDue: number): boolean {
  const least = link.amount_paid === 0 ? link.first_min_partial_amount : 1
  return link.accept_partial && amount < amountDue && amount >= least
}

function keep(context: SandboxContext, link: Link, payment: Payment): Paid {
  commitChanges(context, [['payment', payment]], [])
  return { link, payment }
}

function fail(context: SandboxContext, order: Order, attempted: Payment): Paid {
  const planned = attempted.planned?.to === 'captured' ? attempted.planned : null
  const payment: Payment = { ...attempted, status: 'failed', planned }
  const changes: Change[] = [
    ['payment', payment],
    ['order', { ...order, attempts: order.attempts + 1, status: order.status === 'paid' ? 'paid' : 'attempted' }],
  ]
  commitChanges(context, changes, [{ event: 'payment.failed', payment }])
  return { link: linkOf(context, payment), payment }
}

function authorize(context: SandboxContext, link: Link, attempted: Payment): Paid {
  const at_ms = context.clock.nowMs() + uncapturedAfterSeconds * 1000
  const payment: Payment = { ...authorized(context, attempted), planned: { at_ms, to: 'refunded' } }
  commitChanges(context, [['payment', payment]], [{ event: 'payment.authorized', payment }])
  return { link, payment }
}

/**
 * Captures an approved payment. An order takes one full payment; a later one is refunded at once
 * unless `isSecondKept`. A link that has expired or was cancelled keeps its status and lists the
 * payment.
 */
function capture(context: SandboxContext, attempted: Payment, isSecondKept = false): Paid {
  const link = linkOf(context, attempted)
  const order = orderOf(context, attempted)
  const before = authorized(context, attempted)
  const earlier: NewEvent[] = attempted.status === 'authorized' ? [] : [{ event: 'payment.authorized', payment: before }]
  const isSecond = order.status === 'paid'
  if (isSecond && !isSecondKept) return refundUncaptured(context, link, before, earlier)

  const payment: Payment = { ...before, status: 'captured', captured: true, ...feeOf(before.amount) }
  const orderPaid = order.amount_paid + payment.amount
  const isWhole = orderPaid >= order.amount
  const paidOrder: Order = {
    ...order,
    amount_paid: orderPaid,
    status: isWhole ? 'paid' : 'attempted',
    attempts: attempted.status === 'failed' ? order.attempts : order.attempts + 1,
  }
  const paidLink = withPayment(context, link, payment, isWhole)
  const events: NewEvent[] = [...earlier, { event: 'payment.captured', payment }]
  if (isWhole && !isSecond) events.push({ event: 'order.paid', order: paidOrder, payment })
  if (isOpen(link)) {
    const event = isWhole ? 'payment_link.paid' : 'payment_link.partially_paid'
    events.push({ event, link: paidLink, order: paidOrder, payment })
  }
  const changes: Change[] = [
    ['payment', payment],
    ['order', paidOrder],
    ['link', paidLink],
  ]
  commitChanges(context, changes, events)
  return { link: paidLink, payment }
}

function authorized(context: SandboxContext, payment: Payment): Payment {
  if (payment.status === 'authorized') return { ...payment, planned: null }
  return { ...payment, status: 'authorized', error: null, planned: null, acquirer_data: acquirerData(context.chance, payment.method) }
}

function withPayment(context: SandboxContext, link: Link, payment: Payment, isWhole: boolean): Link {
  const now = context.clock.now()
  const entry = {
    amount: payment.amount,
    created_at: payment.created_at,
    method: payment.method,
    payment_id: payment.id,
    plink_id: link.id,
    status: 'captured' as const,
    updated_at: now,
  }
  return {
    ...link,
    amount_paid: link.amount_paid + payment.amount,
    payments: [...(link.payments ?? []), entry],
    status: isOpen(link) ? (isWhole ? 'paid' : 'partially_paid') : link.status,
    updated_at: now,
  }
}

/** Refunds an uncaptured payment at once: `captured` stays false, also in its events. */
function refundUncaptured(context: SandboxContext, link: Link, before: Payment, earlier: readonly NewEvent[] = []): Paid {
  const payment: Payment = { ...before, status: 'refunded', planned: null, amount_refunded: before.amount }
  const { refund, events } = newRefund(context, payment, { amount: payment.amount }, { to: 'processed', afterSeconds: 0 })
  const changes: Change[] = [
    ['payment', payment],
    ['refund', refund],
  ]
  commitChanges(context, changes, [...earlier, ...events])
  return { link, payment }
}

function linkOf(context: SandboxContext, payment: Payment): Link {
  const link = context.store.get('link', payment.link_id)
  if (!link) throw new Error(`payment link ${payment.link_id} is missing`)
  return link
}

function orderOf(context: SandboxContext, payment: Payment): Order {
  const order = context.store.get('order', payment.order_id)
  if (!order) throw new Error(`order ${payment.order_id} is missing`)
  return order
}
