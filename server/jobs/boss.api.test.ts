import { createServer, type AddressInfo, type Socket } from 'node:net'
import { pino } from 'pino'
import { sql as raw } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { testDistribution } from '#testkit/citus.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { afterCommit } from '../database/after-commit.ts'
import { connect, type Database } from '../database/connect.ts'
import { list, retry } from '#cli/commands/jobs.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { jobsConnectTimeoutFor, startJobs, type JobsOptions, type RunningJobs } from './boss.ts'
import { createNotifier } from './job-signals.ts'
import { countJobs, listJobs } from './job-store.ts'
import type { JobAttempt, JobData } from './jobs.ts'

let clone: Awaited<ReturnType<typeof cloneDatabase>>
let database: Database
let running: RunningJobs[] = []
beforeAll(async () => {
  clone = await cloneDatabase(inject('cluster'))
  database = connect(clone.appUrl, { connectionsMax: 4, connectTimeoutMs: 60_000, statementTimeoutMs: 15_000, ...testDistribution })
  // Retries have no delay.
  await database.asSystem((sql) => raw`update pgboss.queue set retry_delay = 0, retry_backoff = false`.execute(sql))
})
afterEach(async () => {
  await Promise.all(running.map((jobs) => jobs.stop()))
  running = []
})
afterAll(async () => {
  await database.close()
  await clone.drop()
})

type Message = JobData['send-sms']
const fields = { to: '+919000000001', code: '123456', templateId: null, tokenHash: '', expiresAt: '2026-12-05T04:30:00.000Z' }
const message = (text: string): Message => ({ ...fields, text })

type Start = { work: boolean; handle?: (data: Message, attempt: JobAttempt) => Promise<void> } & Partial<
  Pick<JobsOptions, 'signals' | 'pollingIntervalSeconds' | 'url' | 'connectTimeoutMs'>
>
async function start({ work, handle = async () => {}, ...options }: Start) {
  const logged: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) })
  const jobs = await startJobs({
    connectTimeoutMs: 60_000,
    socketTimeoutMs: 60_000,
    url: clone.appUrl,
    secret: 'a secret of at least thirty-two characters',
    log,
    work,
    ...options,
  })
  running.push(jobs)
  if (work)
    await jobs.begin({ 'send-sms': handle, 'send-notice': async () => {}, 'send-refund': async () => {}, reconcile: async () => {} })
  return { jobs, logged }
}
const enqueue = (jobs: RunningJobs, text: string) => database.asSystem((sql) => jobs.enqueue(sql, 'send-sms', message(text)))
const storedJobs = async () =>
  (
    await database.asSystem((sql) =>
      raw<{ state: string; job: string }>`select state, to_jsonb(job)::text as job from pgboss.job as job order by created_on`.execute(sql),
    )
  ).rows

/** Longer than the test, so that only signals wake the workers. */
const pollingIntervalSeconds = 3_600

