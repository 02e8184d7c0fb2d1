import { createHash } from 'node:crypto'
import type { Change, Notes, Payment, Refund } from './entities.ts'
import { ownTexts, ProviderError, providerTexts } from './errors.ts'
import type { NewEvent } from './events.ts'
import { amountOf, notesOf, onlyFields, text, type Body } from './link-input.ts'
import { commitChanges, type SandboxContext } from './context.ts'

/** An older payment cannot be refunded: half a year, counted as for links. */
const refundableSeconds = 184 * 24 * 60 * 60

/** What happens to a refund after it is accepted. */
export type RefundCourse = {
  readonly to: 'processed' | 'failed'
  /** Sandbox seconds until it ends; 0 means at once. */
  readonly afterSeconds: number
}

type RefundInput = {
  readonly amount: number
  readonly speed?: string
  readonly receipt?: string | null
  readonly notes?: Notes | null
  readonly idempotencyKey?: string | null
  readonly requestHash?: string
}

/** A refund as it is accepted, and its events. */
export function newRefund(
  context: SandboxContext,
  payment: Payment,
  input: RefundInput,
  course: RefundCourse,
): { refund: Refund; events: NewEvent[] } {
  // The provider reports a failed refund only later, never in the answer.
  const isAtOnce = course.to === 'processed' && course.afterSeconds === 0
  const pending: Refund = {
    id: context.chance.id('rfnd'),
    payment_id: payment.id,
    link_id: payment.link_id,
    amount: input.amount,
    currency: payment.currency,
    status: 'pending',
    speed: input.speed ?? 'normal',
    receipt: input.receipt ?? null,
    notes: input.notes ?? null,
    acquirer_data: { [referenceNameOf(payment)]: null },
    created_at: context.clock.now(),
    idempotency_key: input.idempotencyKey ?? null,
    request_hash: input.requestHash ?? '',
    answered_status: isAtOnce ? 'processed' : 'pending',
    planned: isAtOnce ? null : { at_ms: context.clock.nowMs() + course.afterSeconds * 1000, to: course.to },
    from_balance: payment.captured,
    settlement_id: null,
  }
  const created: NewEvent = { event: 'refund.created', refund: pending, payment }
  if (!isAtOnce) return { refund: pending, events: [created] }
  const refund = ended(context, pending, payment, 'processed')
  return { refund, events: [created, { event: 'refund.processed', refund, payment }] }
}

/**
 * Refunds a captured payment, whole or in part. The same idempotency key with the same body answers
 * the first refund again; with another body 409. A refused request is not remembered under its key.
 */
export function refundPayment(context: SandboxContext, payment: Payment, body: Body, key: string | null, course: RefundCourse): Refund {
  onlyFields(body, ['amount', 'speed', 'receipt', 'notes'])
  const requestHash = createHash('sha256')
    .update(JSON.stringify([payment.id, body]))
    .digest('hex')
  if (key !== null) {
    if (!/^[A-Za-z0-9_-]{10,}$/.test(key)) throw new ProviderError(ownTexts.refundKey)
    const earlier = context.store.refundByKey(key)
    if (earlier && earlier.request_hash !== requestHash) throw new ProviderError(providerTexts.refundConflict, null, 409)
    if (earlier) return firstAnswer(earlier)
  }
  if (!payment.captured) throw new ProviderError(ownTexts.refundState)
  if (payment.created_at + refundableSeconds < context.clock.now()) throw new ProviderError(ownTexts.refundOld)
  const left = payment.amount - payment.amount_refunded
  if (left === 0) throw new ProviderError(ownTexts.refundFull)
  const amount = body['amount'] === undefined ? left : amountOf(body['amount'], Number.MAX_SAFE_INTEGER)
  if (amount > left) throw new ProviderError(ownTexts.refundAmount, 'amount')
  if (amount > balanceOf(context)) throw new ProviderError(ownTexts.refundBalance)
  const refunded = withRefunded(payment, payment.amount_refunded + amount)
  const input: RefundInput = {
    amount,
    speed: body['speed'] === 'optimum' ? 'optimum' : 'normal',
    receipt: text(body, 'receipt', 40) || null,
    notes: notesOf(body['notes']),
    idempotencyKey: key,
    requestHash,
  }
  const { refund, events } = newRefund(context, refunded, input, course)
  const changes: Change[] = [
    ['payment', refunded],
    ['refund', refund],
  ]
  commitChanges(context, changes, events)
  return refund
}

/** The merchant's balance at the provider, paise. */
export function balanceOf(context: SandboxContext): number {
  return context.config.balancePaise + context.store.balance
}

/** Ends a pending refund; a failed one gives its amount back to the payment. */
export function endRefund(context: SandboxContext, refund: Refund, to: 'processed' | 'failed'): Refund {
  const payment = context.store.get('payment', refund.payment_id)
  if (!payment) throw new Error(`payment ${refund.payment_id} is missing`)
  const done = ended(context, refund, payment, to)
  const after = to === 'failed' ? withRefunded(payment, payment.amount_refunded - refund.amount) : payment
  const changes: Change[] = [
    ['refund', done],
    ['payment', after],
  ]
  commitChanges(context, changes, [{ event: `refund.${to}`, refund: done, payment: after }])
  return done
}

function ended(context: SandboxContext, refund: Refund, payment: Payment, to: 'processed' | 'failed'): Refund {
  const reference = to === 'processed' ? context.chance.rrn() : null
  return { ...refund, status: to, planned: null, acquirer_data: { [referenceNameOf(payment)]: reference } }
}

/** A card's refund has an ARN; the others the bank's reference. */
function referenceNameOf(payment: Payment): string {
  if (payment.method === 'card') return 'arn'
  return payment.method === 'bank_transfer' ? 'utr' : 'rrn'
}

function withRefunded(payment: Payment, amount_refunded: number): Payment {
  return { ...payment, amount_refunded, status: amount_refunded === payment.amount ? 'refunded' : 'captured' }
}

function firstAnswer(refund: Refund): Refund {
  if (refund.answered_status === refund.status) return refund
  const unknown = Object.fromEntries(Object.keys(refund.acquirer_data).map((name) => [name, null]))
  return { ...refund, status: refund.answered_status, acquirer_data: unknown }
}
