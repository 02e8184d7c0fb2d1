import { checkInvariants, type CheckResult } from '#server/ledger/check-invariants.ts'
import { countOpenReviews } from '#server/payments/review-store.ts'
import type { DatabaseContext } from '#cli/database-context.ts'
import { withProgress } from '#cli/progress.ts'

/** `kist check`: every ledger and state invariant over the whole database. */
export async function check({ database, clock }: DatabaseContext): Promise<CheckResult & { openReviews: number }> {
  const now = clock.now()
  const result = await withProgress('Checking loans', (onProgress) => checkInvariants(database, { now, onProgress }))
  return { ...result, openReviews: await database.asSystem(countOpenReviews) }
}

/** A line for each broken invariant, one for open reviews, then the summary. */
export const checkReport = ({ checked, broken, openReviews }: CheckResult & { openReviews: number }): string =>
  [
    ...broken.map(({ id, detail }) => `${id} ${detail}`),
    ...(openReviews > 0 ? [`reviews: ${openReviews} open, see kist review list`] : []),
    `invariants: ${checked} checked, ${new Set(broken.map(({ id }) => id)).size} broken`,
  ].join('\n')
