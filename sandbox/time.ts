import type { Link, Order, Payment, Refund } from './entities.ts'
import { expireLink } from './links.ts'
import { applyPlannedChange } from './payments.ts'
import { applyMandatePaymentChange } from './recurring/debits.ts'
import type { Registration, Token } from './recurring/entities.ts'
import { applyNotificationOutcome } from './recurring/orders.ts'
import { expireRegistration } from './recurring/registrations.ts'
import { applyTokenChange } from './recurring/tokens.ts'
import { endRefund } from './refunds.ts'
import type { Due } from './store.ts'
import type { SandboxContext } from './context.ts'

/**
 * Processes everything that is due; called a few times a second and whenever the clock is moved.
 */
export function processElapsedTime(context: SandboxContext): void {
  const { store, clock } = context
  for (let due = store.takeDue(clock.nowMs()); due; due = store.takeDue(clock.nowMs())) {
    try {
      processDue(context, due)
    } catch (error) {
      store.returnDue(due)
      throw error
    }
  }
  context.deliverer.sendDue()
}

function processDue(context: SandboxContext, { kind, id }: Due): void {
  const record = context.store.get(kind, id)
  if (kind === 'link') expireLink(context, record as Link)
  if (kind === 'payment') applyPaymentChange(context, record as Payment)
  if (kind === 'refund') endRefund(context, record as Refund, (record as Refund).planned?.to ?? 'processed')
  if (kind === 'order') applyNotificationOutcome(context, record as Order)
  if (kind === 'token') applyTokenChange(context, record as Token)
  if (kind === 'registration') expireRegistration(context, record as Registration)
}

function applyPaymentChange(context: SandboxContext, payment: Payment): void {
  if (payment.mandate === undefined) applyPlannedChange(context, payment)
  else applyMandatePaymentChange(context, payment, payment.mandate)
}
