import { setTimeout as delay } from 'node:timers/promises'
import { fromKysely, PgBoss, type JobWithMetadata } from 'pg-boss'
import type { Logger } from 'pino'
import { afterCommit } from '../database/after-commit.ts'
import { clientWithSocketTimeout } from '../database/socket-timeout.ts'
import type { JobSignals } from '../config/settings.ts'
import { createNotifier } from './job-signals.ts'
import type { JobHandlers, Jobs } from './jobs.ts'
import { nameDeadLetter, queues, type QueueName } from './queues.ts'
import { createPayloadCipher, type EncryptedPayload } from './encrypt-payload.ts'
import { createBatchRunner } from './run-batch.ts'

export type JobsOptions = {
  /**
   * The address of the serving login. The migration has created the tables and queues as their
   * owner.
   */
  url: string
  /** Limit for opening a connection, or for a wait until one of the pool is free. */
  connectTimeoutMs: number
  /** A connection is closed if the database does not answer within this time. */
  socketTimeoutMs: number
  /** The secret that encrypts the payloads; the same in every process. */
  secret: string
  log: Logger
  /** Whether this process also runs jobs (KIST_ROLE worker or all). */
  work: boolean
  /** Which workers are woken when a job is committed; all by default. */
  signals?: JobSignals
  /** How often workers poll for jobs; 0.5 s by default. */
  pollingIntervalSeconds?: number
}

export type RunningJobs = Jobs & {
  /** Starts the workers. */
  begin(handlers: JobHandlers): Promise<void>
  /**
   * Moves dead jobs back to their queue.
   *
   * @returns the number of moved jobs.
   */
  retry(queue: QueueName, ids: readonly string[]): Promise<number>
  /** Waits for running jobs, at most `timeoutMs`. The next process retries unfinished ones. */
  stop(timeoutMs?: number): Promise<void>
}

/**
 * A worker takes up to `batchSize` waiting jobs and runs them concurrently. After a full batch it
 * polls again at once.
 */
const workOptions = { batchSize: 20, burstWhenBatchFull: true, perJobResults: true, includeMetadata: true } as const
/** Several workers per queue, so that one slow carrier request does not delay the rest. */
const workersPerQueue = 2
const connectionsMax = { enqueueOnly: 1, worker: 3 }
const stopTimeoutMs = 9_000
/** All workers share a pool of a few connections, so a wait for a free one takes longer. */
const connectTimeoutMinMs = 10_000

/** @returns the queue's limit, from the one of the other connections. */
export const jobsConnectTimeoutFor = (connectTimeoutMs: number): number => Math.max(connectTimeoutMinMs, connectTimeoutMs)

/**
 * Connects to the job queue.
 *
 * @throws if the database is unreachable or its job schema differs from this version: `kist
 * migrate` has not run.
 */
export async function startJobs(options: JobsOptions): Promise<RunningJobs> {
  const jobs = createJobs(options)
  await jobs.start()
  return jobs
}

/**
 * Creates the job queue without connecting. A server whose schema is behind starts it after the
 * migration.
 */
export function createJobs({
  url,
  connectTimeoutMs,
  socketTimeoutMs,
  secret,
  log,
  work,
  signals = 'all',
  pollingIntervalSeconds = 0.5,
}: JobsOptions): RunningJobs & { start(): Promise<void> } {
  // PgBoss passes unknown options to its poolOptions.
  const poolOptions = { Client: clientWithSocketTimeout(socketTimeoutMs), connectionTimeoutMillis: connectTimeoutMs }
  const boss = new PgBoss({
    ...poolOptions,
    connectionString: url,
    max: work ? connectionsMax.worker : connectionsMax.enqueueOnly,
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: work,
    useListenNotify: work && signals === 'all',
    // These two require the owner of the tables.
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => log.error({ err: error }, 'job queue'))
  boss.on('warning', ({ message, data }) => {
    if ('type' in data && data.type === 'listen_notify_unavailable') log.warn(data, message)
  })
  const { encryptPayload, decryptPayload } = createPayloadCipher(secret)
  const runBatch = createBatchRunner({ complete: (queue, id) => boss.complete(queue, id), decryptPayload, log })
  const workerIds = new Map<QueueName, string[]>()
  const notifier = createNotifier((text, values) => boss.getDb().executeSql(text, values), log)
  /**
   * Wakes the workers of this process, or of others, so that the job starts before the next poll.
   */
  const wakeWorkers = (queue: QueueName): void => {
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
            await boss.work(name, { ...workOptions, pollingIntervalSeconds }, (jobs: JobWithMetadata<EncryptedPayload>[]) =>
              runBatch(handlers, name, jobs),
            ),
          )
      }
    },
    retry: (queue, ids) => boss.redrive(nameDeadLetter(queue), { ids: [...ids] }),
    enqueue: async (sql, queue, data, { delayMs } = { delayMs: 0 }) => {
      const later = delayMs > 0 && { startAfter: delayMs / 1_000 }
      await boss.send(queue, encryptPayload(data), { db: fromKysely(sql), ...later })
      if (signals !== 'none' && delayMs === 0) afterCommit(sql, () => wakeWorkers(queue))
    },
    stop: async (timeoutMs = stopTimeoutMs) => {
      const finished = Promise.all([...workerIds.keys()].map((name) => boss.offWork(name)))
      await Promise.race([finished, delay(timeoutMs, undefined, { ref: false })])
      await notifier.flush()
      await boss.stop({ graceful: false })
    },
  }
}
