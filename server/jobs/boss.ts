import { setTimeout as delay } from 'node:timers/promises'
import { fromKysely, PgBoss, type Job, type JobResult } from 'pg-boss'
import type { Logger } from 'pino'
import { afterCommit } from '../database/after-commit.ts'
import { clientWithSocketTimeout } from '../database/socket-timeout.ts'
import type { JobSignals } from '../config/settings.ts'
import { createNotifier } from './job-signals.ts'
import type { JobData, JobHandlers, Jobs } from './jobs.ts'
import { deadLetterOf, queues, type QueueName } from './queues.ts'
import { createSeal, type Sealed } from './encrypt-payload.ts'

export type JobsOptions = {
  /** The serving login's address. The owner has made the tables and queues when it migrated. */
  url: string
  /** A connection that owes an answer for so long is given up. */
  socketTimeoutMs: number
  /** What the jobs' content is sealed under; the same in every process. */
  secret: string
  log: Logger
  /** Whether this process is to do the work too (KIST_ROLE worker or all), or only asks for it. */
  work: boolean
  /** Who is told of a new job at its commit; everybody when absent. */
  signals?: JobSignals
  /** How often workers look for jobs that nobody told them of. Half a second when absent. */
  pollingIntervalSeconds?: number
}

export type RunningJobs = Jobs & {
  /** Begins to do the work. */
  begin(handlers: JobHandlers): Promise<void>
  /** Has jobs that were given up tried again, in the queue they came from. @returns how many. */
  retry(queue: QueueName, ids: readonly string[]): Promise<number>
  /**
   * Lets running work finish, for so long at most. What does not is tried again by the next
   * process.
   */
  stop(withinMs?: number): Promise<void>
}

/**
 * A worker takes the jobs that are waiting, up to a batch, and does them at once. After a full
 * batch it looks again without waiting.
 */
const workOptions = { batchSize: 20, burstWhenBatchFull: true, perJobResults: true } as const
/** Of each queue, so that one slow answer of a carrier does not hold up the rest. */
const workersPerQueue = 2
const connectionsMax = { asking: 1, working: 3 }
const stopWithinMs = 9_000

/**
 * Connects to the job queue.
 *
 * @throws when the database cannot be reached or its schema is not the one of this version: `kist
 * migrate` has not run.
 */
export async function startJobs(options: JobsOptions): Promise<RunningJobs> {
  const jobs = createJobs(options)
  await jobs.start()
  return jobs
}

/**
 * The job queue, not connected yet: a server whose database is behind this version starts it after
 * the migration.
 */
export function createJobs({
  url,
  socketTimeoutMs,
  secret,
  log,
  work,
  signals = 'all',
  pollingIntervalSeconds = 0.5,
}: JobsOptions): RunningJobs & { start(): Promise<void> } {
  // What it does not know itself it hands on to its pool.
  const pool = { Client: clientWithSocketTimeout(socketTimeoutMs) }
  const boss = new PgBoss({
    ...pool,
    connectionString: url,
    max: work ? connectionsMax.working : connectionsMax.asking,
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: work,
    useListenNotify: work && signals === 'all',
    // These two need the tables' owner.
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  boss.on('warning', ({ message, data }) => {
    if ('type' in data && data.type === 'listen_notify_unavailable') log.warn(data, message)
  })
  const { seal, open } = createSeal(secret)

  const run = async <Q extends QueueName>(handlers: JobHandlers, queue: Q, job: Job<Sealed>): Promise<JobResult> => {
    try {
      await handlers[queue](open(job.data) as JobData[Q])
      return { id: job.id, status: 'completed' }
    } catch (error) {
      log.warn({ err: error, queue, job: job.id, retries: job.retryCount }, 'a job failed')
      return { id: job.id, status: 'failed', output: error instanceof Error ? error.message : 'unknown' }
    }
  }
  const workerIds = new Map<QueueName, string[]>()
  const notifier = createNotifier((text, values) => boss.getDb().executeSql(text, values), log)
  /**
   * Has the job begun now instead of at the next poll: here where this process works, else
   * elsewhere.
   */
  const signal = (queue: QueueName): void => {
    const ids = workerIds.get(queue)
    if (ids !== undefined) for (const id of ids) boss.notifyWorker(id)
    else if (signals === 'all') notifier.notify(queue)
  }

  return {
    start: async () => {
      await boss.start()
    },
    begin: async (handlers) => {
      for (const { name } of queues) {
        const ids: string[] = []
        workerIds.set(name, ids)
        for (let worker = 1; worker <= workersPerQueue; worker += 1)
          ids.push(
            await boss.work(name, { ...workOptions, pollingIntervalSeconds }, (jobs: Job<Sealed>[]) =>
              Promise.all(jobs.map((job) => run(handlers, name, job))),
            ),
          )
      }
    },
    retry: (queue, ids) => boss.redrive(deadLetterOf(queue), { ids: [...ids] }),
    enqueue: async (sql, queue, data, { delayMs } = { delayMs: 0 }) => {
      const later = delayMs > 0 && { startAfter: delayMs / 1_000 }
      await boss.send(queue, seal(data), { db: fromKysely(sql), ...later })
      if (signals !== 'none' && delayMs === 0) afterCommit(sql, () => signal(queue))
    },
    stop: async (withinMs = stopWithinMs) => {
      const finished = Promise.all([...workerIds.keys()].map((name) => boss.offWork(name)))
      await Promise.race([finished, delay(withinMs, undefined, { ref: false })])
      await notifier.flush()
      await boss.stop({ graceful: false })
    },
  }
}
