import type { MoneyContext } from '../context.ts'
import { isDatabaseUnavailable, isWholeDatabaseUnavailable } from '../database/unavailable.ts'
import { announceCollection } from './announce-collection.ts'
import { changeCollection, collectionKeyOf, readCollection, selectDueCollections, type CollectionRow } from './collection-store.ts'
import { followAnnounced } from './follow-announced.ts'
import { syncCollection } from './sync-collection.ts'

const collectionsAtOnce = 64
/** Each waits for the provider most of its time. */
const concurrentMax = 8
/** After an error, so that one item never keeps the others waiting. */
export const errorWaitMs = 60_000

/**
 * Looks at the collections that are due: announces planned ones, follows and presents announced
 * ones, and finds the outcome of presented ones.
 *
 * @returns the number of collections looked at; those with an error are due again later.
 */
export async function sweepDebits(context: MoneyContext): Promise<number> {
  const { database, clock, log } = context
  const due = await database.findAvailable(collectionsAtOnce, (sql) => selectDueCollections(sql, clock.now(), collectionsAtOnce))
  let checked = 0
  await forEachConcurrently(due.map(collectionKeyOf), async (key) => {
    try {
      const row = await database.asBorrower(key.borrowerId, (sql) => readCollection(sql, key))
      await checkCollection(context, row)
      checked += 1
    } catch (error) {
      if (isWholeDatabaseUnavailable(error)) throw error
      log.error({ err: error, collection: key.collectionId }, 'debit could not be checked')
      // A node of the database that is away cannot store it; what it has is not found while it is.
      if (!isDatabaseUnavailable(error))
        await database.asBorrower(key.borrowerId, (sql) =>
          changeCollection(sql, key, { next_check_at: new Date(clock.now().getTime() + errorWaitMs) }),
        )
    }
  })
  return checked
}

/** Takes the step that is due; the status is read again under the loan's lock before any change. */
export async function checkCollection(context: MoneyContext, row: CollectionRow): Promise<void> {
  switch (row.status) {
    case 'planned':
      return announceCollection(context, row)
    case 'announced':
      return followAnnounced(context, row)
    case 'presented':
    case 'failed':
      await syncCollection(context, collectionKeyOf(row))
      return
    default:
  }
}

/** Runs work for each item, a few at a time. */
export async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const runNext = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(concurrentMax, items.length) }, runNext))
}
