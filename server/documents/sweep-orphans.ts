import type { Context } from '../context.ts'
import type { Lease } from '../database/lease.ts'
import {
  readDatabaseIdentity,
  documentPrefixes,
  identityText,
  checkOwnership,
  quarantineMs,
  quarantinePrefix,
  readOwnerMarker,
} from './bucket-owner.ts'
import { findKeysInUse } from './document-store.ts'

/** The lease of this job; the metrics of every process show its last report. */
export const storageSweepLease = 'orphans'

const keysPerBatch = 500
/**
 * A run moves at most this many objects, and none if there are more of them than one in a hundred.
 */
const movedMax = 100
const shareMax = 0.01

type SweepContext = Pick<Context, 'config' | 'database' | 'log' | 'storage'>

/**
 * Moves objects without a row to the quarantine prefix: the rest of uploads that a crash
 * interrupted. Recent objects may belong to a running upload and stay. After seven days in
 * quarantine an object is deleted, or moved back if a row names it again. Nothing is removed from a
 * bucket whose owner marker does not name this database (decision 59). Reports `swept`, or why
 * nothing was removed: `unclaimed`, `foreign`, `too_many`.
 *
 * @returns the number of moved or deleted objects.
 */
export async function sweepOrphans(context: SweepContext, lease: Pick<Lease, 'signal' | 'report'>): Promise<number> {
  const { database, log, storage } = context
  const identity = await database.asSystem(readDatabaseIdentity)
  const ownerMarker = await readOwnerMarker(storage)
  const ownership = checkOwnership(ownerMarker, identity)
  if (ownership !== 'own') {
    const claimed = ownerMarker ? identityText(ownerMarker.identity) : 'nobody'
    log.error({ bucket: claimed, database: identityText(identity) }, 'storage sweep stopped: bucket not claimed by this database')
    lease.report(ownership, 0)
    return 0
  }
  const { orphans, orphanCount, objectCount } = await findOrphans(context, lease)
  if (orphanCount > movedMax && orphanCount > objectCount * shareMax) {
    log.error({ orphanCount, objectCount }, 'storage sweep stopped: too many objects without a row')
    lease.report('too_many', orphanCount)
    return 0
  }
  for (const key of orphans) {
    lease.signal.throwIfAborted()
    await storage.move(key, quarantinePrefix + key)
  }
  const deleted = await emptyQuarantine(context, lease)
  if (orphans.length + deleted > 0)
    log.info({ moved: orphans.length, deleted }, 'moved objects without a row to quarantine or deleted them')
  lease.report('swept', orphans.length)
  return orphans.length + deleted
}

/** Counts all objects, and collects at most as many keys without a row as one run moves. */
async function findOrphans(
  { config, database, storage }: SweepContext,
  { signal }: Pick<Lease, 'signal'>,
): Promise<{ orphans: string[]; orphanCount: number; objectCount: number }> {
  const orphans: string[] = []
  let orphanCount = 0
  let objectCount = 0
  let batch: string[] = []
  const checkBatch = async () => {
    signal.throwIfAborted()
    const named = await database.asSystem((sql) => findKeysInUse(sql, batch))
    const unnamed = batch.filter((key) => !named.has(key))
    orphanCount += unnamed.length
    orphans.push(...unnamed.slice(0, movedMax - orphans.length))
    batch = []
  }
  for (const prefix of documentPrefixes)
    for await (const { key, ageMs } of storage.list(prefix)) {
      objectCount += 1
      if (ageMs < config.documents.orphanAgeMs) continue
      batch.push(key)
      if (batch.length === keysPerBatch) await checkBatch()
    }
  await checkBatch()
  return { orphans, orphanCount, objectCount }
}

async function emptyQuarantine({ database, log, storage }: SweepContext, { signal }: Pick<Lease, 'signal'>): Promise<number> {
  let deleted = 0
  for await (const { key, ageMs } of storage.list(quarantinePrefix)) {
    if (ageMs < quarantineMs) continue
    signal.throwIfAborted()
    const original = key.slice(quarantinePrefix.length)
    const isNamed = (await database.asSystem((sql) => findKeysInUse(sql, [original]))).has(original)
    if (isNamed) {
      log.warn({ key: original }, 'moved an object back from quarantine: a row names it')
      await storage.move(key, original)
    } else {
      await storage.remove(key)
      deleted += 1
    }
  }
  return deleted
}
