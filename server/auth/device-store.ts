import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'
import { lockOwner, supersedeCodes } from './sign-in-store.ts'
import { findUserById } from './user-store.ts'

/**
 * Each known device has a person's ten codes a day of its own, which no budget refuses: without a
 * number, somebody who signs in nine times a day on new browsers could have thousands sent.
 */
const knownDevicesMax = 10

export async function isKnownDevice(sql: Sql, userId: string, deviceHash: Buffer): Promise<boolean> {
  const row = await sql
    .selectFrom('sign_in_devices')
    .select('issued_at')
    .where('user_id', '=', userId)
    .where('device_hash', '=', deviceHash)
    .executeTakeFirst()
  return row !== undefined
}

/** The device on which a session was started, if it is still known for its person. */
export async function findDeviceOfSession(sql: Sql, userId: string, sessionId: string): Promise<Buffer | null> {
  const row = await sql
    .selectFrom('sessions')
    .innerJoin('sign_in_devices as device', (join) =>
      join.onRef('device.user_id', '=', 'sessions.user_id').onRef('device.device_hash', '=', 'sessions.device_hash'),
    )
    .select('device.device_hash')
    .where('sessions.user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row?.device_hash ?? null
}

/**
 * Makes a device known for a person after a sign-in; it gets its own limits. Of more than
 * {@link knownDevicesMax}, those that signed in longest ago become unknown.
 *
 * @returns whether it was unknown.
 */
export async function rememberDevice(sql: Sql, userId: string, deviceHash: Buffer, now: Date): Promise<boolean> {
  const { is_new: isNew } = await sql
    .insertInto('sign_in_devices')
    .values({ user_id: userId, device_hash: deviceHash, issued_at: now, signed_in_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'device_hash']).doUpdateSet({ issued_at: now, signed_in_at: now, failures: 0, locked_until: null }),
    )
    // An inserted row has no deleting transaction; an updated one has this one.
    .returning(raw<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow()
  if (isNew) await forgetEarlierDevices(sql, userId)
  return isNew
}

/**
 * Keeps a person's latest devices. Skips those that another transaction has locked: waiting for
 * them could end in a deadlock with a sign-in there. The next new device finds them.
 */
async function forgetEarlierDevices(sql: Sql, userId: string): Promise<void> {
  const devices = sql.selectFrom('sign_in_devices').where('user_id', '=', userId)
  const oldestKept = await devices
    .select('issued_at')
    .orderBy('issued_at', 'desc')
    .offset(knownDevicesMax - 1)
    .limit(1)
    .executeTakeFirst()
  if (!oldestKept) return
  const earlier = devices.select('device_hash').where('issued_at', '<', oldestKept.issued_at)
  const forgotten = await earlier.forUpdate().skipLocked().execute()
  if (forgotten.length === 0) return
  const hashes = forgotten.map((device) => device.device_hash)
  await sql.deleteFrom('sign_in_devices').where('user_id', '=', userId).where('device_hash', 'in', hashes).execute()
}

/**
 * Makes all devices of a person unknown except the given one; their cookies prove nothing any more,
 * and the codes that were asked for there are over, as are those of devices that were never known.
 * A sign-in on an unknown device that is under way ends first, and so does one with a code of
 * another device, so that the new device is among them.
 *
 * @returns how many devices were known, and how many codes ended.
 */
export async function forgetDevices(
  sql: Sql,
  userId: string,
  { except }: { except: Buffer | null },
  now: Date,
): Promise<{ devices: number; codes: number }> {
  const user = await findUserById(sql, userId)
  if (!user) return { devices: 0, codes: 0 }
  await lockOwner(sql, { phone: user.phone, userId, deviceHash: null })
  const known = sql.selectFrom('sign_in_devices').select('device_hash').where('user_id', '=', userId)
  await known.orderBy('device_hash').forUpdate().execute()
  const devices = sql.deleteFrom('sign_in_devices').where('user_id', '=', userId)
  const forgotten = await (except === null ? devices : devices.where('device_hash', '<>', except)).returning('device_hash').execute()
  let codes = 0
  for (const deviceHash of [null, ...forgotten.map((device) => device.device_hash)])
    codes += await supersedeCodes(sql, { phone: user.phone, deviceHash }, now)
  return { devices: forgotten.length, codes }
}
