import { sql as raw, type Selectable } from 'kysely'
import { providerName } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { WebhookInbox } from '../database/schema.generated.ts'
import type { BackOff } from '../jobs/back-off.ts'
import { readRazorpayEvent } from './razorpay-event.ts'

type InboxRow = Selectable<WebhookInbox>
export type EventOutcome = 'applied' | 'ignored' | 'dead'

/** A stored event without its body. */
export type StoredEvent = Pick<InboxRow, 'provider' | 'event_id' | 'received_at' | 'event_type' | 'reference'> & {
  /** The provider's id of the event's payment; null if the event has none. */
  paymentId: string | null
  /** The provider's id of the event's dispute; null if the event has none. */
  disputeId: string | null
}
export type NewEvent = Pick<
  InboxRow,
  'provider' | 'event_id' | 'received_at' | 'next_attempt_at' | 'event_type' | 'body' | 'reference' | 'processed_at' | 'outcome'
>

/**
 * Stores each event once.
 *
 * @returns the ids of the new events.
 */
export async function addEvents(sql: Sql, events: readonly NewEvent[]): Promise<string[]> {
  const added = await sql
    .insertInto('webhook_inbox')
    .values([...events])
    .onConflict((conflict) => conflict.columns(['provider', 'event_id']).doNothing())
    .returning('event_id')
    .execute()
  return added.map(({ event_id }) => event_id)
}

export async function finishEvents(sql: Sql, events: readonly StoredEvent[], at: Date, outcome: EventOutcome): Promise<void> {
  await updateOpenEvents(sql, events).set({ processed_at: at, outcome }).execute()
}

export async function storeEventError(sql: Sql, events: readonly StoredEvent[], error: string): Promise<void> {
  await updateOpenEvents(sql, events)
    .set({ last_error: error.slice(0, 500) })
    .execute()
}

/** Updates the given events that are still open. */
function updateOpenEvents(sql: Sql, events: readonly StoredEvent[]) {
  return sql
    .updateTable('webhook_inbox')
    .where('provider', '=', providerName)
    .where(
      'event_id',
      'in',
      events.map(({ event_id }) => event_id),
    )
    .where('processed_at', 'is', null)
}

/**
 * Claims up to `limit` open events that are due, and sets the time of their next attempt. The wait
 * is `backOffMs` in SQL.
 */
export async function claimOpenEvents(sql: Sql, now: Date, limit: number, { firstMs, maxMs }: BackOff): Promise<StoredEvent[]> {
  const waitMs = raw`least(${maxMs}::float8, ${firstMs}::float8 * power(2, least(attempts, 20)))`
  const claimed = await sql
    .updateTable('webhook_inbox')
    .set((update) => ({
      attempts: update('attempts', '+', 1),
      next_attempt_at: raw<Date>`${now}::timestamptz + ${waitMs} * interval '1 millisecond'`,
    }))
    .where('provider', '=', providerName)
    .where('event_id', 'in', (due) =>
      due
        .selectFrom('webhook_inbox')
        .select('event_id')
        .where('provider', '=', providerName)
        .where('processed_at', 'is', null)
        .where('next_attempt_at', '<=', now)
        .orderBy('next_attempt_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['provider', 'event_id', 'received_at', 'event_type', 'reference', 'body'])
    .execute()
  return claimed.map(({ body, ...event }) => {
    const { paymentId, disputeId } = readRazorpayEvent(body)
    return { ...event, paymentId, disputeId }
  })
}
