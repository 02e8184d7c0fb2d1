import type { Sql } from '../database/connect.ts'
import { wrongTriesPerCodeMax, type PhoneHistory } from './sign-in-limits.ts'

export type SignInCode = {
  phone: string
  userId: string
  codeHash: Buffer
  wrongTries: number
  expiresAt: Date
  consumedAt: Date | null
  supersededAt: Date | null
}

/**
 * Locks what is remembered of a phone until the transaction ends, making the row at first. Whoever holds it is the only
 * one to send, compare or consume a code of this phone.
 */
export async function lockPhone(sql: Sql, phone: string): Promise<PhoneHistory> {
  await sql
    .insertInto('sign_in_phones')
    .values({ phone })
    .onConflict((conflict) => conflict.column('phone').doNothing())
    .execute()
  const row = await sql.selectFrom('sign_in_phones').selectAll().where('phone', '=', phone).forUpdate().executeTakeFirstOrThrow()
  return { failures: row.failures, lockedUntil: row.locked_until, signedInAt: row.signed_in_at, sentAt: row.sent_at }
}

export async function saveSends(sql: Sql, phone: string, sentAt: readonly Date[]): Promise<void> {
  await sql
    .updateTable('sign_in_phones')
    .set({ sent_at: [...sentAt] })
    .where('phone', '=', phone)
    .execute()
}

export async function saveFailures(sql: Sql, phone: string, failures: number, lockedUntil: Date | null): Promise<void> {
  await sql.updateTable('sign_in_phones').set({ failures, locked_until: lockedUntil }).where('phone', '=', phone).execute()
}

/** A finished sign-in clears the failures. */
export async function saveSignIn(sql: Sql, phone: string, now: Date): Promise<void> {
  await sql.updateTable('sign_in_phones').set({ failures: 0, locked_until: null, signed_in_at: now }).where('phone', '=', phone).execute()
}

/** Ends every code of a phone that could still be used: a new one is on its way. */
export async function supersedeCodes(sql: Sql, phone: string, now: Date): Promise<void> {
  await sql
    .updateTable('sign_in_codes')
    .set({ superseded_at: now })
    .where('phone', '=', phone)
    .where('consumed_at', 'is', null)
    .where('superseded_at', 'is', null)
    .execute()
}

export async function insertCode(
  sql: Sql,
  code: { tokenHash: Buffer; phone: string; userId: string; codeHash: Buffer; wrongTries: number; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await sql
    .insertInto('sign_in_codes')
    .values({
      token_hash: code.tokenHash,
      phone: code.phone,
      user_id: code.userId,
      code_hmac: code.codeHash,
      attempts: code.wrongTries,
      created_at: code.createdAt,
      expires_at: code.expiresAt,
    })
    .execute()
}

/** The phone a session token was made for; it never changes, so it may be read before the phone is locked. */
export async function findPhoneOfToken(sql: Sql, tokenHash: Buffer): Promise<string | undefined> {
  const row = await sql.selectFrom('sign_in_codes').select('phone').where('token_hash', '=', tokenHash).executeTakeFirst()
  return row?.phone
}

/** To be read under the phone's lock. */
export async function readCode(sql: Sql, tokenHash: Buffer): Promise<SignInCode> {
  const row = await sql.selectFrom('sign_in_codes').selectAll().where('token_hash', '=', tokenHash).executeTakeFirstOrThrow()
  return {
    phone: row.phone,
    userId: row.user_id,
    codeHash: row.code_hmac,
    wrongTries: row.attempts,
    expiresAt: row.expires_at,
    consumedAt: row.consumed_at,
    supersededAt: row.superseded_at,
  }
}

export async function countWrongTry(sql: Sql, tokenHash: Buffer): Promise<void> {
  await sql
    .updateTable('sign_in_codes')
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .execute()
}

/** Uses a code up. False when it was no longer usable; only one caller ever gets true. */
export async function consumeCode(sql: Sql, tokenHash: Buffer, now: Date): Promise<boolean> {
  const row = await sql
    .updateTable('sign_in_codes')
    .set({ consumed_at: now })
    .where('token_hash', '=', tokenHash)
    .where('consumed_at', 'is', null)
    .where('superseded_at', 'is', null)
    .where('attempts', '<', wrongTriesPerCodeMax)
    .where('expires_at', '>', now)
    .returning('token_hash')
    .executeTakeFirst()
  return row !== undefined
}
