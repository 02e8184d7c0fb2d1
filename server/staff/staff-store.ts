import { uuidv7 } from 'uuidv7'
import { forgetDevices } from '../auth/device-store.ts'
import { revokeAllSessions } from '../auth/end-sessions.ts'
import { findUserIdByPhone, nameOf, type UserRow } from '../auth/user-store.ts'
import type { Sql } from '../database/connect.ts'

export type NewStaff = {
  phone: string
  email: string | null
  /** Null: not known. A person's own loans are recognised by it (operations/four-eyes.ts). */
  pan: string | null
  firstName: string
  lastName: string
  roles: readonly string[]
  permissions: readonly string[]
}

/** @returns the new user's id. */
export async function insertStaff(sql: Sql, staff: NewStaff, now: Date): Promise<string> {
  const userId = uuidv7()
  await sql
    .insertInto('users')
    .values({
      user_id: userId,
      phone: staff.phone,
      email: staff.email,
      pan: staff.pan,
      first_name: staff.firstName,
      last_name: staff.lastName,
      kind: 'staff',
      roles: [...staff.roles],
      permissions: [...staff.permissions],
      created_at: now,
    })
    .execute()
  await sql.insertInto('user_phones').values({ phone: staff.phone, user_id: userId }).execute()
  return userId
}

/**
 * Finds the enabled staff account with this phone.
 *
 * @returns undefined if there is none.
 */
export async function findEnabledStaff(sql: Sql, phone: string): Promise<{ userId: string; name: string } | undefined> {
  const knownId = await findUserIdByPhone(sql, phone)
  if (knownId === undefined) return undefined
  const staff = await sql
    .selectFrom('users')
    .select(['users.user_id', 'users.first_name', 'users.last_name'])
    .where('users.user_id', '=', knownId)
    .where('users.kind', '=', 'staff')
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
  return staff && { userId: staff.user_id, name: nameOf(staff) }
}

/** Whether anybody can be named by --as. A disabled account cannot. */
export async function hasEnabledStaff(sql: Sql): Promise<boolean> {
  const found = await sql
    .selectFrom('users')
    .select('user_id')
    .where('kind', '=', 'staff')
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Changes the particulars of a staff member: all sessions end, and no device is known any more. */
export async function changeStaff(
  sql: Sql,
  { user_id: userId, phone }: Pick<UserRow, 'user_id' | 'phone'>,
  to: NewStaff,
  now: Date,
): Promise<void> {
  // First, as a sign-in does: it locks its device, then the account.
  await forgetDevices(sql, userId, { except: null }, now)
  const { firstName: first_name, lastName: last_name, email, pan } = to
  const lists = { roles: [...to.roles], permissions: [...to.permissions] }
  await sql
    .updateTable('users')
    .set({ phone: to.phone, email, pan, first_name, last_name, ...lists })
    .where('user_id', '=', userId)
    .execute()
  await sql.updateTable('user_phones').set({ phone: to.phone }).where('phone', '=', phone).execute()
  await revokeAllSessions(sql, userId, now)
}

/** Disables a person: no new sign-in, and all sessions end. */
export async function disableUser(sql: Sql, userId: string, now: Date): Promise<void> {
  await sql.updateTable('users').set({ disabled_at: now }).where('user_id', '=', userId).where('disabled_at', 'is', null).execute()
  await revokeAllSessions(sql, userId, now)
}

/** Enables a disabled person again. Sessions that ended stay ended. */
export async function enableUser(sql: Sql, userId: string): Promise<void> {
  await sql.updateTable('users').set({ disabled_at: null }).where('user_id', '=', userId).execute()
}
