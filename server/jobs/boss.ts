import { setTimeout as delay } from 'node:timers/promises'
import { fromKysely, PgBoss, type Job, type JobResult } from 'pg-boss'
import type { Logger } from 'pino'
import { impatientClient } from '../database/impatient-client.ts'
import type { JobData, JobHandlers, Jobs } from './jobs.ts'
import { deadLetterOf, queues, type QueueName } from './queues.ts'
import { createSeal, type Sealed } from './seal.ts'

export type JobsOptions = {
  /** The serving login's address. The owner has made the tables and queues when it migrated. */
  url: string
  /** A connection that owes an answer for so long is given up. */
  patienceMs: number
  /** What the jobs' content is sealed under; the same in every process. */
  secret: string
  log: Logger
  /** Whether this process is to do the work too (KIST_ROLE worker or all), or only asks for it. */
  work: boolean
}

export type RunningJobs = Jobs & {
  /** Begins to do the work. */
  begin(handlers: JobHandlers): Promise<void>
  /** Has jobs that were given up tried again, in the queue they came from. @returns how many. */
  retry(queue: QueueName, ids: readonly string[]): Promise<number>
  /** Lets running work finish, for so long at most. What does not is tried again by the next process. */
  stop(withinMs?: number): Promise<void>
}

/**
 * Each worker takes what has gathered since it last looked and does it at once, job by job; a full hand means there is
 * more, and it looks again without waiting. Two of them, so that one slow carrier's answer does not hold up the rest.
 */
const workOptions = {
  pollingIntervalSeconds: 0.5,
  batchSize: 20,
  burstWhenBatchFull: true,
  perJobResults: true,
  localConcurrency: 2,
} as const
const connectionsMax = { asking: 1, working: 3 }
const stopWithinMs = 9_000

/**
 * Connects to the job queue.
 *
 * @throws when the database cannot be reached or its schema is not the one of this version: `kist migrate` has not run.
 */
export async function startJobs(options: JobsOptions): Promise<RunningJobs> {
  const jobs = createJobs(options)
  await jobs.start()
  return jobs
}

/** The job queue, not connected yet: a server whose database is behind this version starts it after the migration. */
export function createJobs({ url, patienceMs, secret, log, work }: JobsOptions): RunningJobs & { start(): Promise<void> } {
  // What it does not know itself it hands on to its pool.
  const pool = { Client: impatientClient(patienceMs) }
  const boss = new PgBoss({
    ...pool,
    connectionString: url,
    max: work ? connectionsMax.working : connectionsMax.asking,
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: work,
    // These two need the tables' owner.
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
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
  let isWorking = false

  return {
    start: async () => {
      await boss.start()
    },
    begin: async (handlers) => {
      isWorking = true
      for (const { name } of queues)
        await boss.work(name, workOptions, (jobs: Job<Sealed>[]) => Promise.all(jobs.map((job) => run(handlers, name, job))))
    },
    retry: (queue, ids) => boss.redrive(deadLetterOf(queue), { ids: [...ids] }),
    enqueue: async (sql, queue, data) => {
      await boss.send(queue, seal(data), { db: fromKysely(sql) })
    },
    stop: async (withinMs = stopWithinMs) => {
      const finished = isWorking ? Promise.all(queues.map(({ name }) => boss.offWork(name))) : Promise.resolve()
      await Promise.race([finished, delay(withinMs, undefined, { ref: false })])
      await boss.stop({ graceful: false })
    },
  }
}
