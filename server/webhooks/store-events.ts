import type { Database } from '../database/connect.ts'
import { addEvents, type NewEvent } from './inbox-store.ts'

const eventsOfBatchMax = 200

type Waiting = { event: NewEvent; stored: PromiseWithResolvers<boolean> }

/**
 * Stores events durably, those that come while others are being stored together in one transaction: the more come, the cheaper
 * each is.
 *
 * @returns whether the event is new. Rejects when it could not be stored; an event that no table takes fails alone.
 */
export function createEventStore(database: Database): (event: NewEvent) => Promise<boolean> {
  const waiting: Waiting[] = []
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

async function storeBatch(database: Database, batch: readonly Waiting[]): Promise<void> {
  try {
    const added = new Set(
      await database.asSystem((sql) =>
        addEvents(
          sql,
          batch.map(({ event }) => event),
        ),
      ),
    )
    // Of copies in one batch the first is the new one.
    for (const { event, stored } of batch) stored.resolve(added.delete(event.event_id))
  } catch (error) {
    const [only, ...others] = batch
    if (only && others.length === 0) only.stored.reject(error)
    else for (const one of batch) await storeBatch(database, [one])
  }
}
