import { isWholeDatabaseUnavailable } from '../database/unavailable.ts'

/**
 * Collects the errors of single items of a run: one item does not keep the others waiting, and the
 * run still fails, so that its loop counts it (decision 0230).
 */
export function collectFailures() {
  const failures: unknown[] = []
  return {
    /** @throws the error if the whole database is unavailable: the other items would fail too. */
    add(error: unknown): void {
      if (isWholeDatabaseUnavailable(error)) throw error
      failures.push(error)
    },
    /**
     * Called once, after the last item.
     *
     * @param triedCount the number of all items of the run.
     * @param what the items and what failed, such as "refunds could not be checked".
     * @throws Error if an item failed; its cause is the first error.
     */
    throwIfAny(triedCount: number, what: string): void {
      if (failures.length > 0) throw new Error(`${failures.length} of ${triedCount} ${what}`, { cause: failures[0] })
    },
  }
}
