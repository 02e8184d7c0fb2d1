import type { Change, Link, Method, Order, Payment, Refund } from './entities.ts'
import type { NewEvent } from './events.ts'
import { newId } from './ids.ts'
import { acquirerData, declined, feeOf, instrumentOf, TIMED_OUT, VPA_FAILURE, VPA_SUCCESS } from './instruments.ts'
import { isOpen, isPayable, openOrder } from './links.ts'
import { newRefund } from './refunds.ts'
import { record, type World } from './world.ts'

export const OUTCOMES = ['success', 'failure', 'late_success', 'success_no_redirect'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** One attempt to pay a link. */
export type PayRequest = {
  readonly method: Method
  readonly outcome: Outcome
  /** Paise; less than what is due only where the link accepts parts. */
  readonly amount?: number
  readonly vpa?: string
  /** Sandbox seconds until a late success arrives. */
  readonly afterSeconds?: number
}

/** Seconds until a late success arrives when nothing else is said. */
export const LATE_AFTER_S = 20

/** Thrown when the link's state does not let it be paid. */
export class NotPayable extends Error {}

/** Tries to pay a link. A late success is allowed in any state: the bank was asked before. */
export function payLink(world: World, asked: Link, request: PayRequest): { link: Link; payment: Payment } {
  const isLate = request.outcome === 'late_success'
  if (!isLate && !isPayable(world, asked)) throw new NotPayable(`payment link is ${asked.status}`)
  const amountDue = asked.amount - asked.amount_paid
  const amount = request.amount ?? (amountDue > 0 ? amountDue : asked.amount)
  const isPart = amount !== amountDue
  if (!isLate && isPart && !(asked.accept_partial && amount < amountDue)) {
    throw new NotPayable('payment link does not take this amount')
  }
  const { link, order } = openOrder(world, asked)
  const failedOutright = request.outcome === 'failure'
  const vpa = request.vpa ?? (failedOutright ? VPA_FAILURE : VPA_SUCCESS)
  const payment: Payment = {
    id: newId('pay'),
    link_id: link.id,
    order_id: order.id,
    amount,
    currency: link.currency,
    status: 'created',
    method: request.method,
    captured: false,
    amount_refunded: 0,
    ...instrumentOf(request.method, vpa),
    email: link.customer['email'] ?? null,
    contact: link.customer['contact'] ?? null,
    notes: link.notes,
    fee: null,
    tax: null,
    error: null,
    created_at: world.clock.now(),
    late_at_ms: null,
  }
  if (failedOutright) return fail(world, order, { ...payment, error: declined(request.method) })
  if (!isLate) return capture(world, payment)
  const waitMs = (request.afterSeconds ?? LATE_AFTER_S) * 1000
  return fail(world, order, {
    ...payment,
    error: TIMED_OUT,
    late_at_ms: world.clock.nowMs() + waitMs,
  })
}

/** Lets every late success whose time has come arrive: the same payment goes from failed on. */
export function settleLatePayments(world: World): void {
  const nowMs = world.clock.nowMs()
  for (const payment of world.store.all('payment')) {
    if (payment.late_at_ms !== null && payment.late_at_ms <= nowMs) capture(world, payment)
  }
}

function fail(world: World, order: Order, attempt: Payment): { link: Link; payment: Payment } {
  const payment: Payment = { ...attempt, status: 'failed' }
  const attempted: Order = {
    ...order,
    attempts: order.attempts + 1,
    status: order.status === 'paid' ? 'paid' : 'attempted',
  }
  const changes: Change[] = [
    ['payment', payment],
    ['order', attempted],
  ]
  record(world, changes, [{ event: 'payment.failed', payment }])
  return { link: linkOf(world, payment), payment }
}

/**
 * The bank said yes. An order takes one full payment: what comes after it is sent back at once.
 * A link that expired or was cancelled meanwhile keeps its status, yet lists the money.
 */
function capture(world: World, attempt: Payment): { link: Link; payment: Payment } {
  const link = linkOf(world, attempt)
  const order = world.store.get('order', attempt.order_id)
  if (!order) throw new Error(`order ${attempt.order_id} is missing`)
  const authorized: Payment = {
    ...attempt,
    status: 'authorized',
    error: null,
    late_at_ms: null,
    acquirer_data: acquirerData(attempt.method),
  }
  if (order.status === 'paid') return sendBack(world, link, authorized)

  const payment: Payment = { ...authorized, status: 'captured', captured: true, ...feeOf(authorized.amount) }
  const orderPaid = order.amount_paid + payment.amount
  const isWhole = orderPaid >= order.amount
  const paidOrder: Order = {
    ...order,
    amount_paid: orderPaid,
    status: isWhole ? 'paid' : 'attempted',
    attempts: attempt.status === 'failed' ? order.attempts : order.attempts + 1,
  }
  const paidLink = withPayment(world, link, payment, isWhole)
  const events: NewEvent[] = [
    { event: 'payment.authorized', payment: authorized },
    { event: 'payment.captured', payment },
  ]
  if (isWhole) events.push({ event: 'order.paid', order: paidOrder, payment })
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

function sendBack(world: World, link: Link, authorized: Payment): { link: Link; payment: Payment } {
  const payment: Payment = {
    ...authorized,
    status: 'refunded',
    captured: true,
    ...feeOf(authorized.amount),
    amount_refunded: authorized.amount,
  }
  const refund: Refund = newRefund(world, payment, { amount: payment.amount })
  const changes: Change[] = [
    ['payment', payment],
    ['refund', refund],
  ]
  record(world, changes, [
    { event: 'payment.authorized', payment: authorized },
    { event: 'refund.created', refund, payment },
    { event: 'refund.processed', refund, payment },
  ])
  return { link, payment }
}

function linkOf(world: World, payment: Payment): Link {
  const link = world.store.get('link', payment.link_id)
  if (!link) throw new Error(`payment link ${payment.link_id} is missing`)
  return link
}
