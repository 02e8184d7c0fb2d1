import type { Context } from '../context.ts'
import type { StoredEvent } from './inbox-store.ts'
import { processEvents } from './process-events.ts'

/**
 * Processes stored events, a limited number of links at a time, and all waiting events of a link
 * together. Events above the limit are left to the sweeper, so that many events at once do not use
 * up memory or connections.
 */
export type Inbox = {
  /** Queues a new event; leaves it to the sweeper if too many links wait. */
  offer(event: StoredEvent): void
  /** Queues the events and resolves when all of them were tried. */
  process(events: readonly StoredEvent[]): Promise<void>
  /** Accepts no more events; resolves when the running ones have ended. */
  stop(): Promise<void>
}

const linksAtOnce = 6
const linksWaitingMax = 1_000

/** The key by which events are grouped; empty for an event without a link. */
const groupingKey = ({ reference }: StoredEvent): string => reference ?? ''

type LinkBatch = { events: StoredEvent[]; ended: PromiseWithResolvers<void> }

export function createInbox(context: Context): Inbox {
  const waiting = new Map<string, LinkBatch>()
  /** By link, so that two batches of one link do not wait for each other's locks. */
  const running = new Map<string, LinkBatch>()
  let isStopped = false

  const add = (event: StoredEvent): LinkBatch => {
    const batch = waiting.get(groupingKey(event)) ?? { events: [], ended: Promise.withResolvers<void>() }
    batch.events.push(event)
    waiting.set(groupingKey(event), batch)
    return batch
  }
  const startBatches = (): void => {
    for (const [reference, batch] of waiting) {
      if (running.size >= linksAtOnce) return
      if (running.has(reference)) continue
      waiting.delete(reference)
      running.set(reference, batch)
      void processEvents(context, reference, batch.events)
        .catch((error: unknown) => context.log.error({ err: error, reference }, 'webhook events left to the sweeper'))
        .finally(() => {
          running.delete(reference)
          batch.ended.resolve()
          if (!isStopped) startBatches()
        })
    }
  }

  return {
    offer(event) {
      if (isStopped || (!waiting.has(groupingKey(event)) && waiting.size >= linksWaitingMax)) return
      add(event)
      startBatches()
    },
    async process(events) {
      if (isStopped) return
      const batches = new Set(events.map(add))
      startBatches()
      await Promise.all([...batches].map(({ ended }) => ended.promise))
    },
    async stop() {
      isStopped = true
      for (const { ended } of waiting.values()) ended.resolve()
      waiting.clear()
      await Promise.all([...running.values()].map(({ ended }) => ended.promise))
    },
  }
}
