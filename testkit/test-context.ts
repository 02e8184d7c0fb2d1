import type { Clock } from '#server/config/clock.ts'
import { testDistribution } from './citus.ts'
import { connect, type Database } from '#server/database/connect.ts'
import { unnamedOperator, type Operator } from '#server/staff/operator.ts'
import { cloneDatabase, type TestCluster } from './test-database.ts'
import { prepareTownTemplate } from './town-template.ts'

/** A separate database without a portal, for tests of the ledger and of the operator's tool. */
export type TestContext = {
  database: Database
  /** The address of the serving login. */
  databaseUrl: string
  ownerUrl: string
  superuserUrl: string
  clock: Clock
  operator: Operator
  /** Rejects: there is no provider. */
  cancelLink(): Promise<never>
  close(): Promise<void>
}

type TestContextOptions = {
  /**
   * The time of the clock, which stands still; by default the system's. Demo towns of the default
   * time are clones of one template, any other time has a template of its own.
   */
  now?: Date
  /** Whether the database has the demo town. */
  town?: boolean
}

export async function openTestContext(cluster: TestCluster, { now, town = false }: TestContextOptions = {}): Promise<TestContext> {
  const clone = await cloneDatabase(cluster, town ? (await prepareTownTemplate(cluster, now)).database : undefined)
  const fixedNow = now ?? new Date()
  const database = connect(clone.appUrl, { connectionsMax: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, ...testDistribution })
  return {
    database,
    databaseUrl: clone.appUrl,
    ownerUrl: clone.ownerUrl,
    superuserUrl: clone.superuserUrl,
    clock: { now: () => fixedNow },
    operator: unnamedOperator('test of the operator’s tool'),
    cancelLink: () => Promise.reject(new Error('this test has no provider')),
    close: async () => {
      await database.close()
      await clone.drop()
    },
  }
}
