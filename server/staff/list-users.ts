import type { User } from '#contract/auth.ts'
import type { listUsers as call } from '#contract/staff.ts'
import { maskPan } from '#domain/pan.ts'
import { logAccess } from '../access-log.ts'
import { findUsersByIds, userOnWire } from '../auth/user-store.ts'
import { limitConcurrency } from '../http/concurrency-limit.ts'
import type { UseCase } from '../http/route.ts'
import { countBorrowers, findByAlternatives, pageOfBorrowers, planForMemory, wordsLike, type Found } from './user-list-store.ts'
import type { Sql } from '../database/connect.ts'
import { insertSearch } from './search-store.ts'
import { searchOf } from './search.ts'

/** A search can cost the database more than anything else here. */
const atOnce = limitConcurrency({ runningMax: 4, waitingMax: 0, waitMsMax: 0 })

/**
 * Borrowers for staff to choose from (decision 30): substrings first, and only when there is none, words that look alike. Each page is an
 * entry in the staff member's own access log that names the search (decision 62).
 */
export const listUsers: UseCase<typeof call> = async (context, { actorId }, { query, origin }) => {
  const page = { limit: query.page_size, offset: (query.page - 1) * query.page_size }
  const words = searchOf(query.search ?? '')
  return atOnce(actorId, () =>
    context.database.asSystem(async (sql) => {
      const found = words.length === 0 ? await unsearched(sql, page) : await searched(sql, words, page)
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
          return row ? [context.config.staff.maskPan ? masked(userOnWire(row)) : userOnWire(row)] : []
        }),
        total_pages: Math.ceil(found.total / query.page_size),
        total_items: found.total,
      }
    }),
  )
}

/** For lenders whose staff need not read it in a list: the first five letters stay, by which two of one name are told apart. */
function masked(user: User): User {
  const pan = user.pan && maskPan(user.pan)
  return { ...user, pan, metadata: { ...user.metadata, pan } }
}

type Page = { limit: number; offset: number }

async function unsearched(sql: Sql, page: Page): Promise<Found> {
  return { total: await countBorrowers(sql), userIds: await pageOfBorrowers(sql, page) }
}

async function searched(sql: Sql, words: readonly string[], page: Page): Promise<Found> {
  await planForMemory(sql)
  const exact = await findByAlternatives(
    sql,
    words.map((word) => [word]),
    page,
  )
  if (exact.total > 0) return exact
  const alternatives: string[][] = []
  for (const word of words) {
    const alike = await wordsLike(sql, word)
    if (alike.length === 0) return { total: 0, userIds: [] }
    alternatives.push(alike)
  }
  return findByAlternatives(sql, alternatives, page)
}
