import type { Context } from '../context.ts'
import { claimOpenEvents } from './inbox-store.ts'
import { processEvent } from './process-event.ts'

const eventsAtOnce = 50
/** The process that stored an event works on it at once; only what is still open after this was left behind. */
const leftBehindMs = 5_000

/** Works on events that were stored but not finished. @returns how many. */
export async function sweepInbox(context: Context): Promise<number> {
  const receivedBefore = new Date(context.clock.now().getTime() - leftBehindMs)
  const events = await context.database.asSystem((sql) => claimOpenEvents(sql, receivedBefore, eventsAtOnce))
  for (const event of events) await processEvent(context, event)
  return events.length
}
