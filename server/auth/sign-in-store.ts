import type { CodeStatus } from '#contract/auth.ts'
import { sql as raw, type Updateable } from 'kysely'
import type { Database, Sql } from '../database/connect.ts'
import type { SignInDevices, SignInPhones } from '../database/schema.generated.ts'
import { encodeParameter, statement } from '../database/statement.ts'
import { sendRetentionMs, unlockDurationMs, type Send, type SignInHistory } from './sign-in-limits.ts'

/** A stored code. */
export type SignInCode = {
  tokenHash: Buffer
  codeHash: Buffer
  wrongTries: number
  expiresAt: Date
  consumedAt: Date | null
  supersededAt: Date | null
  /**
   * Whether it was sent to an unknown device, so that its use returns what the send took. A device
   * that was made unknown since took nothing.
   */
  tookUnknownSend: boolean
}

/**
 * The owner of a code's limits: a phone on unknown devices (`deviceHash` null), or one known
 * device.
 */
type CodeOwner = { phone: string; userId: string; deviceHash: Buffer | null }

/** A locked code owner with its history. */
export type LockedOwner = CodeOwner &
  SignInHistory & {
    /**
     * Until then the breaker lets codes to unknown devices pass; null if no operator has unlocked
     * the phone.
     */
    unlockedUntil: Date | null
  }

/**
 * Locks the history of a phone or known device until the transaction ends; inserts the phone's row
 * if absent. Only the lock's owner sends, compares or consumes this owner's codes. A device that is
 * no longer known counts as unknown.
 */
export async function lockOwner(sql: Sql, { phone, userId, deviceHash }: CodeOwner): Promise<LockedOwner> {
  if (deviceHash !== null) {
    const row = await sql
      .selectFrom('sign_in_devices')
      .selectAll()
      .where('user_id', '=', userId)
      .where('device_hash', '=', deviceHash)
      .forUpdate()
      .executeTakeFirst()
    if (row) {
      const sends = row.sent_at.map((at) => ({ at, network: '' }))
      const history = { failures: row.failures, lockedUntil: row.locked_until, signedInAt: row.signed_in_at, sends }
      return { phone, userId, deviceHash, ...history, unlockedUntil: null }
    }
  }
  await sql
    .insertInto('sign_in_phones')
    .values({ phone })
    .onConflict((conflict) => conflict.column('phone').doNothing())
    .execute()
  const row = await sql.selectFrom('sign_in_phones').selectAll().where('phone', '=', phone).forUpdate().executeTakeFirstOrThrow()
  const sends = row.sent_at.map((at, index) => ({ at, network: row.sent_from[index] ?? '' }))
  const history = { failures: row.failures, lockedUntil: row.locked_until, signedInAt: row.signed_in_at, sends }
  return { phone, userId, deviceHash: null, ...history, unlockedUntil: row.unlocked_until }
}

/**
 * Adds a send and drops those that are too old.
 *
 * @returns all remembered sends.
 */
export async function addSend(sql: Sql, owner: LockedOwner, send: Send, now: Date): Promise<readonly Send[]> {
  const sends = [...owner.sends.filter(({ at }) => at.getTime() > now.getTime() - sendRetentionMs), send]
  await updateOwner(sql, owner, { sent_at: sends.map(({ at }) => at) }, { sent_from: sends.map(({ network }) => network) })
  return sends
}

/** Stores the wrong codes in a row, and the end of the lock that they cause; null for none. */
export async function saveFailures(sql: Sql, owner: CodeOwner, failures: number, lockedUntil: Date | null): Promise<void> {
  await updateOwner(sql, owner, { failures, locked_until: lockedUntil })
}

/** Stores a sign-in and clears the failures. */
export async function saveSignIn(sql: Sql, owner: CodeOwner, now: Date): Promise<void> {
  await updateOwner(sql, owner, { failures: 0, locked_until: null, signed_in_at: now })
}

type HistoryUpdate = Updateable<Pick<SignInDevices, 'failures' | 'locked_until' | 'sent_at' | 'signed_in_at'>>

/** Updates the history of a phone or a known device. Only that of a phone names networks. */
async function updateOwner(
  sql: Sql,
  { phone, userId, deviceHash }: CodeOwner,
  history: HistoryUpdate,
  ofPhone: Updateable<Pick<SignInPhones, 'sent_from'>> = {},
): Promise<void> {
  if (deviceHash === null)
    await sql
      .updateTable('sign_in_phones')
      .set({ ...history, ...ofPhone })
      .where('phone', '=', phone)
      .execute()
  else await sql.updateTable('sign_in_devices').set(history).where('user_id', '=', userId).where('device_hash', '=', deviceHash).execute()
}

/**
 * Clears failures, locks and sends of a phone and its devices, and lets its codes pass the breaker
 * for an hour.
 *
 * @returns the number of cleared failures; null if there was nothing to clear.
 */