it('a job that has ended is not run again because another of its batch is cut off', async () => {
  const handled: string[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const handle = async ({ text }: Message) => {
    handled.push(text)
    if (text === 'slow') await held
  }
  const { jobs: enqueuer } = await start({ work: false, signals: 'none' })
  for (const text of ['quick', 'slow', 'quick too']) await enqueue(enqueuer, text)
  const { jobs } = await start({ work: true, handle, signals: 'none', pollingIntervalSeconds })
  await vi.waitFor(() => expect(handled.toSorted()).toEqual(['quick', 'quick too', 'slow']), 60_000)
  await vi.waitFor(
    async () => expect((await storedJobs()).map(({ state }) => state).toSorted()).toEqual(['active', 'completed', 'completed']),
    60_000,
  )
  // Not 0: the other worker may still be asking for jobs, and would claim the slow one again.
  await jobs.stop(5_000)
  const { logged } = await start({ work: true, handle, signals: 'none', pollingIntervalSeconds })
  await vi.waitFor(() => expect(handled.toSorted()).toEqual(['quick', 'quick too', 'slow', 'slow']), 60_000)
  release()
  await vi.waitFor(async () => {
    const states = (await storedJobs()).map(({ state }) => state)
    expect({ states, logged }).toEqual({ states: ['completed', 'completed', 'completed'], logged: [] })
  }, 60_000)
})

describe('a job at its commit', () => {
  it('is started by the workers of the same process without polling', async () => {
    const done: string[] = []
    const handle = async ({ text }: Message) => void done.push(text)
    const { jobs } = await start({ work: true, handle, signals: 'process', pollingIntervalSeconds })
    await enqueue(jobs, 'first')
    await vi.waitFor(() => expect(done).toEqual(['first']), 60_000)
    await enqueue(jobs, 'second')
    await vi.waitFor(() => expect(done).toEqual(['first', 'second']), 60_000)
  })

  it('is started by the workers of another process without polling', async () => {
    const done: string[] = []
    const { logged } = await start({ work: true, handle: async ({ text }) => void done.push(text), pollingIntervalSeconds })
    const { jobs } = await start({ work: false })
    const texts = Array.from({ length: 30 }, (_, index) => `message ${index}`)
    await Promise.all(texts.map((text) => enqueue(jobs, text)))
    await vi.waitFor(() => expect(done.toSorted()).toEqual(texts.toSorted()), 60_000)
    expect(logged).toEqual([])
  })

  it('is found by polling without signals', async () => {
    const done: string[] = []
    const { jobs } = await start({ work: true, handle: async ({ text }) => void done.push(text), signals: 'none' })
    await enqueue(jobs, 'found')
    await vi.waitFor(() => expect(done).toEqual(['found']), 60_000)
  })

  it('is signalled only after the commit, and not after a rollback', async () => {
    const notified: string[] = []
    await database.asSystem(async (sql) => {
      afterCommit(sql, () => notified.push('committed'))
      expect(notified).toEqual([])
    })
    const rolledBack = database.asSystem((sql) => {
      afterCommit(sql, () => notified.push('rolled back'))
      return Promise.reject(new Error('the cause did not happen'))
    })
    await expect(rolledBack).rejects.toThrow('the cause did not happen')
    expect(notified).toEqual(['committed'])
  })
})

describe('signals to other processes', () => {
  it('use one statement per 20 ms, which names every queue once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const sent: { at: number; queues: unknown }[] = []
    const notifier = createNotifier(
      async (_text, [, queues]) => void sent.push({ at: performance.now(), queues }),
      pino({ level: 'silent' }),
    )
    notifier.notify('send-sms')
    notifier.notify('send-sms')
    notifier.notify('send-refund')
    await vi.advanceTimersByTimeAsync(0)
    notifier.notify('send-sms')
    await vi.advanceTimersByTimeAsync(19)
    expect(sent.map(({ queues }) => queues)).toEqual([['send-sms', 'send-refund']])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent.map(({ queues }) => queues)).toEqual([['send-sms', 'send-refund'], ['send-sms']])
    notifier.notify('reconcile')
    await notifier.flush()
    expect(sent.at(-1)?.queues).toEqual(['reconcile'])
    vi.useRealTimers()
  })
})

