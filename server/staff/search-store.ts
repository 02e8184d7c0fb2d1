import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Sql } from '../database/connect.ts'

type NewSearch = { userId: string; searchedAt: Date; words: readonly string[] }

/**
 * Stores the words of a staff search outside the access log, so that words that name a person can
 * be erased; the signed log cannot be changed. The log has the hash, which proves the words while
 * the row exists.
 */
export async function insertSearch(sql: Sql, { userId, searchedAt, words }: NewSearch): Promise<{ searchId: string; hash: string }> {
  const searchId = uuidv7()
  const salt = randomBytes(16)
  const search = { user_id: userId, search_id: searchId, searched_at: searchedAt, words: [...words], salt }
  await sql.insertInto('staff_searches').values(search).execute()
  return { searchId, hash: createHash('sha256').update(salt).update(JSON.stringify(words)).digest('hex') }
}
