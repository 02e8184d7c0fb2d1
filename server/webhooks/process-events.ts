import type { Context } from '../context.ts'
import {
  findLinkKey,
  providerPaymentsOf,
  readLink,
  type LinkKey,
  type LinkRow,
  type ProviderPaymentRow,
} from '../payments/payment-store.ts'
import { isWatched, refreshLink } from '../payments/watch-link.ts'
import { finishEvents, noteEventFailures, type EventOutcome, type StoredEvent } from './inbox-store.ts'

/** An event that is still open so long after it came is kept for the operator and tried no more. */
const givenUpAfterMs = 24 * 3_600_000

/**
 * Works on the stored events of one link: whatever they say, the link is fetched from the provider once and that is applied. So
 * a forged, repeated, late or reordered event can at most make us look once more; one that tells what is known already does
 * not even that.
 */
export async function processEvents(context: Context, reference: string, events: readonly StoredEvent[]): Promise<void> {
  try {
    const outcomes = await applyEvents(context, reference, events)
    await finish(context, events, (event) => outcomes.get(event) ?? null)
  } catch (error) {
    context.log.error({ err: error, reference }, 'webhook events could not be processed')
    await context.database.asSystem((sql) => noteEventFailures(sql, events, String(error)))
    await finish(context, events, () => null)
  }
}

/** Null is not yet: tried again, until the event is a day old. */
async function finish(
  { database, clock }: Context,
  events: readonly StoredEvent[],
  outcomeOf: (event: StoredEvent) => EventOutcome | null,
): Promise<void> {
  const now = clock.now()
  const isGivenUp = ({ received_at }: StoredEvent) => now.getTime() - received_at.getTime() > givenUpAfterMs
  const byOutcome = Map.groupBy(events, (event) => outcomeOf(event) ?? (isGivenUp(event) ? 'dead' : null))
  await database.asSystem(async (sql) => {
    for (const [outcome, ended] of byOutcome) if (outcome !== null) await finishEvents(sql, ended, now, outcome)
  })
}

async function applyEvents(
  context: Context,
  reference: string,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<StoredEvent, EventOutcome>> {
  const known = await context.database.asSystem(async (sql) => {
    const key = await findLinkKey(sql, reference)
    return key && { key, link: await readLink(sql, key), payments: await paymentsOf(sql, key) }
  })
  if (!known) return new Map(events.map((event) => [event, 'ignored']))
  const { key, link, payments } = known
  const isNews = (event: StoredEvent) => isWatched(link) || !isKnown(event, link, payments)
  if (!events.some(isNews)) return new Map(events.map((event) => [event, 'applied']))
  await refreshLink(context, link, { source: 'webhook', actorId: 'razorpay' })
  const shown = await context.database.asBorrower(key.borrowerId, (sql) => paymentsOf(sql, key))
  return new Map(events.filter((event) => isShown(event, shown)).map((event) => [event, 'applied']))
}

const paymentsOf = (sql: Parameters<typeof providerPaymentsOf>[0], { borrowerId, paymentIntentId }: LinkKey) =>
  providerPaymentsOf(sql, borrowerId, [paymentIntentId])

/** Whether what an event tells of is done: its payment is in the ledger, or the link stands as it says. */
function isKnown({ event_type, paymentId }: StoredEvent, { status }: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  if (paymentId === null) return event_type === `payment_link.${status}`
  return payments.some(({ provider_payment_id, transaction_id }) => provider_payment_id === paymentId && transaction_id !== null)
}

/** Events that promise money: until the provider's own answer shows it, they stay open. */
function isShown({ event_type, paymentId }: StoredEvent, payments: readonly ProviderPaymentRow[]): boolean {
  if (event_type !== 'payment_link.paid' && event_type !== 'payment_link.partially_paid') return true
  return paymentId === null ? payments.length > 0 : payments.some(({ provider_payment_id }) => provider_payment_id === paymentId)
}
