import { sql as raw, type NotNull } from 'kysely'
import type { ShownUser } from '../auth/user-store.ts'
import type { Config } from '../config/config.ts'
import type { Database, Sql } from '../database/connect.ts'
import { statement } from '../database/statement.ts'

/** One page of a search, and the total number of matches, at most a thousand. */
export type SearchPage = { total: number; userIds: string[] }

/** Which part of a list. */
export type Page = { limit: number; offset: number }

/** @param page counted from 1. */
export const toPage = ({ page }: { page: number }, size: number): Page => ({ limit: size, offset: (page - 1) * size })

export const countPages = (rows: number, size: number): number => Math.ceil(rows / size)

/**
 * The maximum of counted matches: nobody pages further, and the count stays cheap (decision 30).
 */
const matchesMax = 1_000
/**
 * Up to this number, borrowers are counted at every call; beyond it, once a minute per process.
 */
const alwaysCountedMax = 10_000
const countCacheMs = 60_000

/**
 * Sets planner costs for this transaction as if the table and its indexes were in memory. Otherwise
 * the planner scans half a million names in order instead of fetching and sorting five thousand
 * rows, which is ten times faster. One core per search is enough. Each search is planned by its own
 * words: a plan for any words is ten times slower for rare ones, or for frequent ones.
 */
export async function setPlannerForMemory(sql: Sql): Promise<void> {
  await raw`select set_config('seq_page_cost', '0.1', true), set_config('random_page_cost', '0.1', true),
    set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(sql)
}

export type SearchOptions = Pick<Config['staff'], 'maskPan'> & { withLoan?: boolean }

/**
 * Finds the borrowers whose names, e-mail, phone or PAN contain every word in at least one of its
 * spellings. A masked PAN is found whole only: its parts would tell its masked digits. `withLoan`:
 * only those who have a loan.
 */
export async function findByAlternatives(
  sql: Sql,
  words: readonly (readonly string[])[],
  { limit, offset }: Page,
  { maskPan, withLoan = false }: SearchOptions,
): Promise<SearchPage> {
  const patterns = maskPan ? patternsOutsidePan : (word: string) => [`%${word}%`]
  let matches = sql
    .selectFrom('borrower_search')
    // For `exists` the planner reads all loans first: it takes the condition of row-level security
    // for a rare one.
    .$if(withLoan, (query) =>
      query.innerJoinLateral(
        ({ selectFrom }) =>
          selectFrom('loans').select('loan_id').whereRef('loans.borrower_id', '=', 'borrower_search.user_id').limit(1).as('one'),
        (join) => join.onTrue(),
      ),
    )
    .select('user_id')
    .orderBy('last_name')
    .orderBy('first_name')
    .orderBy('user_id')
    .limit(matchesMax)
  for (const spellings of words)
    matches = matches.where((where) =>
      where.or(spellings.flatMap((word) => patterns(escapePattern(word)).map((pattern) => where('search_text', 'like', pattern)))),
    )
  const rows = await matches.$narrowType<{ user_id: NotNull }>().execute()
  return { total: rows.length, userIds: rows.slice(offset, offset + limit).map((row) => row.user_id) }
}

const escapePattern = (word: string): string => word.replaceAll(/[\\%_]/g, '\\$&')

/**
 * The PAN is the last line of what a search looks into (0002_access.sql): a word is in a line
 * before it, or is the whole PAN.
 */
const patternsOutsidePan = (word: string): string[] => [`%${word}%\n%`, `%\n${word}`]

/**
 * Finds words of names and e-mail addresses similar to a word, the best first, without those much
 * less similar than the best.
 */
export async function findSimilarWords(sql: Sql, word: string): Promise<string[]> {
  const { rows } = await raw<{ word: string; alike: number }>`
    select word, similarity(word, ${word}) as alike from user_search_words
    where word % ${word} order by alike desc, word limit 5`.execute(sql)
  const best = rows[0]?.alike ?? 0
  return rows.filter(({ alike }) => alike >= best - 0.15).map((row) => row.word)
}

/**
 * The number of all borrowers, which the setting `app.count` passes on to the entry of the access
 * log. `knownCount`: the cached number, used for many borrowers; empty if there is none.
 */
export const borrowerCount = statement<{ knownCount: string }>()((sql, { knownCount }) => ({
  compile: () =>
    raw<{ found: string }>`select count_borrowers(${knownCount}, ${String(alwaysCountedMax)}::bigint)::text as found`.compile(sql),
}))

/** A page of all borrowers. */
export const borrowerPage = statement<{ limit: string; offset: string }>()((sql, { limit, offset }) => ({
  compile: () =>
    raw<ShownUser>`
    select users.user_id, users.email, users.phone, users.pan, users.first_name, users.last_name, users.email_verified,
      exists (select 1 from loan_applications as open where open.borrower_id = users.user_id and open.closed_at is null) as is_ongoing_application
    from users
    where users.user_id in (
      select user_id from borrower_search order by last_name, first_name, user_id limit ${limit}::bigint offset ${offset}::bigint
    )
    order by users.last_name, users.first_name, users.user_id`.compile(sql),
}))

/** The counts of databases with many borrowers. A process can serve several portals. */
const cachedCounts = new WeakMap<Database, { borrowers: number; atMs: number }>()

/** The cached number of borrowers, or an empty text. */
export function getCachedCount(database: Database): string {
  const cached = cachedCounts.get(database)
  return cached && performance.now() - cached.atMs < countCacheMs ? String(cached.borrowers) : ''
}

/** Keeps a number that was counted; small numbers are counted at every call. */
export function cacheCount(database: Database, borrowers: number): void {
  if (borrowers > alwaysCountedMax && getCachedCount(database) === '') cachedCounts.set(database, { borrowers, atMs: performance.now() })
}
