import { addDays, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import type { Context } from '../../context.ts'
import { beginRun, findLastFinishedDay } from './settlement-store.ts'

/** The hour in India at which the provider's reports of the day before are complete. */
const fromHour = 6

/** The most days that are made up for at once. */
const missedDaysMax = 30

/**
 * Enqueues the reconciliation of the day before, once per India day, and of the days since the last
 * finished one: workers that were off for longer than a run looks back would leave a gap. A run and
 * its job are written in one transaction, so only one of several workers enqueues it.
 *
 * @returns 0: there is no more work at once.
 */
export async function requestReconciliation({ database, clock, jobs }: Context): Promise<0> {
  const now = clock.now()
  const today = dayInIndia(now)
  if (now.getTime() - startOfDayInIndiaMs(today) < fromHour * 3_600_000) return 0
  const yesterday = addDays(today, -1)
  await database.asSystem(async (sql) => {
    const finished = await findLastFinishedDay(sql, 'razorpay', yesterday)
    const earliest = addDays(yesterday, 1 - missedDaysMax)
    const next = finished === null ? yesterday : addDays(finished, 1)
    for (let day = next < earliest ? earliest : next; day <= yesterday; day = addDays(day, 1))
      if (await beginRun(sql, 'razorpay', day, new Date(startOfDayInIndiaMs(addDays(day, 1))), now))
        await jobs.enqueue(sql, 'reconcile', { day })
  })
  return 0
}
