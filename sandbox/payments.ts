import type { Change, Link, Method, Order, Payment, PaymentError } from './entities.ts'
import type { NewEvent } from './events.ts'
import { acquirerData, failureOf, feeOf, instrumentOf, type Instrument } from './instruments.ts'
import { isOpen } from './link-state.ts'
import { isPayable, openOrder } from './links.ts'
import { newRefund } from './refunds.ts'
import { record, type World } from './world.ts'

/**
 * `late_success` fails and is captured later; `pending_…` stays `created` until the bank has answered; `authorized` waits
 * for a capture through the API.
 */
export const OUTCOMES = [
  'success',
  'failure',
  'late_success',
  'success_no_redirect',
  'pending_success',
  'pending_failure',
  'authorized',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** One attempt to pay a link. */
export type PayRequest = {
  readonly method: Method
  readonly outcome: Outcome
  /** Paise; less than what is due only where the link accepts parts. A bank transfer may be of any amount. */
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

/** Seconds until a late answer of the bank when nothing else is said. */
export const LATE_AFTER_S = 20
/** A payment whose customer went silent at the bank fails after ten minutes. */
const ABANDONED_AFTER_S = 10 * 60
/** What was authorised and never captured goes back after three days. */
const UNCAPTURED_AFTER_S = 3 * 24 * 60 * 60

/** Thrown when the link's state does not let it be paid. */
export class NotPayable extends Error {}

export type Paid = { readonly link: Link; readonly payment: Payment }

/** Tries to pay a link. Money that was on its way before is allowed in any state: a late success, a bank transfer. */
export function payLink(world: World, asked: Link, request: PayRequest): Paid {
  const { link, order, payment } = attempt(world, asked, request)
  const answerAtMs = world.clock.nowMs() + (request.afterSeconds ?? LATE_AFTER_S) * 1000
  switch (request.outcome) {
    case 'failure':
      return fail(world, order, { ...payment, error: failureOf(request.method, request.reason) })
    case 'late_success':
      return fail(world, order, {
        ...payment,
        error: failureOf(payment.method, 'payment_timed_out'),
        planned: { at_ms: answerAtMs, to: 'captured' },
      })
    case 'pending_success':
      return keep(world, link, { ...payment, planned: { at_ms: answerAtMs, to: 'captured' } })
    case 'pending_failure':
      return keep(world, link, { ...payment, planned: { at_ms: answerAtMs, to: 'failed' } })
    case 'authorized':
      return authorize(world, link, payment)
    default:
      return capture(world, payment, request.isSecondKept)
  }
}

/** The customer has gone to the bank's page: nothing is known until they come back. */
export function beginAtBank(world: World, asked: Link, request: PayRequest): Paid {
  const { link, payment } = attempt(world, asked, request)
  const error = request.reason === undefined ? null : failureOf(request.method, request.reason)
  const at_ms = world.clock.nowMs() + ABANDONED_AFTER_S * 1000
  return keep(world, link, { ...payment, error, planned: { at_ms, to: 'failed' } })
}

/** The bank's answer to a payment that was begun on its page; null is a yes. */
export function answerOfBank(world: World, payment: Payment, error: PaymentError | null): Paid {
  if (error === null) return capture(world, payment)
  return fail(world, orderOf(world, payment), { ...payment, error })
}

/** Captures what was authorised and left to the merchant to capture. */
export function captureByMerchant(world: World, payment: Payment): Payment {
  return capture(world, payment).payment
}

/** What was planned for a payment happens. */
export function comeTrue(world: World, payment: Payment): void {
  const { planned, ...now } = payment
  if (planned?.to === 'captured') capture(world, { ...now, planned: null })
  if (planned?.to === 'refunded') sendBack(world, linkOf(world, payment), payment)
  if (planned?.to === 'failed') {
    const error = failureOf(payment.method, 'payment_timed_out')
    fail(world, orderOf(world, payment), { ...now, planned: null, error })
  }
}

function attempt(world: World, asked: Link, request: PayRequest): { link: Link; order: Order; payment: Payment } {
  const isUnderWay = request.outcome === 'late_success' || request.method === 'bank_transfer' || request.isSecondKept === true
  if (!isUnderWay && !isPayable(world, asked)) throw new NotPayable(`payment link is ${asked.status}`)
  const amountDue = asked.amount - asked.amount_paid
  const amount = request.amount ?? (amountDue > 0 ? amountDue : asked.amount)
  if (!isUnderWay && amount !== amountDue && !isPartTaken(asked, amount, amountDue)) {
    throw new NotPayable('payment link does not take this amount')
  }
  const { link, order } = openOrder(world, asked)
  const payment: Payment = {
    id: world.chance.id('pay'),
    link_id: link.id,
    order_id: order.id,
    amount,
    currency: link.currency,
    status: 'created',
    method: request.method,
    captured: false,
    amount_refunded: 0,
    ...instrumentOf(world.chance, request.method, request.outcome === 'failure'),
    ...request.instrument,
    email: request.email || (link.customer['email'] ?? null),
    contact: request.contact || (link.customer['contact'] ?? null),
    notes: link.notes,
    fee: null,
    tax: null,
    error: null,
    created_at: world.clock.now(),
    planned: null,
    settlement_id: null,
  }
  return { link, order, payment }
}

function isPartTaken(link: Link, amount: number, amountDue: number): boolean {
  const least = link.amount_paid === 0 ? link.first_min_partial_amount : 1
  return link.accept_partial && amount < amountDue && amount >= least
}

function keep(world: World, link: Link, payment: Payment): Paid {
  record(world, [['payment', payment]], [])
  return { link, payment }
}

function fail(world: World, order: Order, attempted: Payment): Paid {
  const planned = attempted.planned?.to === 'captured' ? attempted.planned : null
  const payment: Payment = { ...attempted, status: 'failed', planned }
  const changes: Change[] = [
    ['payment', payment],
    ['order', { ...order, attempts: order.attempts + 1, status: order.status === 'paid' ? 'paid' : 'attempted' }],
  ]
  record(world, changes, [{ event: 'payment.failed', payment }])
  return { link: linkOf(world, payment), payment }
}

function authorize(world: World, link: Link, attempted: Payment): Paid {
  const at_ms = world.clock.nowMs() + UNCAPTURED_AFTER_S * 1000
  const payment: Payment = { ...authorized(world, attempted), planned: { at_ms, to: 'refunded' } }
  record(world, [['payment', payment]], [{ event: 'payment.authorized', payment }])
  return { link, payment }
}

/**
 * The bank said yes. An order takes one full payment: what comes after it is sent back at once, unless it is to be kept.
 * A link that expired or was cancelled meanwhile keeps its status, yet lists the money.
 */
function capture(world: World, attempted: Payment, isSecondKept = false): Paid {
  const link = linkOf(world, attempted)
  const order = orderOf(world, attempted)
  const before = authorized(world, attempted)
  const told: NewEvent[] = attempted.status === 'authorized' ? [] : [{ event: 'payment.authorized', payment: before }]
  const isSecond = order.status === 'paid'
  if (isSecond && !isSecondKept) return sendBack(world, link, before, told)

  const payment: Payment = { ...before, status: 'captured', captured: true, ...feeOf(before.amount) }
  const orderPaid = order.amount_paid + payment.amount
  const isWhole = orderPaid >= order.amount
  const paidOrder: Order = {
    ...order,
    amount_paid: orderPaid,
    status: isWhole ? 'paid' : 'attempted',
    attempts: attempted.status === 'failed' ? order.attempts : order.attempts + 1,
  }
  const paidLink = withPayment(world, link, payment, isWhole)
  const events: NewEvent[] = [...told, { event: 'payment.captured', payment }]
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
  record(world, changes, events)
  return { link: paidLink, payment }
}

function authorized(world: World, payment: Payment): Payment {
  if (payment.status === 'authorized') return { ...payment, planned: null }
  return { ...payment, status: 'authorized', error: null, planned: null, acquirer_data: acquirerData(world.chance, payment.method) }
}

function withPayment(world: World, link: Link, payment: Payment, isWhole: boolean): Link {
  const now = world.clock.now()
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

/** Money that is not captured goes back at once: `captured` stays false, by which its events are known. */
function sendBack(world: World, link: Link, before: Payment, told: readonly NewEvent[] = []): Paid {
  const payment: Payment = { ...before, status: 'refunded', planned: null, amount_refunded: before.amount }
  const { refund, events } = newRefund(world, payment, { amount: payment.amount }, { to: 'processed', afterSeconds: 0 })
  const changes: Change[] = [
    ['payment', payment],
    ['refund', refund],
  ]
  record(world, changes, [...told, ...events])
  return { link, payment }
}

function linkOf(world: World, payment: Payment): Link {
  const link = world.store.get('link', payment.link_id)
  if (!link) throw new Error(`payment link ${payment.link_id} is missing`)
  return link
}

function orderOf(world: World, payment: Payment): Order {
  const order = world.store.get('order', payment.order_id)
  if (!order) throw new Error(`order ${payment.order_id} is missing`)
  return order
}
