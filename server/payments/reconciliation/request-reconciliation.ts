import { addDays, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import type { Context } from '../../context.ts'
import { beginRun } from './settlement-store.ts'

/** By then the provider has its reports of the day before. */
const fromHour = 6

/**
 * Asks, once an India day, that the day before be reconciled: the run and its job are in one transaction, so of any number of
 * workers one asks.
 *
 * @returns 0: there is no more to do at once.
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
