import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'

type Named = { firstName: string; lastName: string; email: string | null }

/**
 * Adds the words of borrowers' names and e-mail addresses, in which the staff's search looks up a
 * mistyped word. Called by whatever adds a borrower or changes a name.
 */
export async function addSearchWords(sql: Sql, borrowers: readonly Named[]): Promise<void> {
  if (borrowers.length === 0) return
  await raw`insert into user_search_words (word)
    select distinct word
    from jsonb_to_recordset(${JSON.stringify(borrowers.map(({ firstName, lastName, email }) => ({ firstName, lastName, email })))}::jsonb) as borrower ("firstName" text, "lastName" text, email text),
      user_words("firstName", "lastName", email) as word
    on conflict do nothing`.execute(sql)
}
