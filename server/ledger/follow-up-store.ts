import { dayInIndia, startOfDayInIndiaMs } from '#domain/calendar.ts'
import { creditCheckDay } from '#domain/credit-check.ts'
import type { LoanState } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { executeDeferred, lockFound } from '../database/statement.ts'
import type { LoanKey } from '../loans/loan-store.ts'

/** A loan that a worker must check (migration 0015). */
export type FollowUpRow = LoanKey & { attempts: number }

/**
 * The time at which a worker must check a loan: now for a short foreclosure, or for a refund of
 * credit that is gone, else on its {@link creditCheckDay}. Null if no check is needed.
 */
export function computeFollowUpTime(state: LoanState, now: Date): Date | null {
  const today = dayInIndia(now)
  const isShort = state.status !== 'CLOSED' && state.shortForeclosures.length > 0
  const day = isShort || state.refundShortPaise > 0n ? today : creditCheckDay(state, today)
  if (day === null) return null
  return day > today ? new Date(startOfDayInIndiaMs(day)) : now
}

/** Schedules a check of the loan, in the transaction that changes the loan. */
export async function saveFollowUp(sql: Sql, { borrower_id, loan_id }: LoanKey, at: Date): Promise<void> {
  await sql
    .insertInto('loan_follow_ups')
    .values({ borrower_id, loan_id, next_check_at: at, attempts: 0 })
    .onConflict((conflict) => conflict.columns(['borrower_id', 'loan_id']).doUpdateSet({ next_check_at: at, attempts: 0 }))
    .execute()
}

export async function removeFollowUp(sql: Sql, { borrower_id, loan_id }: LoanKey): Promise<void> {
  await sql.deleteFrom('loan_follow_ups').where('borrower_id', '=', borrower_id).where('loan_id', '=', loan_id).execute()
}

type DueLoan = Pick<FollowUpRow, 'borrower_id' | 'loan_id'>

/** The loans that are due, the oldest first. */
export const selectDueFollowUps = (sql: Sql, now: Date, limit: number) =>
  selectDue(sql, now).select(['borrower_id', 'loan_id']).orderBy('next_check_at').limit(limit)

const selectDue = (sql: Sql, now: Date) => sql.selectFrom('loan_follow_ups').where('next_check_at', '<=', now)

/**
 * Claims loans that were found to be due and skips rows that another worker has locked. If the
 * check fails, the loan is due again after `backOffMs`.
 */
export async function claimFollowUps(
  sql: Sql,
  found: readonly DueLoan[],
  now: Date,
  backOffMs: (row: FollowUpRow) => number,
): Promise<FollowUpRow[]> {
  const due = await lockFound(sql, found, ({ borrower_id, loan_id }) =>
    selectDue(sql, now)
      .select(['borrower_id', 'loan_id', 'attempts'])
      .where('borrower_id', '=', borrower_id)
      .where('loan_id', '=', loan_id),
  )
  for (const row of due)
    await sql
      .updateTable('loan_follow_ups')
      .set({ attempts: row.attempts + 1, next_check_at: new Date(now.getTime() + backOffMs(row)) })
      .where('borrower_id', '=', row.borrower_id)
      .where('loan_id', '=', row.loan_id)
      .execute()
  return due
}

/**
 * Schedules an immediate check of a loan's announced debit: it may be paid by hand. Not while a
 * process asks for its second order, whose time the collection's next check holds.
 */
export function requestDebitCheck(sql: Sql, { borrower_id, loan_id }: LoanKey, now: Date): Promise<void> {
  const query = sql
    .updateTable('collections')
    .set({ next_check_at: now })
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('status', '=', 'announced')
    .where(({ or, eb }) => or([eb('order_id', 'is not', null), eb('orders', '<=', 1)]))
  return executeDeferred(sql, query)
}

/** Schedules an immediate check of a closed loan's mandate: nothing may be debited any more. */
export function requestMandateCheck(sql: Sql, { borrower_id, loan_id }: LoanKey, now: Date): Promise<void> {
  const query = sql
    .updateTable('mandates')
    .set({ next_check_at: now })
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('status', 'in', ['active', 'paused', 'initiated'])
  return executeDeferred(sql, query)
}
