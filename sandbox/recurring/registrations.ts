import { commitChanges, type SandboxContext } from '../context.ts'
import type { Order, Payment } from '../entities.ts'
import { ownTexts, ProviderError } from '../errors.ts'
import type { NewEvent } from '../events.ts'
import { acquirerData, succeedingVpa } from '../instruments.ts'
import { createCustomer } from './customers.ts'
import { debitFailure } from './debit-failures.ts'
import type { Registration, Token } from './entities.ts'
import type { RegistrationInput } from './input.ts'
import { newToken } from './tokens.ts'
import { reportAfterWorkingDays } from './working-days.ts'

/** The provider refunds the ₹1 of a UPI registration by itself, about a minute later. */
const refundAfterMs = 60 * 1000

/** Thrown when a registration link can no longer be answered. */
export class NotOpen extends Error {}

/** Creates a registration link with its order and, if there is none, its customer. */
export function createRegistration(context: SandboxContext, input: RegistrationInput): Registration {
  const { name, email, contact, receipt, amount, currency, terms } = input
  const customer = createCustomer(context, { name, email, contact, gstin: null, notes: null }, true)
  const created_at = context.clock.now()
  const order: Order = {
    id: context.chance.id('order'),
    link_id: '',
    amount,
    amount_paid: 0,
    currency,
    receipt,
    status: 'created',
    attempts: 0,
    notes: input.notes,
    created_at,
    terms,
  }
  const registration: Registration = {
    ...input,
    id: context.chance.id('inv'),
    slug: context.chance.text(8),
    order_id: order.id,
    customer_id: customer.id,
    status: 'issued',
    payment_id: null,
    paid_at: null,
    cancelled_at: null,
    expired_at: null,
    created_at,
  }
  commitChanges(
    context,
    [
      ['order', order],
      ['registration', registration],
    ],
    [],
  )
  return registration
}

/** By the clock: the sweep marks a link as expired a little later. */
export function isOpenRegistration(context: SandboxContext, { status, expire_by }: Registration): boolean {
  return status === 'issued' && (expire_by === null || context.clock.now() < expire_by)
}

export function cancelRegistration(context: SandboxContext, registration: Registration): Registration {
  if (registration.status !== 'issued') throw new ProviderError(ownTexts.invoiceState(registration.status))
  const cancelled: Registration = { ...registration, status: 'cancelled', cancelled_at: context.clock.now() }
  commitChanges(context, [['registration', cancelled]], [])
  return cancelled
}

export function expireRegistration(context: SandboxContext, registration: Registration): void {
  const expired: Registration = { ...registration, status: 'expired', expired_at: context.clock.now() }
  commitChanges(context, [['registration', expired]], [{ event: 'invoice.expired', registration: expired }])
}

/**
 * The customer approves. A UPI mandate is confirmed at once; the bank confirms an eMandate on the
 * next working day, or rejects it then for `rejection`.
 */
export function approveRegistration(context: SandboxContext, asked: Registration, rejection: string | null = null): Token {
  const { registration, order } = openOf(context, asked)
  const isUpi = registration.terms.method === 'upi'
  const initiated = newToken(context, registration)
  const reportMs = reportAfterWorkingDays(context.holidays, context.clock.nowMs(), 1)
  const token: Token = isUpi
    ? { ...initiated, status: 'confirmed' }
    : { ...initiated, failure_reason: rejection, planned: { at_ms: reportMs, to: rejection === null ? 'confirmed' : 'rejected' } }
  const attempted = attemptOf(context, registration, token)
  const authorized: Payment = { ...attempted, status: 'authorized', acquirer_data: isUpi ? acquirerData(context.chance, 'upi') : {} }
  const refundAtMs = context.clock.nowMs() + refundAfterMs
  const payment: Payment = {
    ...authorized,
    status: 'captured',
    captured: true,
    fee: 0,
    tax: 0,
    planned: isUpi ? { at_ms: refundAtMs, to: 'refunded' } : null,
  }
  const paidOrder: Order = { ...order, status: 'paid', amount_paid: order.amount, attempts: order.attempts + 1 }
  const paid: Registration = { ...registration, status: 'paid', payment_id: payment.id, paid_at: context.clock.now() }
  const events: NewEvent[] = [
    { event: 'payment.authorized', payment: authorized },
    { event: 'payment.captured', payment },
    { event: 'order.paid', order: paidOrder, payment },
    { event: 'invoice.paid', registration: paid, order: paidOrder, payment },
  ]
  commitChanges(
    context,
    [
      ['token', token],
      ['payment', payment],
      ['order', paidOrder],
      ['registration', paid],
    ],
    isUpi ? [{ event: 'token.confirmed', token }, ...events] : events,
  )
  return token
}

/** The customer declines in the app or on the bank's page. The link stays open for another try. */
export function declineRegistration(context: SandboxContext, asked: Registration, reason?: string): Token {
  const { registration, order } = openOf(context, asked)
  const usual = registration.terms.method === 'upi' ? 'payment_declined' : 'payment_cancelled'
  const error = debitFailure(reason ?? usual)
  const token: Token = { ...newToken(context, registration), status: 'rejected', failure_reason: error.description }
  const payment: Payment = { ...attemptOf(context, registration, token), status: 'failed', error }
  const attempted: Order = { ...order, status: 'attempted', attempts: order.attempts + 1 }
  commitChanges(
    context,
    [
      ['token', token],
      ['payment', payment],
      ['order', attempted],
    ],
    [
      { event: 'token.rejected', token },
      { event: 'payment.failed', payment },
    ],
  )
  return token
}

function openOf(context: SandboxContext, asked: Registration): { registration: Registration; order: Order } {
  const registration = context.store.get('registration', asked.id) ?? asked
  const order = context.store.get('order', registration.order_id)
  if (!order) throw new Error(`order ${registration.order_id} is missing`)
  if (!isOpenRegistration(context, registration)) throw new NotOpen(`registration link is ${registration.status}`)
  return { registration, order }
}

function attemptOf(context: SandboxContext, registration: Registration, token: Token): Payment {
  const { terms, email, contact } = registration
  return {
    id: context.chance.id('pay'),
    link_id: '',
    order_id: registration.order_id,
    amount: registration.amount,
    currency: registration.currency,
    status: 'created',
    method: terms.method,
    captured: false,
    amount_refunded: 0,
    vpa: terms.method === 'upi' ? succeedingVpa : null,
    bank: terms.bank_account?.ifsc.slice(0, 4) ?? null,
    wallet: null,
    card: null,
    email,
    contact,
    notes: registration.notes,
    fee: null,
    tax: null,
    error: null,
    acquirer_data: {},
    created_at: context.clock.now(),
    planned: null,
    settlement_id: null,
    mandate: {
      customer_id: registration.customer_id,
      token_id: token.id,
      invoice_id: registration.id,
      description: `Invoice #${registration.id}`,
      outcome: 'success',
      reason: null,
      afterwards_s: 0,
    },
  }
}
