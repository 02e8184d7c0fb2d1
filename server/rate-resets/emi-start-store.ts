import { sql as rawSql } from 'kysely'
import type { Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import { loanColumns, type LoanRow } from '../loans/loan-store.ts'

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
