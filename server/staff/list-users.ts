import type { User } from '#contract/auth.ts'
import type { listUsers as call } from '#contract/staff.ts'
import { maskPan } from '#domain/pan.ts'
import { logAccess } from '../access-log.ts'
import { findUsersByIds, userOnWire } from '../auth/user-store.ts'
import { limitConcurrency } from '../http/concurrency-limit.ts'
import type { UseCase } from '../http/route.ts'
import {
  countBorrowers,
  findByAlternatives,
  readBorrowerPage,
  setPlannerForMemory,
  findSimilarWords,
  type SearchPage,
} from './user-list-store.ts'
import type { Database, Sql } from '../database/connect.ts'
import { insertSearch } from './search-store.ts'
import { parseSearch } from './search.ts'
import { readWorstLoans } from './worst-loans.ts'

/** Searches are the most expensive calls, so their concurrency is limited. */
const limitSearches = limitConcurrency({ runningMax: 4, waitingMax: 0, waitMsMax: 0 })

/**
 * Lists borrowers for staff (decision 30): substring matches, or, if there are none, similar words.
 * Each page is an entry in the staff member's own access log that names the search (decision 62).
 */
export const listUsers: UseCase<typeof call> = async (context, { actorId }, { query, origin }) => {
  const page = { limit: query.page_size, offset: (query.page - 1) * query.page_size }
  const words = parseSearch(query.search ?? '')
  return limitSearches(actorId, async () => {
    const list = await context.database.asSystem(async (sql) => {
      const found = words.length === 0 ? await listAll(context.database, sql, page) : await searchBorrowers(sql, words, page)
      const rows = new Map((await findUsersByIds(sql, found.userIds)).map((row) => [row.user_id, row]))
      const entry = { at: context.clock.now(), subjectId: actorId, actorId, origin, outcome: 'done' } as const
      const search = words.length === 0 ? null : await insertSearch(sql, { userId: actorId, searchedAt: entry.at, words })
      await logAccess(sql, {
        ...entry,
        action: 'users_searched',
        detail: {
          search: search?.searchId ?? null,
          search_hash: search?.hash ?? null,
          page: query.page,
          page_size: query.page_size,
          found: found.total,
        },
      })
      return {
        users: found.userIds.flatMap((userId) => {
          const row = rows.get(userId)
          return row ? [context.config.staff.maskPan ? maskUserPan(userOnWire(row)) : userOnWire(row)] : []
        }),
        total_pages: Math.ceil(found.total / query.page_size),
        total_items: found.total,
      }
    })
    const loansOf = await readWorstLoans(
      context,
      list.users.map(({ user_id }) => user_id),
    )
    return { ...list, users: list.users.map((user) => ({ ...user, ...loansOf(user.user_id) })) }
  })
}

/**
 * Masks the PAN for lenders whose staff need not read it. The first five letters stay, to
 * distinguish people with the same name.
 */
function maskUserPan(user: User): User {
  const pan = user.pan && maskPan(user.pan)
  return { ...user, pan, metadata: { ...user.metadata, pan } }
}

type Page = { limit: number; offset: number }

async function listAll(database: Database, sql: Sql, page: Page): Promise<SearchPage> {
  return { total: await countBorrowers(database, sql), userIds: await readBorrowerPage(sql, page) }
}

async function searchBorrowers(sql: Sql, words: readonly string[], page: Page): Promise<SearchPage> {
  await setPlannerForMemory(sql)
  const exact = await findByAlternatives(
    sql,
    words.map((word) => [word]),
    page,
  )
  if (exact.total > 0) return exact
  const alternatives: string[][] = []
  for (const word of words) {
    const similar = await findSimilarWords(sql, word)
    if (similar.length === 0) return { total: 0, userIds: [] }
    alternatives.push(similar)
  }
  return findByAlternatives(sql, alternatives, page)
}
