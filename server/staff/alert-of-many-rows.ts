import { hourMs } from '#domain/durations.ts'
import type { Context } from '../context.ts'

/** Borrowers whose rows one person reads in lists in an hour without an alert. */
const rowsPerHourMax = 1_000

type Hour = { startsAtMs: number; rowsOf: Map<string, number> }
/** Counted by each process in its memory: an alert needs no exact number. */
const hours = new WeakMap<Context['database'], Hour>()

/** Raises an alert, once in an hour, if a staff member reads a large part of the book in lists. */
export function alertOfManyRows({ database, log }: Context, actorId: string, rows: number, now: Date): void {
  const startsAtMs = Math.floor(now.getTime() / hourMs) * hourMs
  const known = hours.get(database)
  const hour = known?.startsAtMs === startsAtMs ? known : { startsAtMs, rowsOf: new Map<string, number>() }
  hours.set(database, hour)
  const before = hour.rowsOf.get(actorId) ?? 0
  hour.rowsOf.set(actorId, before + rows)
  if (before <= rowsPerHourMax && before + rows > rowsPerHourMax)
    log.warn(
      { event: 'authz_admin_alert', actor: actorId, rows_read_in_hour: before + rows },
      'unusual number of borrowers listed by staff',
    )
}
