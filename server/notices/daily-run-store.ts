import { nilUuid } from '#contract/uuid.ts'
import { addDays, type Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'

type DailyRun = { afterBorrowerId: string }

/** Locks the run of a day unless it is locked or finished; inserts it if absent. */
export async function lockDailyRun(sql: Sql, name: string, day: Day): Promise<DailyRun | null> {
  await sql
    .insertInto('daily_runs')
    .values({ name, run_on: day, after_borrower_id: nilUuid })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const run = await sql
    .selectFrom('daily_runs')
    .select('after_borrower_id')
    .where('name', '=', name)
    .where('run_on', '=', day)
    .where('finished_at', 'is', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return run ? { afterBorrowerId: run.after_borrower_id } : null
}

export async function saveDailyRun(sql: Sql, name: string, day: Day, afterBorrowerId: string, finishedAt: Date | null): Promise<void> {
  await sql
    .updateTable('daily_runs')
    .set({ after_borrower_id: afterBorrowerId, finished_at: finishedAt })
    .where('name', '=', name)
    .where('run_on', '=', day)
    .execute()
}

/** The day of the first run of all; the caller's own run is stored. */
export async function findFirstRunDay(sql: Sql, name: string): Promise<Day> {
  const first = await sql
    .selectFrom('daily_runs')
    .select('run_on')
    .where('name', '=', name)
    .orderBy('run_on')
    .limit(1)
    .executeTakeFirstOrThrow()
  return first.run_on
}

/**
 * The day whose run is next: missed days come first, and the first run of all is that of today.
 * Null if all are finished.
 */
export async function findNextRunDay(sql: Sql, name: string, today: Day): Promise<Day | null> {
  const last = await sql
    .selectFrom('daily_runs')
    .select(['run_on', 'finished_at'])
    .where('name', '=', name)
    .orderBy('run_on', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return today
  const next = last.finished_at === null ? last.run_on : addDays(last.run_on, 1)
  return next <= today ? next : null
}
