import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distributeTables } from '#server/database/distribute.ts'
import { migrate, migrationNames, migrationsDirectory } from '#server/migrate.ts'
import { queryOnce, withClient, withDatabase } from './query-once.ts'

/**
 * A Citus cluster for tests: KIST_TEST_CITUS names its nodes as their superuser, the coordinator
 * first, separated by commas. `npm run lab -- citus test` sets it.
 */
export const citusNodes: readonly string[] = (process.env['KIST_TEST_CITUS'] ?? '').split(',').filter(Boolean)

/** How a test connects: to distributed tables or not. */
export const testDistribution = { isDistributed: citusNodes.length > 0 }
/** The same as a setting, for a portal or the operator's tool. */
export const distributionSetting = { KIST_CITUS: testDistribution.isDistributed ? 'on' : 'off' }

const shardsOfTests = 6

/** The addresses of a database on the coordinator, for each login. */
export function citusUrls(database: string, nodes = citusNodes): { superuserUrl: string; ownerUrl: string; appUrl: string } {
  const [coordinator = ''] = nodes
  const urlAs = (user: string) => {
    const url = new URL(withDatabase(coordinator, database))
    url.username = user
    return url.href
  }
  return { superuserUrl: urlAs('postgres'), ownerUrl: urlAs('kist_owner'), appUrl: urlAs('kist_app') }
}

const onEveryNode = (database: string, statement: string, nodes = citusNodes) =>
  Promise.all(nodes.map((url) => queryOnce(withDatabase(url, database), statement)))

type CitusUrls = ReturnType<typeof citusUrls>

/** The last migration before tables could be distributed. */
const lastBeforeDistribution = '0051_access_log_subjects.sql'

async function migrateBeforeDistribution(ownerUrl: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kist-migrations-'))
  try {
    for (const name of migrationNames().filter((each) => each <= lastBeforeDistribution))
      symlinkSync(join(migrationsDirectory, name), join(directory, name))
    await migrate(ownerUrl, directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/**
 * Creates a database on every node, distributes its tables, and migrates it: later migrations run
 * on distributed tables, as on a cluster that is upgraded.
 *
 * @param fill adds rows before the tables are distributed, to a database with all migrations.
 */
export async function createCitusDatabase(
  name: string,
  nodes = citusNodes,
  { shards = shardsOfTests, fill }: { shards?: number; fill?: (urls: CitusUrls) => Promise<void> } = {},
): Promise<CitusUrls> {
  await onEveryNode('postgres', `drop database if exists ${name} with (force)`, nodes)
  await onEveryNode('postgres', `create database ${name} owner kist_owner template template0`, nodes)
  await onEveryNode(name, 'create extension citus', nodes)
  const [coordinator, ...workers] = nodes.map((url) => new URL(url))
  const urls = citusUrls(name, nodes)
  const { superuserUrl, ownerUrl } = urls
  await queryOnce(superuserUrl, `select citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`)
  for (const { hostname, port } of workers) await queryOnce(superuserUrl, `select citus_add_node('${hostname}', ${port})`)
  await (fill ? migrate(ownerUrl) : migrateBeforeDistribution(ownerUrl))
  await fill?.(urls)
  await withClient(ownerUrl, (client) => distributeTables(client, { shards }))
  await migrate(ownerUrl)
  return urls
}

/** One after another: of two processes that alter one database at once, one would fail. */
const refuseConnections = (database: string): string =>
  `select pg_advisory_xact_lock(hashtext('kist refuses connections')); alter database ${database} allow_connections false`

/**
 * Copies a database on every node under the same name: the nodes of the copy know each other as
 * those of the template do.
 */
export async function cloneCitusDatabase(template: string, name: string): Promise<void> {
  // Citus keeps a connection of its own to each database; a template must have none.
  await onEveryNode('postgres', refuseConnections(template))
  await onEveryNode('postgres', `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${template}'`)
  await onEveryNode('postgres', `create database ${name} template ${template} owner kist_owner`)
}

export const renameCitusDatabase = async (from: string, to: string): Promise<void> => {
  await onEveryNode('postgres', refuseConnections(from))
  await onEveryNode('postgres', `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${from}'`)
  await onEveryNode('postgres', `alter database ${from} rename to ${to}`)
}

export async function dropCitusDatabase(name: string): Promise<void> {
  // Citus connects to each database again after its connections were ended.
  for (let attempt = 1; ; attempt += 1)
    try {
      await onEveryNode('postgres', `drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if (attempt === 10) throw error
    }
}

/** Drops what an earlier run left: its towns were seeded by another version. */
export async function dropLeftDatabases(): Promise<void> {
  const [coordinator = ''] = citusNodes
  const left = await queryOnce(coordinator, "select datname from pg_database where datname ~ '^(town|kist_test)_'")
  for (const { datname } of left) await dropCitusDatabase(String(datname))
}
