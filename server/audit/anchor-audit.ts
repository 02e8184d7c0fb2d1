import { sign, verify } from 'node:crypto'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { keysOf, publicKeyOf } from '../auth/token.ts'
import type { Context } from '../context.ts'
import { digestOf, insertAnchor, keepHeads, lastAnchor, type Anchor } from './audit-store.ts'

/**
 * Signs, once a day in India, one line over the ends of all chains that grew. It goes to the database and to the server's
 * log: whoever keeps the log elsewhere can prove that no line older than it was changed, even by someone who could write
 * every table.
 *
 * @returns null when the day has its line already.
 */
export async function anchorAudit({
  clock,
  config,
  database,
  log,
}: Pick<Context, 'clock' | 'config' | 'database' | 'log'>): Promise<Anchor | null> {
  const now = clock.now()
  const day = dayInIndia(now)
  const [keyPem = ''] = config.signIn.tokenKeys
  const { keyId, privateKey } = keysOf(keyPem)
  const anchor = await database
    .asSystem(async (sql) => {
      const before = await lastAnchor(sql)
      if (before && before.day >= day) return null
      await keepHeads(sql, day)
      const { heads, digest } = await digestOf(sql, day, before?.digest ?? null)
      const made: Anchor = {
        day,
        made_at: now,
        heads,
        digest,
        key_id: keyId,
        signature: sign(null, lineOf({ day, heads, digest }), privateKey),
      }
      await insertAnchor(sql, made)
      return made
    })
    .catch((error: unknown) => {
      // Another server was first: unique_violation.
      if ((error as { code?: string }).code === '23505') return null
      throw error
    })
  if (anchor) log.info({ audit_anchor: anchorText(anchor) }, 'the access log was anchored')
  return anchor
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
