import { dayMs } from '#domain/durations.ts'
import { deviceLifetimeDays } from '../auth/device-cookie.ts'
import type { Context } from '../context.ts'
import { deleteExpired, retainedTables, type RetainedTable } from './retention-store.ts'

/** How long an uploaded paper waits for its publication, unless that is proposed. */
const unpublishedPaperDays = 7

/**
 * Deletes rows after their retention period: codes, counters, devices, sessions, notices, provider
 * events (docs/privacy.md).
 *
 * @returns the number of deleted rows; if it is not 0, more may remain.
 */
export async function purgeExpired({
  clock,
  config,
  database,
  log,
}: Pick<Context, 'clock' | 'config' | 'database' | 'log'>): Promise<number> {
  const now = clock.now()
  const { accessDays, noticeDays } = config.retention
  const days: Record<RetainedTable, number> = {
    sign_in_codes: accessDays,
    // Only the current minute and day are counted.
    sign_in_budgets: 2,
    sign_in_devices: deviceLifetimeDays,
    sessions: accessDays,
    staff_searches: accessDays,
    webhook_inbox: accessDays,
    idempotent_requests: 1,
    notices: noticeDays,
    loan_papers: unpublishedPaperDays,
  }
  let deleted = 0
  for (const table of retainedTables) {
    const count = await database.asSystem((sql) => deleteExpired(sql, table, new Date(now.getTime() - days[table] * dayMs), now))
    if (count > 0) log.info({ table, count }, 'deleted expired rows')
    deleted += count
  }
  return deleted
}
