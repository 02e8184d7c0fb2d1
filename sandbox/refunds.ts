import { createHash } from 'node:crypto'
import type { Change, Notes, Payment, Refund } from './entities.ts'
import { OWN_TEXT, ProviderError, TEXT } from './errors.ts'
import type { NewEvent } from './events.ts'
import { amountOf, notesOf, onlyFields, text, type Body } from './link-input.ts'
import { record, type World } from './world.ts'

/** Half a year, counted as a link's longest life is: an older payment cannot be refunded. */
const REFUNDABLE_S = 184 * 24 * 60 * 60

/** What a refund does after it was taken in. */
export type RefundCourse = {
  readonly to: 'processed' | 'failed'
  /** Sandbox seconds until then; 0 is at once. */
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

/** A refund as it is taken in, and the events of it. */
export function newRefund(
  world: World,
  payment: Payment,
  input: RefundInput,
  course: RefundCourse,
): { refund: Refund; events: NewEvent[] } {
  // A failure is only ever heard of later.
  const isAtOnce = course.to === 'processed' && course.afterSeconds === 0
  const pending: Refund = {
    id: world.chance.id('rfnd'),
    payment_id: payment.id,
    link_id: payment.link_id,
    amount: input.amount,
    currency: payment.currency,
    status: 'pending',
    speed: input.speed ?? 'normal',
    receipt: input.receipt ?? null,
    notes: input.notes ?? null,
    acquirer_data: { [referenceNameOf(payment)]: null },
    created_at: world.clock.now(),
    idempotency_key: input.idempotencyKey ?? null,
    request_hash: input.requestHash ?? '',
    answered_status: isAtOnce ? 'processed' : 'pending',
    planned: isAtOnce ? null : { at_ms: world.clock.nowMs() + course.afterSeconds * 1000, to: course.to },
    from_balance: payment.captured,
    settlement_id: null,
  }
  const created: NewEvent = { event: 'refund.created', refund: pending, payment }
  if (!isAtOnce) return { refund: pending, events: [created] }
  const refund = ended(world, pending, payment, 'processed')
  return { refund, events: [created, { event: 'refund.processed', refund, payment }] }
}

/**
 * Refunds a captured payment, whole or in part. The same idempotency key with the same body answers the first refund
 * again; with another body 409. A refused request is not remembered under its key.
 */
export function refundPayment(world: World, payment: Payment, body: Body, key: string | null, course: RefundCourse): Refund {
  onlyFields(body, ['amount', 'speed', 'receipt', 'notes'])
  const requestHash = createHash('sha256')
    .update(JSON.stringify([payment.id, body]))
    .digest('hex')
  if (key !== null) {
    if (!/^[A-Za-z0-9_-]{10,}$/.test(key)) throw new ProviderError(OWN_TEXT.refundKey)
    const earlier = world.store.refundByKey(key)
    if (earlier && earlier.request_hash !== requestHash) throw new ProviderError(TEXT.refundConflict, null, 409)
    if (earlier) return firstAnswer(earlier)
  }
  if (!payment.captured) throw new ProviderError(OWN_TEXT.refundState)
  if (payment.created_at + REFUNDABLE_S < world.clock.now()) throw new ProviderError(OWN_TEXT.refundOld)
  const left = payment.amount - payment.amount_refunded
  if (left === 0) throw new ProviderError(OWN_TEXT.refundFull)
  const amount = body['amount'] === undefined ? left : amountOf(body['amount'], Number.MAX_SAFE_INTEGER)
  if (amount > left) throw new ProviderError(OWN_TEXT.refundAmount, 'amount')
  if (amount > balanceOf(world)) throw new ProviderError(OWN_TEXT.refundBalance)
  const refunded = withRefunded(payment, payment.amount_refunded + amount)
  const input: RefundInput = {
    amount,
    speed: body['speed'] === 'optimum' ? 'optimum' : 'normal',
    receipt: text(body, 'receipt', 40) || null,
    notes: notesOf(body['notes']),
    idempotencyKey: key,
    requestHash,
  }
  const { refund, events } = newRefund(world, refunded, input, course)
  const changes: Change[] = [
    ['payment', refunded],
    ['refund', refund],
  ]
  record(world, changes, events)
  return refund
}

/** Money the merchant has with the provider, paise. */
export function balanceOf(world: World): number {
  return world.config.balancePaise + world.store.balance
}

/** Ends a pending refund; a failed one gives its amount back to the payment. */
export function endRefund(world: World, refund: Refund, to: 'processed' | 'failed'): Refund {
  const payment = world.store.get('payment', refund.payment_id)
  if (!payment) throw new Error(`payment ${refund.payment_id} is missing`)
  const done = ended(world, refund, payment, to)
  const after = to === 'failed' ? withRefunded(payment, payment.amount_refunded - refund.amount) : payment
  const changes: Change[] = [
    ['refund', done],
    ['payment', after],
  ]
  record(world, changes, [{ event: `refund.${to}`, refund: done, payment: after }])
  return done
}

function ended(world: World, refund: Refund, payment: Payment, to: 'processed' | 'failed'): Refund {
  const reference = to === 'processed' ? world.chance.rrn() : null
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
