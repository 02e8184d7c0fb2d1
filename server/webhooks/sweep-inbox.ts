import type { Context } from '../context.ts'
import { claimOpenEvents, type BackOff } from './inbox-store.ts'
import type { Inbox } from './inbox.ts'

const eventsAtOnce = 200
/** So that everything is applied within a minute once what was broken is whole again. */
const backOff: BackOff = { firstMs: 2_000, mostMs: 30_000 }

/** Works on events that were stored but not finished. @returns how many. */
export async function sweepInbox({ database, clock }: Context, inbox: Inbox): Promise<number> {
  const events = await database.asSystem((sql) => claimOpenEvents(sql, clock.now(), eventsAtOnce, backOff))
  await inbox.work(events)
  return events.length
}
