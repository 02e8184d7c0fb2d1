import { sign, verify } from 'node:crypto'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { keysOf, publicKeyOf } from '../auth/token.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/connect.ts'
import type { Lease } from '../database/lease.ts'
import { digestOf, insertAnchor, keepHeads, lastAnchor, lastKeptDay, type Anchor } from './audit-store.ts'

/** A transaction locks the heads that it keeps, and requests wait for them. */
const headsAtOnce = 5_000

/**
 * Signs, once a day in India, one line over the ends of all chains that grew. It goes to the database and to the server's
 * log: whoever keeps the log elsewhere can prove that no line older than it was changed, even by someone who could write
 * every table.
 *
 * The ends are kept in batches, each in a transaction of its own; only then the line is signed. Where a process died in between, the day is
 * finished from what it had kept.
 *
 * @param lease confirmed in each transaction: no other process keeps heads or signs for the day meanwhile.
 * @returns null when the day has its line already.
 */
export async function anchorAudit(
  { clock, config, database, log }: Pick<Context, 'clock' | 'config' | 'database' | 'log'>,
  lease: Pick<Lease, 'confirm'>,
): Promise<Anchor | null> {
  const now = clock.now()
  const today = dayInIndia(now)
  const { before, kept } = await database.asSystem(async (sql) => ({ before: await lastAnchor(sql), kept: await lastKeptDay(sql) }))
  if (before && before.day >= today) return null
  const isUnfinished = kept !== null && kept < today && (!before || kept > before.day)
  const day = isUnfinished ? kept : today
  if (!isUnfinished) await keepAllHeads(database, lease, day)
  const [keyPem = ''] = config.signIn.tokenKeys
  const { keyId, privateKey } = keysOf(keyPem)
  const anchor = await database.asSystem(async (sql) => {
    await lease.confirm(sql)
    const { heads, digest } = await digestOf(sql, day, before?.digest ?? null)
    const signature = sign(null, lineOf({ day, heads, digest }), privateKey)
    const made: Anchor = { day, made_at: now, heads, digest, key_id: keyId, signature }
    await insertAnchor(sql, made)
    return made
  })
  log.info({ audit_anchor: anchorText(anchor) }, 'the access log was anchored')
  return anchor
}

async function keepAllHeads(database: Database, lease: Pick<Lease, 'confirm'>, day: Day): Promise<void> {
  let last: string | null = null
  do {
    const after: string | null = last
    last = await database.asSystem(async (sql): Promise<string | null> => {
      await lease.confirm(sql)
      return keepHeads(sql, day, after, headsAtOnce)
    })
  } while (last !== null)
}

/** The signed line as the log has it. */
export function anchorText({ day, heads, digest, key_id, signature }: Anchor): string {
  return `${lineOf({ day, heads, digest })} ${key_id} ${signature.toString('base64url')}`
}

/** Whether one of these keys signed the anchor. */
export function isSignedBy(anchor: Anchor, keyPems: readonly string[]): boolean {
  const key = keyPems.map(publicKeyOf).find(({ keyId }) => keyId === anchor.key_id)
  return key !== undefined && verify(null, lineOf(anchor), key.publicKey, anchor.signature)
}

function lineOf({ day, heads, digest }: { day: Day; heads: bigint; digest: Buffer }): Buffer {
  return Buffer.from(`kist audit anchor 1 ${day} ${heads} ${digest.toString('hex')}`)
}
