import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import type { QueueName } from './queues.ts'

/**
 * NOTIFY takes a lock that all notifying commits of a server share, so a process sends at most one
 * per interval.
 */
const notifyIntervalMs = 20

/** The channel of pg-boss's listener, derived from its schema name. */
const channel = `pgboss_${hash('sha224', 'pgboss').slice(0, 24)}`

type Notifier = {
  /** Schedules a signal for a new job in a queue. */
  notify(queue: QueueName): void
  /** Sends pending signals. */
  flush(): Promise<void>
}

/**
 * Signals new jobs to the workers of other processes, in a separate statement after the commit, so
 * that no transaction waits for it. A lost signal only costs time, because workers also poll.
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
    const pending = [...queues]
    queues.clear()
    try {
      await execute('select pg_notify($1, queue) from unnest($2::text[]) as queue', [channel, pending])
    } catch (error) {
      log.warn({ err: error }, 'could not notify workers of other processes')
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
