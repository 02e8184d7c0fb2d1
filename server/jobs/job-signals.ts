import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { QueueName } from './queues.ts'

/** NOTIFY takes a lock that all commits of a server with a NOTIFY share, so a process sends one statement in this time at most. */
const notifyIntervalMs = 20

/** The channel that pg-boss's own listener hears: derived from the name of its schema. */
const channel = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`

export type Notifier = {
  /** Tells of a new job in a queue, soon. */
  notify(queue: QueueName): void
  /** Sends what was not sent yet. */
  flush(): Promise<void>
}

/**
 * Tells the workers of other processes of new jobs: a statement of its own after the commit, so that no transaction waits for it. A signal that
 * is lost costs only time, because workers poll as well.
 *
 * @param execute sends one statement with its values.
 */
export function createNotifier(execute: (text: string, values: unknown[]) => Promise<unknown>, log: Logger): Notifier {
  const queues = new Set<QueueName>()
  let lastSentMs = -Infinity
  let timer: NodeJS.Timeout | null = null
  const flush = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (queues.size === 0) return
    lastSentMs = performance.now()
    const named = [...queues]
    queues.clear()
    try {
      await execute('select pg_notify($1, queue) from unnest($2::text[]) as queue', [channel, named])
    } catch (error) {
      log.warn({ err: error }, 'workers of other processes could not be told of new jobs')
    }
  }
  return {
    notify: (queue) => {
      queues.add(queue)
      timer ??= setTimeout(flush, Math.max(0, lastSentMs + notifyIntervalMs - performance.now())).unref()
    },
    flush,
  }
}
