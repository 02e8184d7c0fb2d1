import { commitChanges, type SandboxContext } from '../context.ts'
import { endDispute, raiseDispute } from '../disputes.ts'
import type { Order, Payment } from '../entities.ts'
import { ownTexts, ProviderError, providerTexts } from '../errors.ts'
import type { NewEvent } from '../events.ts'
import { acquirerData, feeOf, succeedingVpa } from '../instruments.ts'
import { newRefund } from '../refunds.ts'
import { debitFailure } from './debit-failures.ts'
import type { MandatePayment, Token } from './entities.ts'
import type { DebitInput } from './input.ts'
import type { NextDebit } from './next-outcomes.ts'
import { reasonAgainstDebit } from './tokens.ts'
import { enachResultMs, nextUpiWindow } from './working-days.ts'

const hourSeconds = 60 * 60
/** A UPI debit follows its notification by a day at least. */
const noticeSeconds = 24 * hourSeconds
/** Without the merchant's notification the provider announces, and debits after 25 hours. */
const ownNoticeMs = 25 * hourSeconds * 1000
/** Default time from a failure to its late success, and from a success to its return. */
const afterwardsSeconds = { late_success: 6 * hourSeconds, success_then_return: 24 * hourSeconds, success: 0, failure: 0 }

const usualDebit: NextDebit = { outcome: 'success', reason: null, receipt: null, delaySeconds: 0, afterwardsSeconds: null, amount: null }

/** Takes a recurring payment; its outcome is known later. */
export function createDebit(context: SandboxContext, input: DebitInput): Payment {
  const { order, token } = targetOf(context, input)
  const ordered = context.nextOutcomes.takeDebit(order.receipt) ?? usualDebit
  const isUpi = token.terms.method === 'upi'
  // The bank decides an eMandate's debit when it is presented, a UPI debit when it runs.
  const against = isUpi ? null : reasonAgainstDebit(token, context.clock.now())
  const { outcome } = against === null ? ordered : { outcome: 'failure' as const }
  const isCaptured = outcome === 'success' || outcome === 'success_then_return'
  const payment: Payment = {
    id: context.chance.id('pay'),
    link_id: '',
    order_id: order.id,
    amount: ordered.amount ?? order.amount,
    currency: order.currency,
    status: 'created',
    method: token.terms.method,
    captured: false,
    amount_refunded: 0,
    vpa: isUpi ? succeedingVpa : null,
    bank: token.terms.bank_account?.ifsc.slice(0, 4) ?? null,
    wallet: null,
    card: null,
    email: input.email,
    contact: input.contact,
    notes: input.notes,
    fee: null,
    tax: null,
    error: null,
    acquirer_data: isUpi ? { rrn: null } : {},
    created_at: context.clock.now(),
    planned: { at_ms: answerMs(context, order, isUpi) + ordered.delaySeconds * 1000, to: isCaptured ? 'captured' : 'failed' },
    settlement_id: null,
    mandate: {
      customer_id: token.customer_id,
      token_id: token.id,
      invoice_id: null,
      description: input.description || null,
      outcome,
      reason: against ?? ordered.reason,
      afterwards_s: ordered.afterwardsSeconds ?? afterwardsSeconds[outcome],
    },
  }
  const attempted: Order = { ...order, status: 'attempted', attempts: order.attempts + 1 }
  commitChanges(
    context,
    [
      ['payment', payment],
      ['order', attempted],
      ['token', { ...token, used_at: context.clock.now() }],
    ],
    [],
  )
  return payment
}

function targetOf({ store }: SandboxContext, input: DebitInput): { order: Order; token: Token } {
  const [order, token, customer] = [
    store.get('order', input.order_id),
    store.get('token', input.token),
    store.get('customer', input.customer_id),
  ]
  if (!order || !token || !customer || token.is_deleted) throw new ProviderError(providerTexts.unknownId)
  if (token.customer_id !== customer.id) throw new ProviderError(ownTexts.tokenCustomer, 'customer_id')
  if (input.amount > token.terms.max_amount) throw new ProviderError(providerTexts.debitMax, 'amount')
  if (input.amount !== order.amount) throw new ProviderError(ownTexts.orderAmount, 'amount')
  if (order.status === 'paid') throw new ProviderError(ownTexts.orderPaid, 'order_id')
  return { order, token }
}

/** When the outcome of a debit that is asked for now is known. */
function answerMs({ clock, config, holidays }: SandboxContext, order: Order, isUpi: boolean): number {
  const nowMs = clock.nowMs()
  if (!isUpi) return enachResultMs(holidays, nowMs)
  const allowedMs = order.notification === undefined ? nowMs + ownNoticeMs : Math.max(nowMs, order.notification.payment_after * 1000)
  return nextUpiWindow(allowedMs) + config.debitSeconds * 1000
}

