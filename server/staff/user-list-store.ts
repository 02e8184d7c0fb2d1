import { sql as raw, type NotNull } from 'kysely'
import type { Sql } from '../database/connect.ts'

/** One page of a search: whom it shows, and how many there are in all, a thousand at most. */
export type Found = { total: number; userIds: string[] }

type Page = { limit: number; offset: number }

/** Nobody looks through more; and so the count stays cheap however many there are (decision 30). */
export const matchesMax = 1_000
/** Up to here borrowers are counted at every asking, beyond it once a minute at most in each process. */
const countedAlwaysMax = 10_000
const countKeptMs = 60_000

/**
 * Tells the planner, for this transaction, that the list and its indexes are in memory: it would rather walk through half a million names
 * in their order than fetch five thousand rows and sort them, which takes a tenth of the time. One core a search is enough.
 */
export async function planForMemory(sql: Sql): Promise<void> {
  await raw`select set_config('seq_page_cost', '0.1', true), set_config('random_page_cost', '0.1', true),
    set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)`.execute(sql)
}

/** The borrowers in whose names, e-mail address, phone or PAN every word occurs, in at least one of its spellings. */
export async function findByAlternatives(sql: Sql, words: readonly (readonly string[])[], { limit, offset }: Page): Promise<Found> {
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

/** A substring with nothing in it but itself. */
const contains = (word: string) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Words of names and e-mail addresses that look like this one, the best first; those much less alike than the best are left out. */
export async function wordsLike(sql: Sql, word: string): Promise<string[]> {
  const { rows } = await raw<{ word: string; alike: number }>`
    select word, similarity(word, ${word}) as alike from user_search_words
    where word % ${word} order by alike desc, word limit 5`.execute(sql)
  const best = rows[0]?.alike ?? 0
  return rows.filter(({ alike }) => alike >= best - 0.15).map((row) => row.word)
}

export async function pageOfBorrowers(sql: Sql, { limit, offset }: Page): Promise<string[]> {
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

let counted: { borrowers: number; atMs: number } | null = null

/** How many borrowers there are. */
export async function countBorrowers(sql: Sql): Promise<number> {
  const { rows } = await raw<{ n: string }>`
    select count(*)::text as n from (select 1 from borrower_search limit ${countedAlwaysMax + 1}) as few`.execute(sql)
  const borrowers = Number(rows[0]?.n)
  if (borrowers <= countedAlwaysMax) return borrowers
  if (counted && performance.now() - counted.atMs < countKeptMs && counted.borrowers > countedAlwaysMax) return counted.borrowers
  const all = await raw<{ n: string }>`select count(*)::text as n from borrower_search`.execute(sql)
  counted = { borrowers: Number(all.rows[0]?.n), atMs: performance.now() }
  return counted.borrowers
}
