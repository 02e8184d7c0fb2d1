import { sign, verify } from 'node:crypto'
import { dayInIndia, toDay, type Day } from '#domain/calendar.ts'
import { parseKeys, parsePublicKey } from '../auth/token.ts'
import type { Context } from '../context.ts'
import type { Database } from '../database/connect.ts'
import type { Lease } from '../database/lease.ts'
import { computeDigest, insertAnchor, storeHeads, findLastAnchor, findLastStoredDay, type Anchor } from './audit-store.ts'

/** A transaction locks the chain heads that it stores, and requests wait for them. */
const headsPerBatch = 5_000

/**
 * Signs one line per India day over the heads of all chains that grew, and writes it to the
 * database and the log. With a copy of the log elsewhere, anyone can prove that no older entry was
 * changed, even by someone with write access to every table.
 *
 * The heads are stored in batches, each in its own transaction, before the line is signed. If a
 * process dies in between, the next run finishes the day with the stored heads.
 *
 * @param lease confirmed in each transaction, so that no other process stores heads or signs for
 * the day.
 * @returns null if the day is already anchored.
 */
export async function anchorAudit(
  { clock, config, database, log }: Pick<Context, 'clock' | 'config' | 'database' | 'log'>,
  lease: Pick<Lease, 'confirm'>,
): Promise<Anchor | null> {
  const now = clock.now()
  const today = dayInIndia(now)
  const { previous, storedDay } = await database.asSystem(async (sql) => ({
    previous: await findLastAnchor(sql),
    storedDay: await findLastStoredDay(sql),
  }))
  if (previous && previous.day >= today) return null
  const isUnfinished = storedDay !== null && storedDay < today && (!previous || storedDay > previous.day)
  const day = isUnfinished ? storedDay : today
  if (!isUnfinished) await storeAllHeads(database, lease, day)
  const [keyPem = ''] = config.signIn.tokenKeys
  const { keyId, privateKey } = parseKeys(keyPem)
  const anchor = await database.asSystem(async (sql) => {
    await lease.confirm(sql)
    const { heads, digest } = await computeDigest(sql, day, previous?.digest ?? null)
    const signature = sign(null, formatSignedLine({ day, heads, digest }), privateKey)
    const newAnchor: Anchor = { day, made_at: now, heads, digest, key_id: keyId, signature }
    await insertAnchor(sql, newAnchor)
    return newAnchor
  })
  log.info({ audit_anchor: anchorText(anchor) }, 'access log anchored')
  return anchor
}

async function storeAllHeads(database: Database, lease: Pick<Lease, 'confirm'>, day: Day): Promise<void> {
  let last: string | null = null
  do {
    const after: string | null = last
    last = await database.asSystem(async (sql): Promise<string | null> => {
      await lease.confirm(sql)
      return storeHeads(sql, day, after, headsPerBatch)
    })
  } while (last !== null)
}

/** An anchor as its line in the log has it. */
export type SignedAnchor = Omit<Anchor, 'made_at'>

/** The signed line as it is logged, which {@link findLoggedAnchors} reads. */
function anchorText({ day, heads, digest, key_id, signature }: SignedAnchor): string {
  return `${formatSignedLine({ day, heads, digest })} ${key_id} ${signature.toString('base64url')}`
}

/** Finds the anchors in a log, or in what was kept of it. */
export function findLoggedAnchors(log: string): SignedAnchor[] {
  const lines = log.matchAll(/kist audit anchor 1 (\d{4}-\d\d-\d\d) (\d+) ([0-9a-f]{64}) (\S+) ([\w-]+)/g)
  return [...lines].map(([, day = '', heads = '', digest = '', key_id = '', signature = '']) => ({
    day: toDay(day),
    heads: BigInt(heads),
    digest: Buffer.from(digest, 'hex'),
    key_id,
    signature: Buffer.from(signature, 'base64url'),
  }))
}

/** Whether one of these keys signed the anchor. */
export function isSignedBy(anchor: SignedAnchor, keyPems: readonly string[]): boolean {
  const key = keyPems.map(parsePublicKey).find(({ keyId }) => keyId === anchor.key_id)
  return key !== undefined && verify(null, formatSignedLine(anchor), key.publicKey, anchor.signature)
}

function formatSignedLine({ day, heads, digest }: { day: Day; heads: bigint; digest: Buffer }): Buffer {
  return Buffer.from(`kist audit anchor 1 ${day} ${heads} ${digest.toString('hex')}`)
}
