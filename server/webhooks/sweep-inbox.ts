import type { Context } from '../context.ts'
import { claimOpenEvents } from './inbox-store.ts'
import type { Inbox } from './inbox.ts'

const eventsPerBatch = 200
/** Short waits, so that every event is processed within a minute after an outage. */
const backOff = { firstMs: 2_000, maxMs: 30_000 }

/**
 * Processes events that were stored but not finished.
 *
 * @returns the number of events claimed.
 */
export async function sweepInbox({ database, clock }: Context, inbox: Inbox): Promise<number> {
  const events = await database.asSystem((sql) => claimOpenEvents(sql, clock.now(), eventsPerBatch, backOff))
  await inbox.process(events)
  return events.length
}
