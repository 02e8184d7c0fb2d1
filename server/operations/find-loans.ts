import type { ResponseOf } from '#contract/endpoint.ts'
import { type findOperationsLoans as call, operationsPageSize } from '#contract/operations.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { findUsersByIds, nameOf } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Request, UseCase } from '../http/route.ts'
import { buildFacts, factsOfSeveral } from '../loans/facts-store.ts'
import { findLoanKey, loansOfSeveral } from '../loans/loan-store.ts'
import { alertOfManyRows } from '../staff/alert-of-many-rows.ts'
import { searchBorrowers } from '../staff/list-users.ts'
import { limitSearches, logSearch } from '../staff/log-search.ts'
import { parseSearch } from '../staff/search.ts'
import { countPages, toPage } from '../staff/user-list-store.ts'
import { findOpenProposals } from './proposal-list-store.ts'

type Found = { userIds: readonly string[]; total: number; lan: string | null }

/**
 * Finds loans by account number, or by name or phone of their borrowers. A page has 20 borrowers
 * who have loans, with all of them. Each page is an entry in the staff member's own access log that
 * names the search (decision 62).
 */
export const findOperationsLoans: UseCase<typeof call> = (context, caller, request) =>
  limitSearches(caller.actorId, () => findLoans(context, caller, request))

async function findLoans(context: Context, caller: Caller, request: Request<typeof call>): Promise<ResponseOf<typeof call>> {
  const { database, clock, config } = context
  const now = clock.now()
  const { found, users, open } = await database.asSystem(async (sql) => {
    const found = await search(sql, request.query, config.staff)
    const users = await findUsersByIds(sql, found.userIds)
    const open = await findOpenProposals(sql, found.userIds, now)
    const { search: text = '', page } = request.query
    const searched = { at: now, origin: request.origin, page: { page, page_size: operationsPageSize } }
    await logSearch(sql, caller, { ...searched, words: parseSearch(text), found: found.total })
    return { found, users, open }
  })
  const totalPages = countPages(found.total, operationsPageSize)
  if (users.length === 0) return { items: [], total_pages: totalPages }
  alertOfManyRows(context, caller.actorId, users.length, now)
  const [loans, factRows] = await database.readAsSystem([loansOfSeveral(found.userIds), factsOfSeveral(found.userIds)])
  const facts = buildFacts(loans, factRows)
  const items = found.userIds.flatMap((userId) => {
    const user = users.find(({ user_id }) => user_id === userId)
    const own = loans.filter(({ borrower_id, lan }) => borrower_id === userId && (found.lan === null || lan === found.lan))
    return own.flatMap((loan) => {
      const loanFacts = facts.get(loan.loan_id)
      if (!user || !loanFacts) return []
      const state = loanStateDuring(loanFacts, dayInIndia(now))
      return [
        {
          lan: loan.lan,
          title: loan.title,
          loan_status: state.status,
          dues: state.duesPaise,
          dpd: state.dpd,
          principal_outstanding: state.principalOutstandingPaise,
          borrower: { user_id: userId, name: nameOf(user), phone: user.phone },
          open_proposals: open.filter(({ loan_id }) => loan_id === loan.loan_id).length,
        },
      ]
    })
  })
  return { items, total_pages: totalPages }
}

async function search(sql: Sql, { search: text = '', page }: Request<typeof call>['query'], staff: Config['staff']): Promise<Found> {
  for (const lan of new Set([text.trim(), text.trim().toUpperCase()])) {
    const key = lan === '' ? undefined : await findLoanKey(sql, lan)
    if (key) return { userIds: page === 1 ? [key.borrowerId] : [], total: 1, lan }
  }
  const options = { ...staff, withLoan: true }
  return { ...(await searchBorrowers(sql, parseSearch(text), toPage({ page }, operationsPageSize), options)), lan: null }
}
