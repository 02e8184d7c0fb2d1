import { addDays, dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { providerName } from '#domain/payments.ts'
import type { Context } from '../../context.ts'
import { beginRuns, findFirstRunDay } from './settlement-store.ts'

/** The hour in India at which the provider's reports of the day before are complete. */
const fromHour = 6

/** The most days that are made up for at once. */
const missedDaysMax = 30

/**
 * Enqueues the reconciliation of the day before, once per India day, and of each of the last days
 * that has none, after the first of all: workers that were off for longer than a run looks back
 * would leave a gap. A run and its job are written in one transaction, so only one of several
 * workers enqueues it.
 *
 * @returns 0: there is no more work at once.
 */
export async function requestReconciliation({ database, clock, jobs }: Context): Promise<0> {
  const now = clock.now()
  const today = dayInIndia(now)
  if (now.getTime() - startOfDayInIndiaMs(today) < fromHour * hourMs) return 0
  const yesterday = addDays(today, -1)
  await database.asSystem(async (sql) => {
    const first = (await findFirstRunDay(sql, providerName)) ?? yesterday
    const days = Array.from({ length: missedDaysMax }, (_, index) => addDays(yesterday, index + 1 - missedDaysMax))
    const wanted = days.filter((day) => day > first || day === yesterday)
    for (const day of await beginRuns(sql, providerName, wanted, now)) await jobs.enqueue(sql, 'reconcile', { day })
  })
  return 0
}
