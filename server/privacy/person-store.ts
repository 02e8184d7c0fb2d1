import { sql as raw } from 'kysely'
import { forgetDevices } from '../auth/device-store.ts'
import type { Sql } from '../database/connect.ts'

/** A table with personal data, and the column that identifies the person. */
type PersonTable = { table: string; owner: 'borrower_id' | 'user_id' | 'subject_id' }

/**
 * Finds every table with a person column in the catalogue, so that new tables are exported
 * automatically.
 */
export async function findPersonTables(sql: Sql): Promise<PersonTable[]> {
  const { rows } = await raw<PersonTable>`
    select distinct on (columns.table_name) columns.table_name as "table", columns.column_name as owner
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where columns.table_schema = 'public' and tables.table_type = 'BASE TABLE'
      and columns.column_name in ('borrower_id', 'user_id', 'subject_id')
    order by columns.table_name, columns.column_name`.execute(sql)
  return rows
}

/** Where proposals name staff. */
const staffNameColumns = ['maker_name', 'checker_name']
/** Where entries of the access log say from where staff acted. */
const staffOriginColumns = ['remote_address', 'user_agent', 'session_id']
/** Where the access log's `detail` has names and sessions of staff. */
const staffDetails = ['reader', 'operator', 'maker', 'session_id', 'staff_session_id', 'staff_session_ends_at']
/** What rows of staff say of borrowers: whom they searched and acted for, and what they read. */
const columnsAboutOthers: Readonly<Record<string, readonly string[]>> = {
  staff_searches: ['words'],
  sessions: ['assumed_user_id', 'reason'],
  idempotent_requests: ['answer'],
}

/**
 * Reads a person's rows without bytea columns: hashes and keys mean nothing to the person and must
 * not be exported. Names of staff are left out too, and their addresses, browsers and sessions in
 * the access log: what they did stays, with their number. So is what rows of staff say of others.
 */
