import type { ResponseOf } from '#contract/endpoint.ts'
import type { listUsers as call } from '#contract/staff.ts'
import { entryStatement } from '../access-log.ts'
import { borrowerForStaff, findUsersByIds, type ShownUser } from '../auth/user-store.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { defineReading } from '../http/reading.ts'
import type { Request } from '../http/route.ts'
import { alertOfManyRows } from './alert-of-many-rows.ts'
import { createSearchEntry, limitSearches, logSearch } from './log-search.ts'
import { parseSearch } from './search.ts'
import {
  borrowerCount,
  borrowerPage,
  cacheCount,
  findByAlternatives,
  findSimilarWords,
  getCachedCount,
  setPlannerForMemory,
  countPages,
  toPage,
  type Page,
  type SearchOptions,
  type SearchPage,
} from './user-list-store.ts'
import { readWorstLoans } from './worst-loans.ts'

/**
 * Lists borrowers for staff (decision 30): substring matches, or, if there are none, similar words.
 * Each page is an entry in the staff member's own access log that names the search (decision 62).
 * Without a search the page and its entry take one round trip, and the loans of its borrowers
 * another. What a search reads follows from its first matches, so it has a transaction of its own.
 */
export const listUsers = defineReading<typeof call>()(
  (_userId, request, { actorId, sessionId, now }, { database }) => {
    if (isSearch(request)) return []
    const entry = createSearchEntry({ actorId, sessionId }, { at: now, ...toSearched(request) }, null)
    const { limit, offset } = toPage(request.query, request.query.page_size)
    return [
      borrowerCount.with({ knownCount: getCachedCount(database) }),
      borrowerPage.with({ limit: String(limit), offset: String(offset) }),
      entryStatement(entry, 'found'),
    ]
  },
  async (context, caller, request, [counts, page, entries]) => {
    if (isSearch(request)) return limitSearches(caller.actorId, () => searchUsers(context, caller, request))
    if (entries?.length !== 1) throw new Error('The access log has no entry of this page')
    const found = Number(counts?.[0]?.found)
    cacheCount(context.database, found)
    return answerPage(context, caller, request, found, page ?? [])
  },
  { limit: limitSearches },
)

const isSearch = ({ query }: Request<typeof call>): boolean => parseSearch(query.search ?? '').length > 0

async function searchUsers(context: Context, caller: Caller, request: Request<typeof call>): Promise<Answer> {
  const words = parseSearch(request.query.search ?? '')
  const { total, rows } = await context.database.asSystem(async (sql) => {
    const found = await searchBorrowers(sql, words, toPage(request.query, request.query.page_size), context.config.staff)
    const users = new Map((await findUsersByIds(sql, found.userIds)).map((row) => [row.user_id, row]))
    await logSearch(sql, caller, { at: context.clock.now(), ...toSearched(request), words, found: found.total })
    return { total: found.total, rows: found.userIds.flatMap((userId) => users.get(userId) ?? []) }
  })
  return answerPage(context, caller, request, total, rows)
}

type Answer = ResponseOf<typeof call>

const toSearched = ({ query, origin }: Request<typeof call>) => ({ origin, page: { page: query.page, page_size: query.page_size } })

async function answerPage(
  context: Context,
  { actorId }: Caller,
  { query }: Request<typeof call>,
  found: number,
  rows: readonly ShownUser[],
): Promise<Answer> {
  alertOfManyRows(context, actorId, rows.length, context.clock.now())
  const loansOf = await readWorstLoans(
    context,
    rows.map(({ user_id }) => user_id),
  )
  return {
    users: rows.map((row) => ({ ...borrowerForStaff(row, context.config.staff), ...loansOf(row.user_id) })),
    total_pages: countPages(found, query.page_size),
    total_items: found,
  }
}

/** Finds borrowers by substrings, or, if there are none, by similar words. */
export async function searchBorrowers(sql: Sql, words: readonly string[], page: Page, options: SearchOptions): Promise<SearchPage> {
  await setPlannerForMemory(sql)
  const exact = await findByAlternatives(
    sql,
    words.map((word) => [word]),
    page,
    options,
  )
  if (exact.total > 0) return exact
  const alternatives: string[][] = []
  for (const word of words) {
    const similar = await findSimilarWords(sql, word)
    if (similar.length === 0) return { total: 0, userIds: [] }
    alternatives.push(similar)
  }
  return findByAlternatives(sql, alternatives, page, options)
}