/** Applies the planned change of the payment of a registration or a debit. */
export function applyMandatePaymentChange(context: SandboxContext, payment: Payment, mandate: MandatePayment): void {
  switch (payment.planned?.to) {
    case 'captured':
      return payment.status === 'failed' ? capture(context, payment, mandate) : captureIfAllowed(context, payment, mandate)
    case 'failed':
      return fail(context, payment, mandate, reasonOfFailure(context, payment, mandate))
    case 'refunded':
      return refundRegistration(context, payment)
    case 'returned':
      return returnToCustomer(context, payment)
    default:
  }
}

function captureIfAllowed(context: SandboxContext, payment: Payment, mandate: MandatePayment): void {
  const against = reasonAgainst(context, payment, mandate)
  if (against === null) capture(context, payment, mandate)
  else fail(context, payment, { ...mandate, outcome: 'failure' }, against)
}

/** Why a UPI debit cannot run; null when it can, and for an eMandate, presented before. */
function reasonAgainst(context: SandboxContext, payment: Payment, mandate: MandatePayment): string | null {
  if (payment.method !== 'upi') return null
  const now = Math.floor(momentMs(context, payment) / 1000)
  const token = context.store.get('token', mandate.token_id)
  const notification = orderOf(context, payment).notification
  const isUnannounced =
    notification !== undefined && (notification.delivered_at === null || now < notification.delivered_at + noticeSeconds)
  return (token ? reasonAgainstDebit(token, now) : 'invalid_token') ?? (isUnannounced ? 'pre_debit_notification_failed' : null)
}

function reasonOfFailure(context: SandboxContext, payment: Payment, mandate: MandatePayment): string {
  const usual = mandate.outcome === 'late_success' ? 'payment_timed_out' : 'insufficient_funds'
  return mandate.reason ?? reasonAgainst(context, payment, mandate) ?? usual
}

function fail(context: SandboxContext, attempted: Payment, mandate: MandatePayment, reason: string): void {
  const at_ms = momentMs(context, attempted) + mandate.afterwards_s * 1000
  const planned = mandate.outcome === 'late_success' ? ({ at_ms, to: 'captured' } as const) : null
  const payment: Payment = { ...attempted, status: 'failed', error: debitFailure(reason), planned }
  commitChanges(context, [['payment', payment]], [{ event: 'payment.failed', payment }])
}

/** Captures a debit. An order takes one payment; a later one is refunded at once. */
function capture(context: SandboxContext, attempted: Payment, mandate: MandatePayment): void {
  const order = orderOf(context, attempted)
  const acquirer_data = attempted.method === 'upi' ? acquirerData(context.chance, 'upi') : {}
  const approved: Payment = { ...attempted, error: null, planned: null, acquirer_data }
  if (order.status === 'paid') return refundSecond(context, approved)
  const at_ms = momentMs(context, attempted) + mandate.afterwards_s * 1000
  const payment: Payment = {
    ...approved,
    status: 'captured',
    captured: true,
    ...feeOf(approved.amount),
    planned: mandate.outcome === 'success_then_return' ? { at_ms, to: 'returned' } : null,
  }
  const paid: Order = { ...order, status: 'paid', amount_paid: payment.amount }
  const events: NewEvent[] = [
    { event: 'payment.captured', payment },
    { event: 'order.paid', order: paid, payment },
  ]
  commitChanges(
    context,
    [
      ['payment', payment],
      ['order', paid],
    ],
    events,
  )
}

function refundSecond(context: SandboxContext, approved: Payment): void {
  const payment: Payment = { ...approved, status: 'refunded', amount_refunded: approved.amount }
  const { refund, events } = newRefund(context, payment, { amount: payment.amount }, { to: 'processed', afterSeconds: 0 })
  commitChanges(
    context,
    [
      ['payment', payment],
      ['refund', refund],
    ],
    events,
  )
}

/** The provider sends the ₹1 of a UPI registration back, unless the merchant has done so. */
function refundRegistration(context: SandboxContext, payment: Payment): void {
  const amount = payment.amount - payment.amount_refunded
  const refunded: Payment = { ...payment, planned: null, status: 'refunded', amount_refunded: payment.amount }
  if (amount === 0) return commitChanges(context, [['payment', refunded]], [])
  const course = { to: 'processed', afterSeconds: context.config.refundSeconds } as const
  const { refund, events } = newRefund(context, refunded, { amount }, course)
  commitChanges(
    context,
    [
      ['payment', refunded],
      ['refund', refund],
    ],
    events,
  )
}

/** The bank takes a captured debit back: a dispute that is lost at once. */
function returnToCustomer(context: SandboxContext, payment: Payment): void {
  const captured: Payment = { ...payment, planned: null }
  commitChanges(context, [['payment', captured]], [])
  const dispute = raiseDispute(context, captured, captured.amount, 'debit_returned')
  endDispute(context, dispute, 'lost')
}

/** The planned moment: the clock may have been moved far beyond it in one step. */
function momentMs({ clock }: SandboxContext, { planned }: Payment): number {
  return planned?.at_ms ?? clock.nowMs()
}

function orderOf(context: SandboxContext, { order_id }: Payment): Order {
  const order = context.store.get('order', order_id)
  if (!order) throw new Error(`order ${order_id} is missing`)
  return order
}
