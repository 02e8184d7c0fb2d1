import { sql as raw, type NotNull } from 'kysely'
import type { Database, Sql } from '../database/connect.ts'

/** One page of a search, and the total number of matches, at most a thousand. */
export type SearchPage = { total: number; userIds: string[] }

type Page = { limit: number; offset: number }

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
 * rows, which is ten times faster. One core per search is enough.
 */
export async function setPlannerForMemory(sql: Sql): Promise<void> {
  await raw`select set_config('seq_page_cost', '0.1', true), set_config('random_page_cost', '0.1', true),
    set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)`.execute(sql)
}

/**
 * Finds the borrowers whose names, e-mail, phone or PAN contain every word in at least one of its
 * spellings.
 */
export async function findByAlternatives(sql: Sql, words: readonly (readonly string[])[], { limit, offset }: Page): Promise<SearchPage> {
  let matches = sql
    .selectFrom('borrower_search')
    .select('user_id')
    .orderBy('last_name')
    .orderBy('first_name')
    .orderBy('user_id')
    .limit(matchesMax)
  for (const spellings of words)
    matches = matches.where((where) => where.or(spellings.map((word) => where('search_text', 'like', contains(word)))))
  const rows = await matches.$narrowType<{ user_id: NotNull }>().execute()
  return { total: rows.length, userIds: rows.slice(offset, offset + limit).map((row) => row.user_id) }
}

/** Builds an escaped LIKE pattern for a substring. */
const contains = (word: string) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`

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

export async function readBorrowerPage(sql: Sql, { limit, offset }: Page): Promise<string[]> {
  const rows = await sql
    .selectFrom('borrower_search')
    .select('user_id')
    .orderBy('last_name')
    .orderBy('first_name')
    .orderBy('user_id')
    .limit(limit)
    .offset(offset)
    .$narrowType<{ user_id: NotNull }>()
    .execute()
  return rows.map((row) => row.user_id)
}

/** The counts of databases with many borrowers. A process can serve several portals. */
const cachedCounts = new WeakMap<Database, { borrowers: number; atMs: number }>()

/** Counts all borrowers. `sql` is a transaction of `database`. */
export async function countBorrowers(database: Database, sql: Sql): Promise<number> {
  const { rows } = await raw<{ n: string }>`
    select count(*)::text as n from (select 1 from borrower_search limit ${alwaysCountedMax + 1}) as few`.execute(sql)
  const borrowers = Number(rows[0]?.n)
  if (borrowers <= alwaysCountedMax) return borrowers
  const cached = cachedCounts.get(database)
  if (cached && performance.now() - cached.atMs < countCacheMs) return cached.borrowers
  const all = await raw<{ n: string }>`select count(*)::text as n from borrower_search`.execute(sql)
  const counted = { borrowers: Number(all.rows[0]?.n), atMs: performance.now() }
  cachedCounts.set(database, counted)
  return counted.borrowers
}
