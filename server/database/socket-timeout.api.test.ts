import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { testDistribution } from '#testkit/citus.ts'
import { until } from '#testkit/until.ts'
import { startTcpProxy, type TcpProxy } from '#testkit/tcp-proxy.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { connect, type Database } from './connect.ts'
import { socketTimeoutFor } from './socket-timeout.ts'

/** Long enough for a busy machine. */
const statementTimeoutMs = 5_000
let clone: Awaited<ReturnType<typeof cloneDatabase>>
let network: TcpProxy
let database: Database

beforeAll(async () => {
  clone = await cloneDatabase(inject('cluster'))
  const url = new URL(clone.appUrl)
  network = await startTcpProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(network.port)
  database = connect(url.href, { connectionsMax: 2, connectTimeoutMs: 5_000, statementTimeoutMs, ...testDistribution })
})
afterAll(async () => {
  await database.close()
  await network.close()
  await clone.drop()
})
const query = () => database.asSystem((sql) => sql.selectFrom('schema_migrations').select('name').limit(1).execute())
/** On a busy machine a connection may be opened too late. */
const queryUntilAnswered = () => until(() => query().catch(() => null))

it('a connection lost by the network is closed and replaced', async () => {
  await queryUntilAnswered()
  network.order({ kind: 'blackhole' })
  const started = performance.now()
  // More queries than connections, so that every connection must recover.
  const results = await Promise.allSettled([query(), query(), query(), query()])
  expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
  expect(performance.now() - started).toBeLessThan(socketTimeoutFor(statementTimeoutMs) * 2 + 20_000)
  network.order(null)
  expect(await queryUntilAnswered()).toHaveLength(1)
})