export async function unlockPhone(sql: Sql, { phone, userId }: { phone: string; userId: string }, now: Date): Promise<number | null> {
  const owner = await lockOwner(sql, { phone, userId, deviceHash: null })
  const devices = await sql
    .selectFrom('sign_in_devices')
    .select(['failures', 'locked_until', 'sent_at'])
    .where('user_id', '=', userId)
    .forUpdate()
    .execute()
  const histories = [owner, ...devices.map((row) => ({ failures: row.failures, lockedUntil: row.locked_until, sends: row.sent_at }))]
  const isClear = histories.every(({ failures, lockedUntil, sends }) => failures === 0 && lockedUntil === null && sends.length === 0)
  if (isClear && owner.unlockedUntil !== null && owner.unlockedUntil > now) return null
  const cleared = { failures: 0, locked_until: null, sent_at: [] }
  const unlockedUntil = new Date(now.getTime() + unlockDurationMs)
  await sql
    .updateTable('sign_in_phones')
    .set({ ...cleared, sent_from: [], unlocked_until: unlockedUntil })
    .where('phone', '=', phone)
    .execute()
  await sql.updateTable('sign_in_devices').set(cleared).where('user_id', '=', userId).execute()
  return histories.reduce((sum, { failures }) => sum + failures, 0)
}

/**
 * Ends every usable code of an owner: a new one is sent, or the device is made unknown. Codes of
 * other devices stay.
 *
 * @returns how many could still be used.
 */
export async function supersedeCodes(sql: Sql, { phone, deviceHash }: Pick<CodeOwner, 'phone' | 'deviceHash'>, now: Date): Promise<number> {
  const ended = await sql
    .updateTable('sign_in_codes')
    .set({ superseded_at: now })
    .where('phone', '=', phone)
    .where('device_hash', 'is not distinct from', deviceHash)
    .where('consumed_at', 'is', null)
    .where('superseded_at', 'is', null)
    .returning('expires_at')
    .execute()
  return ended.filter(({ expires_at: expiresAt }) => expiresAt > now).length
}

export async function insertCode(
  sql: Sql,
  { phone, userId, deviceHash }: CodeOwner,
  code: { tokenHash: Buffer; codeHash: Buffer; wrongTries: number; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await sql
    .insertInto('sign_in_codes')
    .values({
      token_hash: code.tokenHash,
      phone,
      user_id: userId,
      device_hash: deviceHash,
      code_hmac: code.codeHash,
      attempts: code.wrongTries,
      created_at: code.createdAt,
      expires_at: code.expiresAt,
    })
    .execute()
}

const codeOwner = statement<{ tokenHash: string | null }>()((sql, { tokenHash }) =>
  sql
    .selectFrom('sign_in_codes')
    .select(['phone', 'user_id', 'device_hash'])
    .where('token_hash', '=', raw<Buffer>`${tokenHash}::bytea`),
)

/**
 * Finds the code owner of a session token. It never changes, so it is read before the transaction:
 * an unknown token, of which attackers have many, costs one round trip.
 */
export async function findOwnerOfToken(database: Database, tokenHash: Buffer): Promise<CodeOwner | null> {
  const [[row]] = await database.readAsSystem([codeOwner.with({ tokenHash: encodeParameter(tokenHash) })])
  return row ? { phone: row.phone, userId: row.user_id, deviceHash: row.device_hash } : null
}

/** Reads a code. The caller holds the owner's lock. */
export async function readCode(sql: Sql, tokenHash: Buffer): Promise<SignInCode> {
  const row = await sql.selectFrom('sign_in_codes').selectAll().where('token_hash', '=', tokenHash).executeTakeFirstOrThrow()
  return {
    tokenHash,
    codeHash: row.code_hmac,
    wrongTries: row.attempts,
    expiresAt: row.expires_at,
    consumedAt: row.consumed_at,
    supersededAt: row.superseded_at,
    tookUnknownSend: row.device_hash === null,
  }
}

/** Records what has become of the message with a code. */
export async function saveMessageStatus(sql: Sql, tokenHash: Buffer, status: CodeStatus): Promise<void> {
  await sql.updateTable('sign_in_codes').set({ message_status: status }).where('token_hash', '=', tokenHash).execute()
}

/**
 * Reads what has become of the message with a code.
 *
 * @param expiredSince a code that expired by then is no longer known.
 * @returns null if `verify` would refuse every code for this session token.
 */
export async function findMessageStatus(sql: Sql, tokenHash: Buffer, expiredSince: Date): Promise<CodeStatus | null> {
  const row = await sql
    .selectFrom('sign_in_codes')
    .select(['user_id', 'message_status'])
    .where('token_hash', '=', tokenHash)
    .where('consumed_at', 'is', null)
    .where('superseded_at', 'is', null)
    .where('expires_at', '>', expiredSince)
    .executeTakeFirst()
  if (!row?.user_id) return null
  const owner = await sql
    .selectFrom('users')
    .select('user_id')
    .where('user_id', '=', row.user_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  return owner ? row.message_status : null
}

export async function countWrongTry(sql: Sql, tokenHash: Buffer): Promise<void> {
  await sql
    .updateTable('sign_in_codes')
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .execute()
}

/**
 * Consumes a code.
 *
 * @returns false if it was not usable; only one caller gets true.
 */
export async function consumeCode(sql: Sql, tokenHash: Buffer, wrongTriesMax: number, now: Date): Promise<boolean> {
  const row = await sql
    .updateTable('sign_in_codes')
    .set({ consumed_at: now })
    .where('token_hash', '=', tokenHash)
    .where('consumed_at', 'is', null)
    .where('superseded_at', 'is', null)
    .where('attempts', '<', wrongTriesMax)
    .where('expires_at', '>', now)
    .returning('token_hash')
    .executeTakeFirst()
  return row !== undefined
}
