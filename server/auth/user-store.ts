import type { User } from '#contract/auth.ts'
import { maskPan } from '#domain/pan.ts'
import type { Config } from '../config/config.ts'
import type { Sql } from '../database/connect.ts'

/** A person with the fields of the API. */
export type UserRow = Awaited<ReturnType<typeof findUserById>> & {}

/** The columns that {@link userOnWire} shows. */
export type ShownUser = Pick<
  UserRow,
  'user_id' | 'email' | 'phone' | 'pan' | 'first_name' | 'last_name' | 'email_verified' | 'is_ongoing_application'
>

/** Undefined for an unknown phone. Also finds disabled people: see `disabled_at`. */
export async function findUserByPhone(sql: Sql, phone: string) {
  const userId = await findUserIdByPhone(sql, phone)
  return userId === undefined ? undefined : findUserById(sql, userId)
}

/** The look-up is by phone, the person's rows are by id: on distributed tables they never join. */
export async function findUserIdByPhone(sql: Sql, phone: string): Promise<string | undefined> {
  const row = await sql.selectFrom('user_phones').select('user_id').where('phone', '=', phone).executeTakeFirst()
  return row?.user_id
}

export function findUserById(sql: Sql, userId: string) {
  return selectUsers(sql, userId).where('users.user_id', '=', userId).executeTakeFirst()
}

/** As {@link findUserById}; a change of the account waits for the end of the transaction. */
export function findUserForShare(sql: Sql, userId: string) {
  return selectUsers(sql, userId).where('users.user_id', '=', userId).forShare('users').executeTakeFirst()
}

export function findUsersByIds(sql: Sql, userIds: readonly string[]) {
  return userIds.length === 0 ? [] : selectUsers(sql).where('users.user_id', 'in', userIds).execute()
}

/** @param userId of one person: Citus looks for it in each sub-select too. */
function selectUsers(sql: Sql, userId?: string) {
  return sql
    .selectFrom('users')
    .selectAll('users')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('loan_applications')
          .select('loan_applications.application_id')
          .whereRef('loan_applications.borrower_id', '=', 'users.user_id')
          .$if(userId !== undefined, (query) => query.where('loan_applications.borrower_id', '=', userId ?? ''))
          .where('loan_applications.closed_at', 'is', null),
      ).as('is_ongoing_application'),
    )
}

/** Notices from before the first sign-in are not new (server/notices/notice-store.ts). */
export async function saveFirstSignIn(sql: Sql, userId: string, now: Date): Promise<void> {
  await sql.updateTable('users').set({ first_signed_in_at: now }).where('user_id', '=', userId).execute()
}

/** A person as all calls return them (decision 30). */
export function userOnWire(row: ShownUser): User {
  return {
    user_id: row.user_id,
    email: row.email,
    phone: row.phone,
    pan: row.pan,
    metadata: {
      first_name: row.first_name,
      last_name: row.last_name,
      phone: row.phone,
      email: row.email,
      email_verified: row.email_verified,
      pan: row.pan,
      is_ongoing_application: Boolean(row.is_ongoing_application),
    },
  }
}

/**
 * A borrower as staff see one among others. The PAN is masked for lenders whose staff need not read
 * it; its first five letters stay, to distinguish people with the same name.
 */
export function borrowerForStaff(row: ShownUser, { maskPan: isMasked }: Config['staff']): User {
  const user = userOnWire(row)
  if (!isMasked) return user
  const pan = user.pan && maskPan(user.pan)
  return { ...user, pan, metadata: { ...user.metadata, pan } }
}

/** The language that a borrower chose for text messages; null if none is chosen, and for staff. */
export async function findLanguage(sql: Sql, userId: string): Promise<'en' | 'hi' | null> {
  const row = await sql.selectFrom('notice_preferences').select('language').where('borrower_id', '=', userId).executeTakeFirst()
  return row?.language ?? null
}

/** First and last name, as staff read them. */
export const nameOf = ({ first_name, last_name }: Pick<UserRow, 'first_name' | 'last_name'>): string => `${first_name} ${last_name}`

/** The names of people, by id. */
export async function findNames(sql: Sql, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map()
  const rows = await sql
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name'])
    .where('user_id', 'in', [...new Set(userIds)])
    .execute()
  return new Map(rows.map((row) => [row.user_id, nameOf(row)]))
}
