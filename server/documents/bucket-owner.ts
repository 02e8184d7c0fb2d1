import { text } from 'node:stream/consumers'
import { sql as raw } from 'kysely'
import * as z from 'zod/mini'
import { dayMs } from '#domain/durations.ts'
import { ownerMarkerKey, type ObjectStorage } from '../adapters/object-storage/object-storage.ts'
import { putBytes } from '../adapters/object-storage/put-bytes.ts'
import type { Sql } from '../database/connect.ts'

/** The prefixes of stored objects; the sweep ignores all others. */
export const documentPrefixes = ['documents/', 'generated/'] as const
/** The sweep moves objects without a row to this prefix for {@link quarantineMs}. */
export const quarantinePrefix = 'quarantine/'
export const quarantineMs = 7 * dayMs

/**
 * Identifies a database. A dump loaded elsewhere and a physical copy keep the id; another server
 * has another system identifier, and a restored copy or promoted replica another timeline.
 */
export type DatabaseIdentity = { databaseId: string; systemIdentifier: string; timeline: number }

export async function readDatabaseIdentity(sql: Sql): Promise<DatabaseIdentity> {
  const { rows } = await raw<{ database_id: string; system_identifier: string; timeline: number }>`
    select database_id, (select system_identifier::text from pg_control_system()) as system_identifier,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline
    from installation`.execute(sql)
  const [row] = rows
  if (!row) throw new Error('The table installation is empty: kist migrate fills it')
  return { databaseId: row.database_id, systemIdentifier: row.system_identifier, timeline: row.timeline }
}

const marker = z.object({
  database_id: z.string(),
  system_identifier: z.string(),
  timeline: z.number(),
  claimed_at: z.string(),
  claimed_by: z.string(),
  reason: z.string(),
})
type OwnerMarker = { identity: DatabaseIdentity; claimedAt: string; claimedBy: string; reason: string }

const markerBytesMax = 16_384

/** @returns null if the bucket has no readable marker; then nobody is proved to own it. */
export async function readOwnerMarker(storage: ObjectStorage): Promise<OwnerMarker | null> {
  const found = await storage.find(ownerMarkerKey)
  if (!found || found.sizeBytes === 0 || found.sizeBytes > markerBytesMax) return null
  const bytes = await text(await storage.read(ownerMarkerKey, { first: 0, last: found.sizeBytes - 1 }))
  const read = marker.safeParse(parseJson(bytes))
  if (!read.success) return null
  const { database_id: databaseId, system_identifier: systemIdentifier, timeline, claimed_at, claimed_by, reason } = read.data
  return { identity: { databaseId, systemIdentifier, timeline }, claimedAt: claimed_at, claimedBy: claimed_by, reason }
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

type Ownership = 'own' | 'unclaimed' | 'foreign'

/** Whether the bucket belongs to the database; any difference makes it `foreign`. */
export function checkOwnership(ownerMarker: OwnerMarker | null, { databaseId, systemIdentifier, timeline }: DatabaseIdentity): Ownership {
  if (ownerMarker === null) return 'unclaimed'
  const { identity } = ownerMarker
  return identity.databaseId === databaseId && identity.systemIdentifier === systemIdentifier && identity.timeline === timeline
    ? 'own'
    : 'foreign'
}

type Claim = { by: string; reason: string; at: Date }

/** Writes the marker, after which the sweep of this database removes objects without a row. */
export async function claimBucket(storage: ObjectStorage, identity: DatabaseIdentity, { by, reason, at }: Claim): Promise<void> {
  const content: z.output<typeof marker> = {
    database_id: identity.databaseId,
    system_identifier: identity.systemIdentifier,
    timeline: identity.timeline,
    claimed_at: at.toISOString(),
    claimed_by: by,
    reason,
  }
  await putBytes(storage, ownerMarkerKey, `${JSON.stringify(content, null, 2)}\n`)
}

/**
 * Claims a bucket without marker and objects, which can have no other owner.
 *
 * @returns whether it was claimed.
 */
export async function claimEmptyBucket(storage: ObjectStorage, identity: DatabaseIdentity, claim: Claim): Promise<boolean> {
  if ((await storage.find(ownerMarkerKey)) !== null) return false
  for (const prefix of [...documentPrefixes, quarantinePrefix]) for await (const _object of storage.list(prefix)) return false
  await claimBucket(storage, identity, claim)
  return true
}

export const identityText = ({ databaseId, systemIdentifier, timeline }: DatabaseIdentity): string =>
  `database ${databaseId}, system ${systemIdentifier}, timeline ${timeline}`
