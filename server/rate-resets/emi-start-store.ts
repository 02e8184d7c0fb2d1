import { sql as rawSql } from 'kysely'
import type { Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import { loanColumns, type LoanRow } from '../loans/loan-store.ts'
import { firstPosition } from './run-store.ts'

type DailyRun = { afterBorrowerId: string }

/** Locks today's run of a name unless it is locked or finished; inserts it if absent. */
export async function lockDailyRun(sql: Sql, name: string, today: Day): Promise<DailyRun | null> {
  await sql
    .insertInto('daily_runs')
    .values({ name, run_on: today, after_borrower_id: firstPosition.borrowerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const run = await sql
    .selectFrom('daily_runs')
    .select('after_borrower_id')
    .where('name', '=', name)
    .where('run_on', '=', today)
    .where('finished_at', 'is', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return run ? { afterBorrowerId: run.after_borrower_id } : null
}

export async function saveDailyRun(sql: Sql, name: string, today: Day, afterBorrowerId: string, finishedAt: Date | null): Promise<void> {
  await sql
    .updateTable('daily_runs')
    .set({ after_borrower_id: afterBorrowerId, finished_at: finishedAt })
    .where('name', '=', name)
    .where('run_on', '=', today)
    .execute()
}

/** About the day on which EMIs begin: the schedule, which is not stored, has the day itself. */
const emisFrom = rawSql<Day>`(greatest(moratorium_until, first_due_date) + make_interval(months => principal_grace_instalments))::date`

/** Loans of the next borrowers by key: EMIs begin after a moratorium, about between two days. */
export async function findEmisStarting(
  sql: Sql,
  { from, to }: { from: Day; to: Day },
  afterBorrowerId: string,
  limit: number,
): Promise<LoanRow[]> {
  return sql
    .selectFrom('loans')
    .select(loanColumns)
    .where('moratorium_until', '<=', to)
    .where(emisFrom, '>=', from)
    .where(emisFrom, '<=', to)
    .where('borrower_id', '>', afterBorrowerId)
    .orderBy('borrower_id')
    .limit(limit)
    .execute()
}
