import { connect } from '#server/database/connect.ts'
import { readConfig } from '#server/config/read-config.ts'
import { cloneDatabase, type TestCluster } from '#testkit/test-database.ts'
import { runGroup } from './group.ts'

/**
 * A process that runs groups of histories, one after another, each on a database of its own. The
 * parent sends a group, and gets its findings.
 */
export type GroupOrder = { cluster: TestCluster; seed: number; loans: number; dueDates: number }

const connectionsMax = 12

async function runOrder({ cluster, seed, loans, dueDates }: GroupOrder): Promise<void> {
  const clone = await cloneDatabase(cluster)
  const config = readConfig({
    NODE_ENV: 'test',
    KIST_DEMO: 'true',
    KIST_DATA_DIR: cluster.directory,
    KIST_LIMITS: 'relaxed',
    KIST_ORIGIN: 'http://localhost:3000',
  })
  const database = connect(clone.appUrl, { connectionsMax, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
  const result = await runGroup({ database, config, seed, loans, dueDates }).finally(() => database.close())
  // The parent stops PostgreSQL after the last answer.
  await clone.drop()
  process.send?.(result)
}

process.on('message', (order: GroupOrder) => void runOrder(order))
process.once('disconnect', () => process.exit())
