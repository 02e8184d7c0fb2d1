import type { MoneyContext } from '../../context.ts'
import { isDatabaseUnavailable } from '../../database/unavailable.ts'
import { addReview, closeReview, nobody, openOccasions } from '../review-store.ts'

/**
 * Does one of the many pieces of work of a reconciliation: a payment, a settlement or a settlement line, named by the provider's id.
 *
 * @returns null when it failed: it is in the log and on the review list, and the others go on. The following mornings look at it again.
 * @throws Error when the database is not available: nothing can be recorded then, and the whole day is tried again.
 */
export type ReconcileOne = <T>(entity: string, work: () => Promise<T>) => Promise<T | null>

const kind = 'not_reconciled'

/** One reconciliation's {@link ReconcileOne}. What failed on an earlier day and succeeds now is taken off the review list. */
export async function reconcileOneByOne({ database, clock, log }: MoneyContext): Promise<ReconcileOne> {
  const failedBefore = await database.asSystem((sql) => openOccasions(sql, nobody, kind))
  return async (entity, work) => {
    const review = { borrowerId: nobody, kind, about: entity } as const
    try {
      const result = await work()
      if (failedBefore.has(entity)) await database.asSystem((sql) => closeReview(sql, review, 'reconciled at a later look', clock.now()))
      return result
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, entity }, 'one entry of the reconciliation failed')
      const why = error instanceof Error ? error.message : String(error)
      await database.asSystem((sql) => addReview(sql, { ...review, detail: { entity, why } }, clock.now()))
      return null
    }
  }
}
