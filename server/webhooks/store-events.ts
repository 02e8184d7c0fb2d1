import type { Database } from '../database/connect.ts'
import { addEvents, type NewEvent } from './inbox-store.ts'

const eventsOfBatchMax = 200

type QueuedEvent = { event: NewEvent; stored: PromiseWithResolvers<boolean> }

/**
 * Creates a function that stores events in batches: events that arrive during one transaction are
 * stored together in the next.
 *
 * The function returns true if the event is new. It rejects if the event could not be stored; an
 * invalid event does not fail the others of its batch.
 */
export function createEventStore(database: Database): (event: NewEvent) => Promise<boolean> {
  const waiting: QueuedEvent[] = []
  let isStoring = false

  const storeAll = async (): Promise<void> => {
    isStoring = true
    while (waiting.length > 0) await storeBatch(database, waiting.splice(0, eventsOfBatchMax))
    isStoring = false
  }
  return (event) => {
    const stored = Promise.withResolvers<boolean>()
    waiting.push({ event, stored })
    if (!isStoring) void storeAll()
    return stored.promise
  }
}

async function storeBatch(database: Database, batch: readonly QueuedEvent[]): Promise<void> {
  try {
    const added = new Set(
      await database.asSystem((sql) =>
        addEvents(
          sql,
          batch.map(({ event }) => event),
        ),
      ),
    )
    // Of copies in one batch, the first counts as new.
    for (const { event, stored } of batch) stored.resolve(added.delete(event.event_id))
  } catch (error) {
    const [only, ...others] = batch
    if (only && others.length === 0) only.stored.reject(error)
    else for (const one of batch) await storeBatch(database, [one])
  }
}
