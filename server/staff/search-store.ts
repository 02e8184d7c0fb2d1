import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Sql } from '../database/connect.ts'

type NewSearch = { userId: string; searchedAt: Date; words: readonly string[] }

/**
 * Keeps what a staff member searched for, beside the access log: words that name a person can be erased here, and could not be in the signed
 * log. The hash goes into the log and proves what the words were for as long as the row exists; after that it proves nothing about them.
 */
export async function insertSearch(sql: Sql, { userId, searchedAt, words }: NewSearch): Promise<{ searchId: string; hash: string }> {
  const searchId = uuidv7()
  const salt = randomBytes(16)
  const search = { user_id: userId, search_id: searchId, searched_at: searchedAt, words: [...words], salt }
  await sql.insertInto('staff_searches').values(search).execute()
  return { searchId, hash: createHash('sha256').update(salt).update(JSON.stringify(words)).digest('hex') }
}
