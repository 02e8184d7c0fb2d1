import { operationsPageSize, type readOperationsQueue as call } from '#contract/operations.ts'
import type { UseCase } from '../http/route.ts'
import { alertOfManyRows } from '../staff/alert-of-many-rows.ts'
import { countPages, toPage } from '../staff/user-list-store.ts'
import { readCounts } from './count-operations.ts'
import { logPage } from './log-read.ts'
import { listProposals } from './proposal-list-store.ts'
import { proposalsOnWire } from './proposal-on-wire.ts'

/**
 * Reads a page of the proposals, with the numbers of open ones. The page names borrowers, so it is
 * an entry in the reader's own access log (decision 62).
 */
export const readOperationsQueue: UseCase<typeof call> = async (context, caller, { query, origin }) => {
  const { actorId } = caller
  const now = context.clock.now()
  const answer = await context.database.asSystem(async (sql) => {
    const filter = { state: query.state, kind: query.kind, readerId: actorId, now }
    const { rows, total } = await listProposals(sql, filter, toPage(query, operationsPageSize))
    const answer = {
      items: await proposalsOnWire(sql, rows, { actorId, now }),
      total_pages: countPages(total, operationsPageSize),
      counts: await readCounts(sql, actorId, now),
    }
    const { state, kind = null } = query
    await logPage(sql, caller, { detail: { call: 'readOperationsQueue', state, kind, page: query.page, found: total }, origin, now })
    return answer
  })
  alertOfManyRows(context, actorId, answer.items.length, now)
  return answer
}
