import { createHash } from 'node:crypto'
import type { Change, Notes, Payment, Refund } from './entities.ts'
import { OWN_TEXT, ProviderError } from './errors.ts'
import { newId, newRrn } from './ids.ts'
import { amountOf, notesOf, onlyFields, type Body } from './link-input.ts'
import { record, type World } from './world.ts'

type RefundInput = {
  readonly amount: number
  readonly speed?: string
  readonly receipt?: string | null
  readonly notes?: Notes | null
  readonly idempotencyKey?: string | null
  readonly requestHash?: string
}

/** A refund that the bank has already processed: test mode does not make one wait. */
export function newRefund(world: World, payment: Payment, input: RefundInput): Refund {
  return {
    id: newId('rfnd'),
    payment_id: payment.id,
    link_id: payment.link_id,
    amount: input.amount,
    currency: payment.currency,
    status: 'processed',
    speed: input.speed ?? 'normal',
    receipt: input.receipt ?? null,
    notes: input.notes ?? null,
    acquirer_data: payment.method === 'card' ? { arn: newRrn() } : { rrn: newRrn() },
    created_at: world.clock.now(),
    idempotency_key: input.idempotencyKey ?? null,
    request_hash: input.requestHash ?? '',
  }
}

/**
 * Refunds a captured payment, whole or in part. The same idempotency key with the same body answers
 * the first refund again; with another body 409.
 */
export function refundPayment(world: World, payment: Payment, body: Body, key: string | null): Refund {
  onlyFields(body, ['amount', 'speed', 'receipt', 'notes'])
  const requestHash = createHash('sha256')
    .update(JSON.stringify([payment.id, body]))
    .digest('hex')
  if (key !== null) {
    if (!/^[A-Za-z0-9_-]{10,}$/.test(key)) throw new ProviderError(OWN_TEXT.refundKey)
    const earlier = world.store.all('refund').find((refund) => refund.idempotency_key === key)
    if (earlier && earlier.request_hash !== requestHash) {
      throw new ProviderError(OWN_TEXT.refundConflict, null, 409)
    }
    if (earlier) return earlier
  }
  if (!payment.captured) throw new ProviderError(OWN_TEXT.refundState)
  const left = payment.amount - payment.amount_refunded
  if (left === 0) throw new ProviderError(OWN_TEXT.refundFull)
  const amount = body['amount'] === undefined ? left : amountOf(body['amount'], payment.amount)
  if (amount > left) throw new ProviderError(OWN_TEXT.refundAmount, 'amount')
  const refund = newRefund(world, payment, {
    amount,
    speed: body['speed'] === 'optimum' ? 'optimum' : 'normal',
    receipt: typeof body['receipt'] === 'string' ? body['receipt'] : null,
    notes: notesOf(body['notes']),
    idempotencyKey: key,
    requestHash,
  })
  const refunded: Payment = {
    ...payment,
    amount_refunded: payment.amount_refunded + amount,
    status: amount === left ? 'refunded' : 'captured',
  }
  const changes: Change[] = [
    ['payment', refunded],
    ['refund', refund],
  ]
  record(world, changes, [
    { event: 'refund.created', refund: { ...refund, status: 'pending' }, payment: refunded },
    { event: 'refund.processed', refund, payment: refunded },
  ])
  return refund
}
