const daySeconds = 86_400

/**
 * Every queue of background work. The owner makes them when it migrates, and for each one beside it that keeps what was given up
 * after all its tries, until the operator has it tried again (`kist jobs`).
 */
export const queues = [
  // A text message that did not leave after these tries is of no use any more: its code has expired.
  { name: 'send-sms', retryLimit: 4, retryDelay: 2, retryBackoff: true, expireInSeconds: 30, deleteAfterSeconds: daySeconds },
  // Tried for half a day; after that the sweeper goes on, ever more rarely (sweep-refunds.ts).
  {
    name: 'send-refund',
    retryLimit: 60,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 900,
    expireInSeconds: 60,
    deleteAfterSeconds: 30 * daySeconds,
  },
  // A day's reconciliation, tried until the next day's has long come.
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
 * The version of pg-boss's own tables that this version of the package works with, in `pgboss.version`. The package starts on no other,
 * so they change in `kist migrate` alone, with every process stopped (server/migrate.ts).
 */
export const jobSchemaVersion = 43

export type QueueName = (typeof queues)[number]['name']

/** Where a queue's jobs end up that were given up. */
export const deadLetterOf = (queue: QueueName): string => `${queue}-dead`

/** How long the operator has to look at what was given up. */
export const deadLetterOptions = { retentionSeconds: 90 * daySeconds, deleteAfterSeconds: 90 * daySeconds } as const