describe('background work', () => {
  it('runs once its transaction is committed, and not after a rollback', async () => {
    const done: Message[] = []
    const { jobs } = await start({ work: true, handle: async (data) => void done.push(data) })
    await expect(
      database.asSystem(async (sql) => {
        await jobs.enqueue(sql, 'send-sms', message('rolled back'))
        throw new Error('the cause did not happen')
      }),
    ).rejects.toThrow('the cause did not happen')
    await enqueue(jobs, 'committed')
    await vi.waitFor(() => expect(done).toEqual([message('committed')]), 60_000)
  })

  it('is enqueued by one process and run by another', async () => {
    const enqueuer = await start({ work: false, handle: () => Promise.reject(new Error('this process must not work')) })
    const done: string[] = []
    await enqueue(enqueuer.jobs, 'from elsewhere')
    await start({ work: true, handle: async ({ text }) => void done.push(text) })
    await vi.waitFor(() => expect(done).toEqual(['from elsewhere']), 60_000)
    expect(enqueuer.logged).toEqual([])
  })

  it('A14, A15: is stored without phone, text or code in clear text, and a failure is logged without them', async () => {
    const { jobs, logged } = await start({
      work: true,
      handle: () => Promise.reject(new Error('The text message was not sent: no route')),
    })
    await enqueue(jobs, 'the code is 123456')
    await vi.waitFor(() => expect(logged.join()).toContain('no route'), 60_000)
    await jobs.stop()
    const text = (await storedJobs()).map(({ job }) => job).join()
    expect(text).toContain('sealed')
    for (const secret of ['123456 is', 'code is 123456', '"123456"', '9000000001']) expect(`${text} ${logged.join()}`).not.toContain(secret)
    await database.asSystem((sql) => raw`delete from pgboss.job where state in ('created', 'retry', 'failed')`.execute(sql))
  })

  it('is retried after a failure', async () => {
    const tries: string[] = []
    const { jobs } = await start({
      work: true,
      handle: async ({ text }) => {
        tries.push(text)
        if (tries.length < 3) throw new Error('not yet')
      },
    })
    await enqueue(jobs, 'third time lucky')
    await vi.waitFor(() => expect(tries).toHaveLength(3), 60_000)
    await vi.waitFor(async () => expect((await storedJobs()).at(-1)?.state).toBe('completed'), 60_000)
  })

  it('runs 100 jobs once each without pauses, and a failure delays no other job', async () => {
    const enqueuer = await start({ work: false })
    const done: string[] = []
    let failures = 0
    const texts = Array.from({ length: 100 }, (_, index) => `message ${index}`)
    await database.asSystem(async (sql) => {
      for (const text of texts) await enqueuer.jobs.enqueue(sql, 'send-sms', message(text))
    })
    await start({
      work: true,
      pollingIntervalSeconds: 2,
      handle: async ({ text }) => {
        if (text === 'message 7' && failures++ === 0) throw new Error('not yet')
        done.push(text)
      },
    })
    // With one poll per job this would take 200 seconds.
    await vi.waitFor(() => expect(done.toSorted()).toEqual(texts.toSorted()), 60_000)
    expect(failures).toBe(2)
  })

  it('that is running finishes before the process stops', async () => {
    const begun = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const steps: string[] = []
    const { jobs } = await start({
      work: true,
      handle: async () => {
        begun.resolve()
        await released.promise
        steps.push('finished')
      },
    })
    await enqueue(jobs, 'slow')
    await begun.promise
    const stopped = jobs.stop().then(() => steps.push('stopped'))
    released.resolve()
    await stopped
    expect(steps).toEqual(['finished', 'stopped'])
    expect((await storedJobs()).at(-1)?.state).toBe('completed')
  })

  it('a job that fails is dead after its retries, delays no other, is listed without content, and runs on retry', async () => {
    let isCured = false
    const done: string[] = []
    const lastAttempts: boolean[] = []
    const { jobs } = await start({
      work: true,
      handle: async ({ text }, { isLast }) => {
        if (text === 'poison') lastAttempts.push(isLast)
        if (text === 'poison' && !isCured) throw new Error('no route to +919000000001 with rzp_test_kist00000000')
        done.push(text)
      },
    })
    // More older jobs than one list has.
    await database.asSystem(async (sql) => {
      for (let index = 0; index <= 200; index += 1)
        await jobs.enqueue(sql, 'send-refund', { borrowerId: '', refundId: `${index}` }, { delayMs: 3_600_000 })
    })
    await enqueue(jobs, 'poison')
    await enqueue(jobs, 'after it')
    await vi.waitFor(() => expect(done).toEqual(['after it']), 60_000)
    const dead = async () => database.asSystem((sql) => listJobs(sql, { isDead: true, limit: 100 }))
    await vi.waitFor(async () => expect(await dead()).toHaveLength(1), 60_000)
    expect(lastAttempts).toEqual([false, false, false, false, true])
    expect((await dead())[0]).toMatchObject({ queue: 'send-sms', attempts: 5, lastError: expect.stringContaining('no route') })
    const counted = async () => database.asSystem(countJobs)
    expect(await counted()).toEqual(
      expect.arrayContaining([
        { queue: 'send-sms', state: 'dead', count: 1 },
        { queue: 'send-refund', state: 'waiting', count: 201 },
      ]),
    )
    const operatorContext = {
      database,
      databaseUrl: clone.appUrl,
      ownerUrl: clone.ownerUrl,
      clock: { now: () => new Date() },
      jobs,
      operator: unnamedOperator(),
    }
    const notified = await list(operatorContext, 'send-sms')
    expect(notified).toMatch(/^dead {6}send-sms {5}[0-9a-f-]{36} {2}since \S+ {2}5 attempts {2}no route to \[phone\] with \[key\]$/)
    expect(notified).not.toMatch(/9000000001|poison|rzp_test/)
    await expect(retry(operatorContext, null, null)).rejects.toThrow('Name one job')
    for (const id of ['unknown', '0197f3a0-0000-7000-8000-000000000000'])
      await expect(retry(operatorContext, id, null)).rejects.toThrow(`There is no dead job ${id}`)
    // PostgreSQL stores no text with this character, so there is no entry of the access log.
    const unlogged = { ...operatorContext, operator: unnamedOperator('a\u0000b') }
    await expect(retry(unlogged, null, 'send-sms')).rejects.toThrow(/Unicode/)
    expect(await dead()).toHaveLength(1)
    isCured = true
    expect(await retry(operatorContext, null, 'send-sms')).toBe('retried: 1')
    await vi.waitFor(() => expect(done).toEqual(['after it', 'poison']), 60_000)
    expect(await dead()).toEqual([])
    expect((await counted()).filter(({ state }) => state === 'dead')).toEqual([])
    expect(await retry(operatorContext, null, 'send-sms')).toBe('retried: 0')
  })
})

describe('a database that accepts connections and never answers', () => {
  it('is given up after the connect timeout', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const started = performance.now()
    await expect(start({ work: false, url: `postgres://127.0.0.1:${port}/kist`, connectTimeoutMs: 300 })).rejects.toThrow('timeout')
    // The job library's own limit.
    expect(performance.now() - started).toBeLessThan(10_000)
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  it('keeps jobs waiting for at least ten seconds, and for longer if the setting says so', () => {
    expect([5_000, 60_000].map(jobsConnectTimeoutFor)).toEqual([10_000, 60_000])
  })
})
