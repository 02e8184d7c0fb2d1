import type { Change, Dispute, Payment } from './entities.ts'
import { newAdjustment } from './settlements.ts'
import { commitChanges, type SandboxContext } from './context.ts'

/** Days for the merchant's answer. */
const respondWithinSeconds = 7 * 24 * 60 * 60

/** The dispute cannot be raised, or has already ended. */
export class NotDisputable extends Error {}

/** The customer's bank demands a captured payment back. */
export function raiseDispute(
  context: SandboxContext,
  payment: Payment,
  amount: number,
  reason_code = 'goods_or_services_not_provided',
): Dispute {
  if (!payment.captured) throw new NotDisputable(`the payment is ${payment.status}`)
  if (amount > payment.amount) throw new NotDisputable('a dispute cannot be about more than was paid')
  const now = context.clock.now()
  const dispute: Dispute = {
    id: context.chance.id('disp'),
    payment_id: payment.id,
    amount,
    currency: payment.currency,
    amount_deducted: 0,
    reason_code,
    respond_by: now + respondWithinSeconds,
    status: 'open',
    created_at: now,
  }
  commitChanges(context, [['dispute', dispute]], [{ event: 'payment.dispute.created', dispute, payment }])
  return dispute
}

/** Ends a dispute; a lost one takes its amount from the merchant's next settlement. */
export function endDispute(context: SandboxContext, dispute: Dispute, status: 'won' | 'lost'): Dispute {
  const payment = context.store.get('payment', dispute.payment_id)
  if (!payment) throw new Error(`payment ${dispute.payment_id} is missing`)
  if (dispute.status !== 'open') throw new NotDisputable(`the dispute is ${dispute.status}`)
  const isLost = status === 'lost'
  const ended: Dispute = { ...dispute, status, amount_deducted: isLost ? dispute.amount : 0 }
  const changes: Change[] = [['dispute', ended]]
  if (isLost) changes.push(['adjustment', newAdjustment(context, -dispute.amount, `Debit for dispute ${dispute.id}`, dispute.id)])
  commitChanges(context, changes, [{ event: `payment.dispute.${status}`, dispute: ended, payment }])
  return ended
}
