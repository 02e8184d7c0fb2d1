import type { Context } from '../context.ts'
import type { Lease } from '../database/lease.ts'
import {
  databaseIdentity,
  documentPrefixes,
  identityText,
  ownershipOf,
  quarantineMs,
  quarantinePrefix,
  readOwnerMarker,
} from './bucket-owner.ts'
import { keysInUse } from './document-store.ts'

/** The lease of this work: its last report is what the metrics of every process show. */
export const storageSweepLease = 'orphans'

const keysAtOnce = 500
/** One run moves no more, and none at all when it would be more and more than one in a hundred. */
const movedMax = 100
const shareMax = 0.01

/** What a run reports: `swept`, or why it removed nothing. */
export type SweepOutcome = 'swept' | 'unclaimed' | 'foreign' | 'too_many'

type SweepContext = Pick<Context, 'config' | 'database' | 'log' | 'storage'>

/**
 * Moves objects that no row names to the quarantine prefix: of uploads that a crash cut off between the bytes and the row. Young ones
 * may be an upload under way and stay. After seven days in quarantine an object is deleted, or moved back where a row names it again.
 * Nothing is removed from a bucket whose owner marker does not name this database (decision 59).
 *
 * @returns how many objects were moved or deleted.
 */
export async function sweepOrphans(context: SweepContext, lease: Pick<Lease, 'signal' | 'report'>): Promise<number> {
  const { database, log, storage } = context
  const identity = await database.asSystem(databaseIdentity)
  const mark = await readOwnerMarker(storage)
  const ownership = ownershipOf(mark, identity)
  if (ownership !== 'own') {
    const claimed = mark ? identityText(mark.identity) : 'nobody'
    log.error(
      { bucket: claimed, database: identityText(identity) },
      'the storage sweep is stopped: the bucket is not claimed by this database',
    )
    lease.report(ownership, 0)
    return 0
  }
  const { orphans, orphanCount, objectCount } = await findOrphans(context, lease)
  if (orphanCount > movedMax && orphanCount > objectCount * shareMax) {
    log.error({ orphanCount, objectCount }, 'the storage sweep is stopped: too many objects have no row')
    lease.report('too_many', orphanCount)
    return 0
  }
  for (const key of orphans) {
    lease.signal.throwIfAborted()
    await storage.move(key, quarantinePrefix + key)
  }
  const deleted = await emptyQuarantine(context, lease)
  if (orphans.length + deleted > 0)
    log.info({ moved: orphans.length, deleted }, 'objects without a row were moved to quarantine or deleted')
  lease.report('swept', orphans.length)
  return orphans.length + deleted
}

/** Every object is counted; of those without a row no more keys are kept than one run moves. */
async function findOrphans(
  { config, database, storage }: SweepContext,
  { signal }: Pick<Lease, 'signal'>,
): Promise<{ orphans: string[]; orphanCount: number; objectCount: number }> {
  const orphans: string[] = []
  let orphanCount = 0
  let objectCount = 0
  let batch: string[] = []
  const look = async () => {
    signal.throwIfAborted()
    const named = await database.asSystem((sql) => keysInUse(sql, batch))
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
      if (batch.length === keysAtOnce) await look()
    }
  await look()
  return { orphans, orphanCount, objectCount }
}

async function emptyQuarantine({ database, log, storage }: SweepContext, { signal }: Pick<Lease, 'signal'>): Promise<number> {
  let deleted = 0
  for await (const { key, ageMs } of storage.list(quarantinePrefix)) {
    if (ageMs < quarantineMs) continue
    signal.throwIfAborted()
    const original = key.slice(quarantinePrefix.length)
    const isNamed = (await database.asSystem((sql) => keysInUse(sql, [original]))).has(original)
    if (isNamed) {
      log.warn({ key: original }, 'an object was moved back from quarantine: a row names it')
      await storage.move(key, original)
    } else {
      await storage.remove(key)
      deleted += 1
    }
  }
  return deleted
}
