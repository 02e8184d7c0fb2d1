import { join } from 'node:path'
import { dayInIndia } from '#domain/calendar.ts'
import { diskStorage } from '#server/adapters/object-storage/disk.ts'
import type { ObjectStorage } from '#server/adapters/object-storage/object-storage.ts'
import { connect } from '#server/database/connect.ts'
import { seedDemoTown } from './demo-town.ts'
import { citusNodes, cloneCitusDatabase, dropCitusDatabase, renameCitusDatabase, testDistribution } from './citus.ts'
import { withClient, withDatabase } from './query-once.ts'
import { alterDatabases, type TestCluster } from './test-database.ts'

/** A database with the demo town, to be cloned, and the directory of the town's documents. */
type TownTemplate = { database: string; documents: string }

/** Seeding takes seconds, a clone of the result takes a fraction of one. */
const templates = new Map<string, Promise<TownTemplate>>()

/**
 * The demo town of a moment, or of today. The first test that needs it seeds it; tests of other
 * processes wait for that.
 */
export function prepareTownTemplate(cluster: TestCluster, now: Date | undefined): Promise<TownTemplate> {
  const moment = now?.toISOString() ?? dayInIndia(new Date())
  const name = `town_${moment.toLowerCase().replace(/[^a-z0-9]/g, '_')}`
  // Some tests start a PostgreSQL of their own.
  const key = `${cluster.directory} ${name}`
  const template = templates.get(key) ?? seedTemplateOnce(cluster, name, now ?? new Date())
  templates.set(key, template)
  // Another test file may have more luck.
  template.catch(() => templates.delete(key))
  return template
}

async function seedTemplateOnce(cluster: TestCluster, database: string, now: Date): Promise<TownTemplate> {
  const template = { database, documents: join(cluster.directory, database) }
  return withClient(cluster.superuserUrl, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [database])
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database])
    if (rowCount) return template
    // The final name is given to a complete town only.
    const unfinished = `${database}_${process.pid}`
    if (citusNodes.length > 0) {
      await dropCitusDatabase(unfinished)
      await cloneCitusDatabase('kist', unfinished)
      await seed(withDatabase(cluster.appUrl, unfinished), template.documents, now)
      await renameCitusDatabase(unfinished, database)
      return template
    }
    await alterDatabases(cluster, `drop database if exists ${unfinished}`)
    await alterDatabases(cluster, `create database ${unfinished} template kist owner kist_owner`)
    await seed(withDatabase(cluster.appUrl, unfinished), template.documents, now)
    await alterDatabases(cluster, `alter database ${unfinished} rename to ${database}`)
    return template
  })
}

async function seed(appUrl: string, documents: string, now: Date): Promise<void> {
  const database = connect(appUrl, { connectionsMax: 2, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, ...testDistribution })
  try {
    await seedDemoTown(database, now, diskStorage(documents))
  } finally {
    await database.close()
  }
}

/**
 * Stores the town's documents in the storage of a portal. The portal may run already: only requests
 * read documents, and the sweep removes objects without a row, not rows without an object.
 */
export async function copyTownDocuments({ documents }: TownTemplate, storage: ObjectStorage): Promise<void> {
  for await (const { key } of diskStorage(documents).list('documents/')) await storage.put(key, join(documents, key))
}
