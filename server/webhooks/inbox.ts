import type { Context } from '../context.ts'
import type { StoredEvent } from './inbox-store.ts'
import { processEvents } from './process-events.ts'

/**
 * The desk at which a process works on stored events: some links at a time, and of each link once for all the events that wait
 * for it. What does not fit is left to the sweeper, so that a flood of events costs neither memory nor connections.
 */
export type Inbox = {
  /** Takes an event that was just stored, to be worked on soon; leaves it to the sweeper when too many links wait. */
  offer(event: StoredEvent): void
  /** Works on these events with whatever else there is to do; resolves when all have been tried. */
  work(events: readonly StoredEvent[]): Promise<void>
  /** Takes nothing more; resolves when what is being worked on has ended. */
  stop(): Promise<void>
}

const linksAtOnce = 6
const linksWaitingMax = 1_000

/** What names no link is nobody's, and done with as such. */
const referenceOf = ({ reference }: StoredEvent): string => reference ?? ''

type Turn = { events: StoredEvent[]; ended: PromiseWithResolvers<void> }

export function createInbox(context: Context): Inbox {
  const waiting = new Map<string, Turn>()
  /** By link, so that two turns of one link do not wait for each other's locks. */
  const running = new Map<string, Turn>()
  let isStopped = false

  const add = (event: StoredEvent): Turn => {
    const turn = waiting.get(referenceOf(event)) ?? { events: [], ended: Promise.withResolvers<void>() }
    turn.events.push(event)
    waiting.set(referenceOf(event), turn)
    return turn
  }
  const begin = (): void => {
    for (const [reference, turn] of waiting) {
      if (running.size >= linksAtOnce) return
      if (running.has(reference)) continue
      waiting.delete(reference)
      running.set(reference, turn)
      void processEvents(context, reference, turn.events)
        .catch((error: unknown) => context.log.error({ err: error, reference }, 'webhook events are left to the sweeper'))
        .finally(() => {
          running.delete(reference)
          turn.ended.resolve()
          if (!isStopped) begin()
        })
    }
  }

  return {
    offer(event) {
      if (isStopped || (!waiting.has(referenceOf(event)) && waiting.size >= linksWaitingMax)) return
      add(event)
      begin()
    },
    async work(events) {
      if (isStopped) return
      const turns = new Set(events.map(add))
      begin()
      await Promise.all([...turns].map(({ ended }) => ended.promise))
    },
    async stop() {
      isStopped = true
      for (const { ended } of waiting.values()) ended.resolve()
      waiting.clear()
      await Promise.all([...running.values()].map(({ ended }) => ended.promise))
    },
  }
}
