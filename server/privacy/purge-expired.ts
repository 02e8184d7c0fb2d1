import { deviceLifetimeDays } from '../auth/device-cookie.ts'
import type { Context } from '../context.ts'
import { removeExpired, retainedTables, type RetainedTable } from './retention-store.ts'

const dayMs = 86_400_000

/**
 * Removes what has served its time: codes, counters, devices and sessions, notices, events of the provider (docs/privacy.md).
 *
 * @returns how many rows went; where it is not 0 there may be more.
 */
export async function purgeExpired({
  clock,
  config,
  database,
  log,
}: Pick<Context, 'clock' | 'config' | 'database' | 'log'>): Promise<number> {
  const now = clock.now().getTime()
  const { accessDays, noticeDays } = config.retention
  const days: Record<RetainedTable, number> = {
    sign_in_codes: accessDays,
    // Only the minute and the day that run are counted into.
    sign_in_budgets: 2,
    sign_in_devices: deviceLifetimeDays,
    sessions: accessDays,
    staff_searches: accessDays,
    webhook_inbox: accessDays,
    idempotent_requests: 1,
    notices: noticeDays,
  }
  let removed = 0
  for (const table of retainedTables) {
    const count = await database.asSystem((sql) => removeExpired(sql, table, new Date(now - days[table] * dayMs)))
    if (count > 0) log.info({ table, count }, 'what had served its time was removed')
    removed += count
  }
  return removed
}
