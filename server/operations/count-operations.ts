import type { countOperations as call } from '#contract/operations.ts'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Sql } from '../database/connect.ts'
import type { UseCase } from '../http/route.ts'
import { countOpenReviews } from '../payments/review-store.ts'
import { countOpenProposals } from './proposal-list-store.ts'

/** Reads the numbers of open proposals and reviews. They name nobody, so this is no entry. */
export const countOperations: UseCase<typeof call> = ({ database, clock }, { actorId }) =>
  database.asSystem(async (sql) => ({ counts: await readCounts(sql, actorId, clock.now()) }))

export async function readCounts(sql: Sql, readerId: string, now: Date): Promise<ResponseOf<typeof call>['counts']> {
  const open = await countOpenProposals(sql, readerId, now)
  const proposed = open.reduce((sum, kind) => sum + kind.open, 0)
  const mine = open.reduce((sum, kind) => sum + kind.mine, 0)
  return {
    proposed,
    by_kind: open.map((one) => ({ kind: one.kind, proposed: one.open })),
    to_approve: proposed - mine,
    mine,
    open_reviews: await countOpenReviews(sql),
  }
}
