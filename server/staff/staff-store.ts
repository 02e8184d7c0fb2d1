import { uuidv7 } from 'uuidv7'
import type { Sql } from '../database/connect.ts'

export type NewStaff = {
  phone: string
  email: string | null
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

/** Shuts a person out at once: no new sign-in, and every session of theirs ends. */
export async function disableUser(sql: Sql, userId: string, now: Date): Promise<void> {
  await sql.updateTable('users').set({ disabled_at: now }).where('user_id', '=', userId).where('disabled_at', 'is', null).execute()
  await sql.updateTable('sessions').set({ revoked_at: now }).where('user_id', '=', userId).where('revoked_at', 'is', null).execute()
}
