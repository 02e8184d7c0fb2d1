import { addDays, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import type { Context } from '../../context.ts'
import { beginRun } from './settlement-store.ts'

/** The hour in India at which the provider's reports of the day before are complete. */
const fromHour = 6

/**
 * Enqueues the reconciliation of the day before, once per India day. The run and its job are
 * written in one transaction, so only one of several workers enqueues it.
 *
 * @returns 0: there is no more work at once.
 */
export async function requestReconciliation({ database, clock, jobs }: Context): Promise<0> {
  const now = clock.now()
  const today = dayInIndia(now)
  if (now.getTime() - startOfDayInIndiaMs(today) < fromHour * 3_600_000) return 0
  const day = addDays(today, -1)
  await database.asSystem(async (sql) => {
    if (await beginRun(sql, 'razorpay', day, new Date(startOfDayInIndiaMs(today)), now)) await jobs.enqueue(sql, 'reconcile', { day })
  })
  return 0
}
