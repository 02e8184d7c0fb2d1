import pg from 'pg'
import { connect, type Database } from '#server/database/connect.ts'
import { socketTimeoutFor } from '#server/database/socket-timeout.ts'
import { jobsConnectTimeoutFor, startJobs, type JobsOptions, type RunningJobs } from '#server/jobs/boss.ts'
import { createJobHandlers } from '#server/job-handlers.ts'
import { createLog } from '#server/log.ts'
import { startApp, until } from '#testkit/start-app.ts'
import { startTestCluster, cloneDatabase } from '#testkit/test-database.ts'
import { ratio, type Benchmark } from './measure.ts'

/** Interval of messages, so that workers are idle. No multiple of the polling interval. */
const pauseMs = 137

/**
 * From the commit of a sign-in code's job to the call of the SMS adapter, 95th percentile, for the
 * same process and for another one. The floor is the database's part: a row, its commit, NOTIFY,
 * and one fetch of the row by the listening connection.
 */
export const jobLatencyBenchmark: Benchmark = {
  name: 'job-latency',
  run: async ({ quick }) => {
    const cluster = await startTestCluster()
    const app = await startApp(cluster, { settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
    const clone = await cloneDatabase(cluster)
    const limits = { connectionsMax: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 15_000 }
    const database = connect(clone.appUrl, limits)
    const common = {
      url: clone.appUrl,
      connectTimeoutMs: jobsConnectTimeoutFor(limits.connectTimeoutMs),
      socketTimeoutMs: socketTimeoutFor(limits.statementTimeoutMs),
      secret: 'a secret of at least thirty-two characters',
      log: createLog({ logLevel: 'warn', production: false }),
    }
    const sentAtMs = new Map<string, number>()
    const sms = { send: async ({ text }: { text: string }) => (sentAtMs.set(text, performance.now()), 'sent' as const) }
    const handlers = createJobHandlers(app.context, sms)
    const measure = async (options: Pick<JobsOptions, 'signals'>, isOtherProcess: boolean): Promise<number> => {
      const worker = await startJobs({ ...common, ...options, work: true })
      await worker.begin(handlers)
      const asker = isOtherProcess ? await startJobs({ ...common, ...options, work: false }) : worker
      const latencies: number[] = []
      for (let message = 0; message < (quick ? 40 : 200); message += 1)
        latencies.push(await latencyOf(database, asker, sentAtMs, `${isOtherProcess} ${options.signals} ${message}`))
      await Promise.all(Array.from(new Set([worker, asker]), (jobs) => jobs.stop()))
      return p95(latencies)
    }
    try {
      const same = await measure({ signals: 'process' }, false)
      const other = await measure({ signals: 'all' }, true)
      const polling = await measure({ signals: 'none' }, true)
      const floor = await floorOf(clone.ownerUrl, quick ? 40 : 200)
      return `job-latency: ratio ${ratio(other, floor)} (ours ${other.toFixed(1)} ms p95 to another process, ${same.toFixed(1)} ms in the same, ${polling.toFixed(0)} ms by polling alone, floor ${floor.toFixed(1)} ms of a row, its NOTIFY and one fetch)`
    } finally {
      await database.close()
      await clone.drop()
      await app.close()
      await cluster.stop()
    }
  },
}

async function latencyOf(database: Database, jobs: RunningJobs, sentAtMs: Map<string, number>, text: string): Promise<number> {
  await pause()
  await database.asSystem((sql) =>
    jobs.enqueue(sql, 'send-sms', {
      to: '+919999999999',
      text,
      code: '123456',
      templateId: null,
      tokenHash: '',
      expiresAt: '2999-01-01T00:00:00Z',
    }),
  )
  const committedAtMs = performance.now()
  return (await until(() => sentAtMs.get(text))) - committedAtMs
}

async function floorOf(url: string, messages: number): Promise<number> {
  const [writer, listener] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([writer.connect(), listener.connect()])
  await writer.query('create table latency_floor (id bigint primary key, state text not null)')
  let fetched: () => void = () => {}
  listener.on('notification', () => {
    void listener
      .query(
        `update latency_floor set state = 'active' where id = (select id from latency_floor where state = 'created' for update skip locked limit 1)`,
      )
      .then(() => fetched())
  })
  await listener.query('listen latency_floor')
  const latencies: number[] = []
  for (let message = 0; message < messages; message += 1) {
    await pause()
    const done = new Promise<void>((resolve) => (fetched = resolve))
    await writer.query("insert into latency_floor values ($1, 'created')", [message])
    const committedAtMs = performance.now()
    await writer.query("select pg_notify('latency_floor', '')")
    await done
    latencies.push(performance.now() - committedAtMs)
  }
  await Promise.all([writer.end(), listener.end()])
  return p95(latencies)
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs))

const p95 = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? 0
