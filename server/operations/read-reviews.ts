import { operationsPageSize, type readOperationsReviews as call } from '#contract/operations.ts'
import { isUuid } from '#contract/uuid.ts'
import { reviewRemedies } from '#domain/reviews.ts'
import { findNames } from '../auth/user-store.ts'
import type { UseCase } from '../http/route.ts'
import { pageOfReviews } from '../payments/review-store.ts'
import { alertOfManyRows } from '../staff/alert-of-many-rows.ts'
import { countPages, toPage } from '../staff/user-list-store.ts'
import { logPage } from './log-read.ts'
import { findOpenProposals } from './proposal-list-store.ts'

/**
 * Reads a page of open or resolved reviews (differences with the provider). The page names
 * borrowers, so the reader's own access log gets an entry (decision 62).
 */
export const readOperationsReviews: UseCase<typeof call> = async (context, caller, { query, origin }) => {
  const now = context.clock.now()
  const answer = await context.database.asSystem(async (sql) => {
    const { rows, total } = await pageOfReviews(sql, query.state, toPage(query, operationsPageSize))
    const borrowerIds = rows.map(({ borrower_id }) => borrower_id)
    const resolvers = rows.flatMap(({ resolved_by: by }) => (by !== null && isUuid(by) ? [by] : []))
    const names = await findNames(sql, [...borrowerIds, ...resolvers])
    const openProposals = (await findOpenProposals(sql, borrowerIds, now)).filter(({ kind }) => kind === 'review_resolve')
    const { state, page } = query
    await logPage(sql, caller, { detail: { call: 'readOperationsReviews', state, page, found: total }, origin, now })
    return {
      items: rows.map((row) => ({
        review_id: row.review_id,
        kind: row.kind,
        state: row.resolved_at === null ? ('open' as const) : ('resolved' as const),
        lan: row.lan,
        borrower_name: names.get(row.borrower_id) ?? null,
        link_reference: row.reference,
        found_at: row.found_at,
        due_on: row.due_on,
        detail: Object.entries(row.detail as Record<string, unknown>).map(([name, value]) => ({ name, value: String(value) })),
        resolution: row.resolution,
        resolved_at: row.resolved_at,
        resolved_by: row.resolved_by === 'system' ? null : (names.get(row.resolved_by ?? '') ?? row.resolved_by),
        remedies: [...reviewRemedies[row.kind]],
        open_proposal_id:
          openProposals.find(({ input }) => (input as { review_id?: string }).review_id?.toLowerCase() === row.review_id)?.proposal_id ??
          null,
      })),
      total_pages: countPages(total, operationsPageSize),
    }
  })
  alertOfManyRows(context, caller.actorId, answer.items.length, now)
  return answer
}
