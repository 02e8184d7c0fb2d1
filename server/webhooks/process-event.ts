import type { Context } from '../context.ts'
import { findLinkKey, readLink } from '../payments/payment-store.ts'
import { isWatched, refreshLink } from '../payments/watch-link.ts'
import { finishEvent, noteEventFailure, type InboxRow } from './inbox-store.ts'

/** An event that is still open after this many tries, a day's worth of them, is kept for the operator and tried no more. */
const attemptsMax = 150

/**
 * Works on one stored event: whatever it says, the link is fetched from the provider and that is applied. So a forged,
 * repeated, late or reordered event can at most make us look once more.
 */
export async function processEvent(context: Context, event: InboxRow): Promise<void> {
  try {
    const outcome = await applyEvent(context, event)
    const ending = outcome === 'not_yet' && event.attempts >= attemptsMax ? 'dead' : outcome
    if (ending !== 'not_yet') await context.database.asSystem((sql) => finishEvent(sql, event, context.clock.now(), ending))
  } catch (error) {
    context.log.error({ err: error, event_id: event.event_id }, 'a webhook event could not be processed')
    await context.database.asSystem(async (sql) => {
      await noteEventFailure(sql, event, String(error))
      if (event.attempts >= attemptsMax) await finishEvent(sql, event, context.clock.now(), 'dead')
    })
  }
}

async function applyEvent(context: Context, event: InboxRow): Promise<'applied' | 'ignored' | 'not_yet'> {
  const { reference } = event
  if (reference === null) return 'ignored'
  const key = await context.database.asSystem((sql) => findLinkKey(sql, reference))
  if (!key) return 'ignored'
  const link = await context.database.asBorrower(key.borrowerId, (sql) => readLink(sql, key))
  if (!isWatched(link) && link.rps_updated) return 'applied'
  const refreshed = await refreshLink(context, link, { source: 'webhook', actorId: 'razorpay' })
  return isPaymentEvent(event) && refreshed.amount_paid_paise === 0n ? 'not_yet' : 'applied'
}

/** Events that promise money: until the provider's own answer shows it, they stay open. */
const isPaymentEvent = (event: InboxRow) => event.event_type === 'payment_link.paid' || event.event_type === 'payment_link.partially_paid'
