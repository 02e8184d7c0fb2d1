import { join } from 'node:path'
import { startEmbedded } from '#server/database/embedded.ts'
import type { PostgresVersion } from '#server/database/embedded-binaries.ts'
import { migrate } from '#server/migrate.ts'
import { citusNodes, citusUrls, cloneCitusDatabase, createCitusDatabase, dropCitusDatabase, dropLeftDatabases } from './citus.ts'
import { queryOnce, withDatabase } from './query-once.ts'
import { makeRunDirectory } from './run-directory.ts'

export { queryOnce, withDatabase }

/** The PostgreSQL and the directory of a test run, provided to every test file. */
export type TestCluster = { superuserUrl: string; ownerUrl: string; appUrl: string; directory: string }

declare module 'vitest' {
  interface ProvidedContext {
    cluster: TestCluster
  }
}

/**
 * Starts a throw-away PostgreSQL with a migrated template database, or makes that of a Citus
 * cluster. Durability is off: it lives as long as the run.
 */
export async function startTestCluster(version: PostgresVersion = 18): Promise<TestCluster & { stop(): Promise<void> }> {
  const directory = makeRunDirectory()
  if (citusNodes.length > 0) {
    await dropLeftDatabases()
    await createCitusDatabase('kist')
    const [superuserUrl = ''] = citusNodes
    return { ...citusUrls('kist'), superuserUrl, directory: directory.path, stop: () => directory.remove() }
  }
  const postgres = await startEmbedded({ directory: join(directory.path, 'postgres'), durable: false, version })
  await migrate(postgres.ownerUrl)
  return {
    superuserUrl: postgres.superuserUrl,
    ownerUrl: postgres.ownerUrl,
    appUrl: postgres.appUrl,
    directory: directory.path,
    stop: async () => {
      await postgres.stop()
      await directory.remove()
    },
  }
}

let databases = 0

/** Clones a database for one test file from a template: the migrated one, or a seeded town. */
export async function cloneDatabase(
  cluster: TestCluster,
  template = 'kist',
): Promise<{ ownerUrl: string; appUrl: string; superuserUrl: string; drop(): Promise<void> }> {
  databases += 1
  const name = `kist_test_${process.pid}_${databases}`
  if (citusNodes.length > 0) {
    await cloneCitusDatabase(template, name)
    return { ...citusUrls(name), drop: () => dropCitusDatabase(name) }
  }
  await alterDatabases(cluster, `create database ${name} template ${template} owner kist_owner`)
  return {
    ownerUrl: withDatabase(cluster.ownerUrl, name),
    appUrl: withDatabase(cluster.appUrl, name),
    superuserUrl: withDatabase(cluster.superuserUrl, name),
    drop: () => alterDatabases(cluster, `drop database if exists ${name} with (force)`),
  }
}

/** SQLSTATE of PostgreSQL. */
const objectInUse = '55006'
const attemptsMax = 10

/**
 * Creates, renames or drops a database. Autovacuum may be in it for longer than PostgreSQL waits
 * for it to go (5 s).
 */
export async function alterDatabases({ superuserUrl }: TestCluster, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return void (await queryOnce(superuserUrl, statement))
    } catch (error) {
      if ((error as { code?: string }).code !== objectInUse || attempt === attemptsMax) throw error
    }
}
