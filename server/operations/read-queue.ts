import { operationsPageSize, type readOperationsQueue as call } from '#contract/operations.ts'
import type { UseCase } from '../http/route.ts'
import { countOpenReviews } from '../payments/review-store.ts'
import { countOpenProposals, listProposals } from './proposal-list-store.ts'
import { proposalsOnWire } from './proposal-on-wire.ts'

/** Reads a page of the proposals, with the numbers of open ones. */
export const readOperationsQueue: UseCase<typeof call> = ({ database, clock }, { actorId }, { query }) =>
  database.asSystem(async (sql) => {
    const now = clock.now()
    const filter = { state: query.state, kind: query.kind, readerId: actorId, now }
    const page = { limit: operationsPageSize, offset: (query.page - 1) * operationsPageSize }
    const { rows, total } = await listProposals(sql, filter, page)
    const open = await countOpenProposals(sql, actorId, now)
    const proposed = open.reduce((sum, kind) => sum + kind.open, 0)
    const mine = open.reduce((sum, kind) => sum + kind.mine, 0)
    return {
      items: await proposalsOnWire(sql, rows, { actorId, now }),
      total_pages: Math.ceil(total / operationsPageSize),
      counts: {
        proposed,
        by_kind: open.map((one) => ({ kind: one.kind, proposed: one.open })),
        to_approve: proposed - mine,
        mine,
        open_reviews: await countOpenReviews(sql),
      },
    }
  })
