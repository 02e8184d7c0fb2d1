import { sql as raw } from 'kysely'
import { forgetDevices } from '../auth/device-store.ts'
import type { Sql } from '../database/connect.ts'

/** A table that says something of a person, and the column that says of whom. */
export type PersonTable = { table: string; owner: 'borrower_id' | 'user_id' | 'subject_id' }

/** Every table with a column for a person, as the database itself knows them: a new one is in an export from its first day. */
export async function personTables(sql: Sql): Promise<PersonTable[]> {
  const { rows } = await raw<PersonTable>`
    select distinct on (columns.table_name) columns.table_name as "table", columns.column_name as owner
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where columns.table_schema = 'public' and tables.table_type = 'BASE TABLE'
      and columns.column_name in ('borrower_id', 'user_id', 'subject_id')
    order by columns.table_name, columns.column_name`.execute(sql)
  return rows
}

/** What is kept as bytes (hashes, keys of codes) says nothing to a person, and must not leave. */
export async function rowsOf(sql: Sql, { table, owner }: PersonTable, personId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await raw<{ row: Record<string, unknown> }>`
    select to_jsonb(one) - array(
      select column_name::text from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and data_type = 'bytea'
    ) as row
    from ${raw.table(table)} as one where one.${raw.ref(owner)}::text = ${personId}`.execute(sql)
  return rows.map(({ row }) => row)
}

/** The day on which money last moved on each of a borrower's loans. */
export async function lastPostings(sql: Sql, borrowerId: string): Promise<{ loan_id: string; last_on: string | null }[]> {
  return sql
    .selectFrom('loans')
    .leftJoin('ledger_transactions as posted', (join) =>
      join.onRef('posted.borrower_id', '=', 'loans.borrower_id').onRef('posted.loan_id', '=', 'loans.loan_id'),
    )
    .select(({ fn }) => ['loans.loan_id', fn.max('posted.value_date').as('last_on')])
    .where('loans.borrower_id', '=', borrowerId)
    .groupBy('loans.loan_id')
    .execute()
}

export async function hasOpenApplication(sql: Sql, borrowerId: string): Promise<boolean> {
  const open = await sql
    .selectFrom('loan_applications')
    .select('application_id')
    .where('borrower_id', '=', borrowerId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return open !== undefined
}

/** What no law asks for: e-mail, notices and their settings, sign-in codes, known devices, and where sessions came from. Every session ends. */
export async function eraseWhatMayGo(sql: Sql, userId: string, now: Date): Promise<void> {
  const { phone } = await sql
    .updateTable('users')
    .set({ email: null, email_verified: false })
    .where('user_id', '=', userId)
    .returning('phone')
    .executeTakeFirstOrThrow()
  await sql.deleteFrom('notices').where('borrower_id', '=', userId).execute()
  await sql.deleteFrom('notice_preferences').where('borrower_id', '=', userId).execute()
  await sql.deleteFrom('sign_in_codes').where('phone', '=', phone).execute()
  await forgetDevices(sql, userId, { except: null })
  await sql.updateTable('sessions').set({ remote_address: null, user_agent: null, revoked_at: now }).where('user_id', '=', userId).execute()
}

/**
 * Names, phone and PAN go too, documents, and by which account was paid; the row stays, because what was done names it. Nobody signs in with
 * it again. The bytes of documents are swept as soon as no row names them.
 */
export async function eraseIdentity(sql: Sql, userId: string, now: Date): Promise<void> {
  const { phone, words } = await sql
    .selectFrom('users')
    .select(['phone', raw<string[]>`array(select user_words(first_name, last_name, email))`.as('words')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  await sql
    .updateTable('users')
    .set({
      first_name: 'Erased',
      last_name: 'Erased',
      email: null,
      pan: null,
      phone: erasedPhone,
      permissions: [],
      roles: [],
      disabled_at: now,
    })
    .where('user_id', '=', userId)
    .execute()
  await sql.updateTable('provider_payments').set({ instrument: null }).where('borrower_id', '=', userId).execute()
  for (const table of ['documents', 'generated_documents', 'document_codes'] as const)
    await sql.deleteFrom(table).where('borrower_id', '=', userId).execute()
  await sql.deleteFrom('user_phones').where('phone', '=', phone).execute()
  await sql.deleteFrom('sign_in_phones').where('phone', '=', phone).execute()
  await raw`delete from user_search_words where word = any(${words})
    and not exists (select 1 from users where kind = 'borrower' and search_text like '%' || word || '%')`.execute(sql)
}

/** No country has the code 0: it is nobody's, and everyone's whose phone is gone. */
const erasedPhone = '+00000000000'
