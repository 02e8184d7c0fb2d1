import type { MoneyContext } from '../context.ts'
import { announceCollection } from './announce-collection.ts'
import { checkEach } from './check-each.ts'
import { changeCollection, readCollection, selectDueCollections, type CollectionRow } from './collection-store.ts'
import { followAnnounced } from './follow-announced.ts'
import { syncCollection } from './sync-collection.ts'

const collectionsPerBatch = 64

/**
 * Looks at the collections that are due: announces planned ones, follows and presents announced
 * ones, and finds the outcome of presented ones.
 *
 * @returns the number of collections.
 * @throws Error if some could not be checked. The others were, and these are due again later.
 */
export async function sweepDebits(context: MoneyContext): Promise<number> {
  const { database, clock, log } = context
  const due = await database.findAvailable(collectionsPerBatch, (sql) => selectDueCollections(sql, clock.now(), collectionsPerBatch))
  return checkEach(context, due, {
    items: 'debits',
    check: async (key) => checkCollection(context, await database.asBorrower(key.borrower_id, (sql) => readCollection(sql, key))),
    postpone: (key, until) => database.asBorrower(key.borrower_id, (sql) => changeCollection(sql, key, { next_check_at: until })),
    logError: (error, { collection_id }) => log.error({ err: error, collection: collection_id }, 'debit could not be checked'),
  })
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
      await syncCollection(context, row)
      return
    default:
  }
}