export async function readPersonRows(sql: Sql, { table, owner }: PersonTable, personId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await raw<{ row: Record<string, unknown> }>`
    select to_jsonb(one) - array(
      select column_name::text from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and data_type = 'bytea'
    ) - ${[...staffNameColumns, ...(columnsAboutOthers[table] ?? [])]}::text[]
      - case when to_jsonb(one) ->> 'actor_id' <> ${personId} then ${staffOriginColumns}::text[] else '{}' end ${raw.join(
        staffDetails.map((name) => raw`#- ${['detail', name]}::text[]`),
        raw` `,
      )} as row
    from ${raw.table(table)} as one where one.${raw.ref(owner)} = ${personId}::uuid`.execute(sql)
  return rows.map(({ row }) => row)
}

/** Reads the last posting date of each of a borrower's loans. */
export async function readLastPostings(sql: Sql, borrowerId: string): Promise<{ loan_id: string; last_on: string | null }[]> {
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

/** The values by which a person can be identified. */
type PersonalValues = { phone: string; email: string | null; pan: string | null; firstName: string; lastName: string }

/** Reads the identifying values. They must be read first, because the erasure searches by them. */
export async function readPersonalValues(sql: Sql, userId: string): Promise<PersonalValues> {
  const row = await sql
    .selectFrom('users')
    .select(['phone', 'email', 'pan', 'first_name', 'last_name'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { phone: row.phone, email: row.email, pan: row.pan, firstName: row.first_name, lastName: row.last_name }
}

/**
 * Erases data without a retention duty: e-mail with its search words, notices and preferences,
 * sign-in codes, known devices, provider events with the payer's contact data, staff reasons and
 * session origins. Revokes every session.
 */
export async function eraseUnretainedData(sql: Sql, userId: string, { phone, email }: PersonalValues, now: Date): Promise<void> {
  // First, as a sign-in does: it locks its device, then the account.
  await forgetDevices(sql, userId, { except: null }, now)
  await sql.updateTable('users').set({ email: null, email_verified: false }).where('user_id', '=', userId).execute()
  await sql.deleteFrom('notices').where('borrower_id', '=', userId).execute()
  await sql.deleteFrom('idempotent_requests').where('borrower_id', '=', userId).execute()
  await sql.deleteFrom('notice_preferences').where('borrower_id', '=', userId).execute()
  await sql
    .deleteFrom('sign_in_codes')
    .where((where) => where.or([where('user_id', '=', userId), where('phone', '=', phone)]))
    .execute()
  await eraseEvents(sql, userId, [nationalNumber(phone), ...(email === null ? [] : [email])])
  await sql.updateTable('sessions').set({ reason: null }).where('assumed_user_id', '=', userId).execute()
  await sql
    .updateTable('sessions')
    .set({ remote_address: null, user_agent: null, device_hash: null, revoked_at: now })
    .where('user_id', '=', userId)
    .execute()
  if (email === null) return
  await eraseSearches(sql, [email])
  await eraseSearchWords(sql, ['', '', email])
}

/** Removes the country code, because the payer may have entered either form. */
const nationalNumber = (phone: string): string => phone.slice(-10)

/**
 * Deletes processed events. Unprocessed ones are processed first and deleted after the retention
 * period.
 */
async function eraseEvents(sql: Sql, userId: string, values: readonly string[]): Promise<void> {
  await sql
    .deleteFrom('webhook_inbox')
    .where('processed_at', 'is not', null)
    .where((where) =>
      where.or([
        where('reference', 'in', where.selectFrom('payment_references').select('reference').where('borrower_id', '=', userId)),
        where('reference', 'in', where.selectFrom('autopay_references').select('reference').where('borrower_id', '=', userId)),
        ...values.map((value) => raw<boolean>`position(convert_to(${value}, 'UTF8') in body) > 0`),
      ]),
    )
    .execute()
}

/**
 * Deletes staff searches that can mean this person: parts, whole values, and names with a typing
 * error. A name of one or two letters is a part of most words, so only the same word means it.
 */
async function eraseSearches(sql: Sql, values: readonly string[]): Promise<void> {
  await raw`
    delete from staff_searches where exists (
      select from unnest(words) as word, unnest(${values.map((value) => value.toLowerCase())}::text[]) as value
      where word = value or (length(word) >= 3 and position(word in value) > 0)
        or (length(value) >= 3 and (position(value in word) > 0 or (word !~ '[0-9]' and similarity(word, value) > 0.3)))
    )`.execute(sql)
}

/**
 * Deletes the search words of an erased name or e-mail address, except those of other borrowers.
 * Word by word: the words are on the coordinator, the names of other people are not.
 */
async function eraseSearchWords(sql: Sql, named: [firstName: string, lastName: string, email: string | null]): Promise<void> {
  const { rows } = await raw<{ word: string }>`select user_words(${raw.join(named)}) as word`.execute(sql)
  for (const { word } of rows) {
    const other = await sql
      .selectFrom('users')
      .select('user_id')
      .where('kind', '=', 'borrower')
      .where('search_text', 'like', `%${word}%`)
      .limit(1)
      .executeTakeFirst()
    if (!other) await sql.deleteFrom('user_search_words').where('word', '=', word).execute()
  }
}

/**
 * Erases names, phone, PAN, documents, names of papers' files, payment instruments and the accounts
 * of mandates. The row stays, because other records refer to it; nobody can sign in with it.
 *
 * @returns the storage keys of the documents, to be removed after the commit.
 */
export async function eraseIdentity(sql: Sql, userId: string, values: PersonalValues, now: Date): Promise<string[]> {
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
  await sql.updateTable('mandates').set({ account_hint: null, redirect_url: null }).where('borrower_id', '=', userId).execute()
  const storageKeys: string[] = []
  for (const table of ['documents', 'generated_documents', 'loan_papers'] as const) {
    const removed = await sql.deleteFrom(table).where('borrower_id', '=', userId).returning('storage_key').execute()
    storageKeys.push(...removed.map((row) => row.storage_key))
  }
  // Staff chose the name of a paper's file, and can have written the borrower's into it.
  await sql
    .updateTable('operation_proposals')
    .set({ preview: raw`jsonb_set(jsonb_set(preview, '{before,filename}', '""', false), '{after,filename}', '""', false)` })
    .where('borrower_id', '=', userId)
    .where('kind', '=', 'paper_publish')
    .execute()
  // Answers to staff, kept for a day, contain the borrower's name.
  await sql
    .deleteFrom('idempotent_requests')
    .where('made_id', 'in', (query) => query.selectFrom('operation_proposals').select('proposal_id').where('borrower_id', '=', userId))
    .execute()
  await sql.deleteFrom('document_codes').where('borrower_id', '=', userId).execute()
  await sql.deleteFrom('user_phones').where('phone', '=', values.phone).execute()
  await sql.deleteFrom('sign_in_phones').where('phone', '=', values.phone).execute()
  await eraseSearches(sql, [nationalNumber(values.phone), values.firstName, values.lastName, ...(values.pan === null ? [] : [values.pan])])
  await eraseSearchWords(sql, [values.firstName, values.lastName, null])
  return storageKeys
}

/** No country has the code 0, so the number belongs to nobody; all erased people share it. */
export const erasedPhone = '+00000000000'
