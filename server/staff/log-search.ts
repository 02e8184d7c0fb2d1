import { logAccess, type AccessEntry } from '../access-log.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Sql } from '../database/connect.ts'
import { limitConcurrency } from '../http/concurrency-limit.ts'
import { insertSearch } from './search-store.ts'

/**
 * Searches are the most expensive calls, so their concurrency is limited; the lists of borrowers
 * and of loans have one limit.
 */
export const limitSearches = limitConcurrency({ runningMax: 4, waitingMax: 0, waitMsMax: 0 })

type Reader = Pick<Caller, 'actorId' | 'sessionId'>
/** Which page of what is found. */
type SearchedPage = { at: Date; origin: Origin; page: Readonly<Record<'page' | 'page_size', number>> }

/** The entry of one page, without the number found. Null: a page of the list of all. */
export const createSearchEntry = (
  { actorId, sessionId }: Reader,
  { at, origin, page }: SearchedPage,
  search: { searchId: string; hash: string } | null,
): AccessEntry => ({
  at,
  subjectId: actorId,
  actorId,
  origin: { ...origin, sessionId },
  outcome: 'done',
  action: 'users_searched',
  detail: { search: search?.searchId ?? null, search_hash: search?.hash ?? null, ...page },
})

/** Stores the words of a search, and logs the page in the reader's own access log (decision 62). */
export async function logSearch(
  sql: Sql,
  reader: Reader,
  { words, found, ...searched }: SearchedPage & { words: readonly string[]; found: number },
): Promise<void> {
  const search = words.length === 0 ? null : await insertSearch(sql, { userId: reader.actorId, searchedAt: searched.at, words })
  const entry = createSearchEntry(reader, searched, search)
  await logAccess(sql, { ...entry, detail: { ...entry.detail, found } })
}
