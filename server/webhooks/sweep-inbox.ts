import type { Context } from '../context.ts'
import { claimOpenEvents } from './inbox-store.ts'
import { processEvent } from './process-event.ts'

const eventsAtOnce = 50
const backOffMsMax = 600_000

/** 2 s, 4 s, 8 s … ten minutes. */
const backOffMs = (attempts: number) => Math.min(2_000 * 2 ** Math.min(attempts, 20), backOffMsMax)

/** Works on events that were stored but not finished. @returns how many. */
export async function sweepInbox(context: Context): Promise<number> {
  const events = await context.database.asSystem((sql) => claimOpenEvents(sql, context.clock.now(), eventsAtOnce, backOffMs))
  for (const event of events) await processEvent(context, event)
  return events.length
}
