import type { Clock } from '#server/config/clock.ts'
import { connect, type Database } from '#server/database/connect.ts'
import { unnamedOperator, type Operator } from '#server/staff/operator.ts'
import { cloneDatabase, type TestCluster } from './test-database.ts'

/** A database of its own without a portal on it, for tests of the ledger and of the operator's tool. */
export type TestDesk = {
  database: Database
  /** The serving login's address. */
  databaseUrl: string
  ownerUrl: string
  superuserUrl: string
  clock: Clock
  operator: Operator
  /** There is no provider here. */
  cancelLink(): Promise<never>
  close(): Promise<void>
}

export async function openDesk(cluster: TestCluster, now: Date): Promise<TestDesk> {
  const clone = await cloneDatabase(cluster)
  const database = connect(clone.appUrl, { connectionsMax: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 })
  return {
    database,
    databaseUrl: clone.appUrl,
    ownerUrl: clone.ownerUrl,
    superuserUrl: clone.superuserUrl,
    clock: { now: () => now },
    operator: unnamedOperator('test of the operator’s tool'),
    cancelLink: () => Promise.reject(new Error('This database has no provider beside it')),
    close: async () => {
      await database.close()
      await clone.drop()
    },
  }
}
