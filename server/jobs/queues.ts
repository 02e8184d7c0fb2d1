import { daySeconds } from '#domain/durations.ts'

/**
 * Every job queue. The migration creates them as the owner, each with a dead-letter queue for jobs
 * that failed after all retries, until the operator retries them (`kist jobs`).
 */
export const queues = [
  // No more retries: by then the code has expired.
  { name: 'send-sms', retryLimit: 4, retryDelay: 2, retryBackoff: true, expireInSeconds: 30, deleteAfterSeconds: daySeconds },
  // Retried until it expires, a day after the notice; one that the carrier may have sent is another
  // job, hours later. Apart from the codes, so that many notices delay no sign-in.
  {
    name: 'send-notice',
    retryLimit: 110,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 900,
    expireInSeconds: 30,
    deleteAfterSeconds: daySeconds,
  },
  // Retried for half a day; then the sweeper retries with growing intervals (sweep-refunds.ts).
  {
    name: 'send-refund',
    retryLimit: 60,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 900,
    expireInSeconds: 60,
    deleteAfterSeconds: 30 * daySeconds,
  },
  // Retried until long after the next day's reconciliation.
  {
    name: 'reconcile',
    retryLimit: 40,
    retryDelay: 60,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 1_800,
    deleteAfterSeconds: 30 * daySeconds,
  },
] as const

/**
 * The version of pg-boss's tables that this package version requires, in `pgboss.version`. The
 * package starts with no other, so they change only in `kist migrate`, with every process stopped
 * (server/migrate.ts).
 */
export const jobSchemaVersion = 43

export type QueueName = (typeof queues)[number]['name']

/** The dead-letter queue of a queue. */
export const nameDeadLetter = (queue: QueueName): string => `${queue}-dead`

/** How long dead jobs are kept. */
export const deadLetterOptions = { retentionSeconds: 90 * daySeconds, deleteAfterSeconds: 90 * daySeconds } as const
