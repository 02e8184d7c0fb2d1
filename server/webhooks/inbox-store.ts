import type { Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { WebhookInbox } from '../database/schema.generated.ts'

export type InboxRow = Selectable<WebhookInbox>
export type InboxKey = Pick<InboxRow, 'provider' | 'event_id'>

/** Stores an event once. @returns false when it was there already. */
export async function addEvent(
  sql: Sql,
  event: Pick<InboxRow, 'provider' | 'event_id' | 'received_at' | 'next_attempt_at' | 'event_type' | 'body' | 'reference'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('webhook_inbox')
    .values(event)
    .onConflict((conflict) => conflict.columns(['provider', 'event_id']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function finishEvent(
  sql: Sql,
  { provider, event_id }: InboxKey,
  at: Date,
  outcome: 'applied' | 'ignored' | 'dead',
): Promise<void> {
  await sql
    .updateTable('webhook_inbox')
    .set({ processed_at: at, outcome })
    .where('provider', '=', provider)
    .where('event_id', '=', event_id)
    .execute()
}

export async function noteEventFailure(sql: Sql, { provider, event_id }: InboxKey, error: string): Promise<void> {
  await sql
    .updateTable('webhook_inbox')
    .set({ last_error: error.slice(0, 500) })
    .where('provider', '=', provider)
    .where('event_id', '=', event_id)
    .execute()
}

/** Takes up to `limit` open events whose time has come, oldest first; each is due again after `backOffMs`, should this attempt not finish it. */
export async function claimOpenEvents(sql: Sql, now: Date, limit: number, backOffMs: (attempts: number) => number): Promise<InboxRow[]> {
  const open = await sql
    .selectFrom('webhook_inbox')
    .selectAll()
    .where('processed_at', 'is', null)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { provider, event_id, attempts } of open)
    await sql
      .updateTable('webhook_inbox')
      .set({ attempts: attempts + 1, next_attempt_at: new Date(now.getTime() + backOffMs(attempts)) })
      .where('provider', '=', provider)
      .where('event_id', '=', event_id)
      .execute()
  return open
}
