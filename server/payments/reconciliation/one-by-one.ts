import type { MoneyContext } from '../../context.ts'
import { isDatabaseUnavailable } from '../../database/unavailable.ts'
import { addDifference, closeReview, noBorrowerId, listOpenReviewSubjects } from '../review-store.ts'

/**
 * Reconciles one payment, settlement or settlement line, identified by the provider's id. If that
 * fails, the failure is logged and reviewed, and the others continue. The next days try it again.
 *
 * @returns the number of open differences.
 * @throws Error if the database is not available: then the whole day is tried again.
 */
export type ReconcileOne = (entity: string, work: () => Promise<number>) => Promise<number>

const kind = 'not_reconciled'

/** Creates a {@link ReconcileOne}. A success resolves the review of an earlier failure. */
export async function reconcileOneByOne({ database, clock, log }: MoneyContext): Promise<ReconcileOne> {
  const failedBefore = await database.asSystem((sql) => listOpenReviewSubjects(sql, noBorrowerId, kind))
  return async (entity, work) => {
    const review = { borrowerId: noBorrowerId, kind, about: entity } as const
    try {
      const differences = await work()
      if (failedBefore.has(entity)) await database.asSystem((sql) => closeReview(sql, review, 'reconciled at a later attempt', clock.now()))
      return differences
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, entity }, 'reconciliation of one entry failed')
      const why = error instanceof Error ? error.message : String(error)
      return database.asSystem((sql) => addDifference(sql, { ...review, detail: { entity, why } }, clock.now()))
    }
  }
}
