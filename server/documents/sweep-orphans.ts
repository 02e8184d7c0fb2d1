import type { Context } from '../context.ts'
import { sweepStaging } from '../http/uploads.ts'
import type { StoredObject } from '../adapters/object-storage/object-storage.ts'
import { keysInUse } from './document-store.ts'

const keysAtOnce = 500

/**
 * Removes bytes that no row names: of uploads that a crash cut off between the bytes and the row, and files left in the staging
 * directory. What is young may be an upload under way and is left alone.
 *
 * @returns how many were removed.
 */
export async function sweepOrphans(context: Context): Promise<number> {
  const { orphanAgeMs, stagingDirectory } = context.config.documents
  let removed = await sweepStaging(stagingDirectory, orphanAgeMs)
  for (const prefix of ['documents/', 'generated/']) {
    let batch: StoredObject[] = []
    for await (const object of context.storage.list(prefix)) {
      if (object.ageMs < orphanAgeMs) continue
      batch.push(object)
      if (batch.length < keysAtOnce) continue
      removed += await removeUnnamed(context, batch)
      batch = []
    }
    removed += await removeUnnamed(context, batch)
  }
  if (removed > 0) context.log.info({ removed }, 'bytes without a row were removed')
  return removed
}

async function removeUnnamed({ database, storage }: Context, objects: readonly StoredObject[]): Promise<number> {
  const named = await database.asSystem((sql) =>
    keysInUse(
      sql,
      objects.map(({ key }) => key),
    ),
  )
  const orphans = objects.filter(({ key }) => !named.has(key))
  for (const { key } of orphans) await storage.remove(key)
  return orphans.length
}
