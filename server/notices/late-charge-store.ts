import { sql as raw, type AliasedExpression } from 'kysely'
import { addDays, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import { loanColumns, type LoanRow } from '../loans/loan-store.ts'
import { findBorrowersDueOn, type DueDate } from './notice-store.ts'

/** The days of grace of all products with a late charge. */
export async function findLateChargeGraces(sql: Sql): Promise<number[]> {
  const graceDays = raw<number>`(terms->'late_charge'->>'grace_days')::integer`
  const rows = await sql.selectFrom('loan_products').select(graceDays.as('days')).distinct().where(graceDays, 'is not', null).execute()
  return rows.map(({ days }) => days)
}

/**
 * Finds the next borrowers, in key order, whose loans may have a late charge of a day: an
 * instalment was due before the days of grace, or what held the charge ended the day before
 * (`lateChargeHolds`).
 *
 * @returns `afterTaking`: those of whom money was taken back the day before, which may also have
 * charges of earlier days.
 */
export async function findBorrowersLateOn(
  sql: Sql,
  day: Day,
  dueBefore: readonly DueDate[],
  afterBorrowerId: string,
  limit: number,
): Promise<{ borrowerIds: string[]; afterTaking: ReadonlySet<string> }> {
  const heldUntil = addDays(day, -1)
  const [from, to] = [new Date(startOfDayInIndiaMs(heldUntil)), new Date(startOfDayInIndiaMs(day))]
  const found: string[] = []
  for (const due of dueBefore) found.push(...(await findBorrowersDueOn(sql, due, afterBorrowerId, limit)))
  const debited = sql.selectFrom('collections').select('borrower_id').where('outcome_on', '=', heldUntil)
  const reversed = sql
    .selectFrom('ledger_transactions')
    .select('borrower_id')
    .where('reverses_transaction_id', 'is not', null)
    .where('posted_at', '>=', from)
    .where('posted_at', '<', to)
  const refunded = sql
    .selectFrom('refunds')
    .select('borrower_id')
    .where('reason', '=', 'by_lender')
    .where('asked_at', '>=', from)
    .where('asked_at', '<', to)
  const findNext = async (held: AliasedExpression<{ borrower_id: string }, 'held'>): Promise<string[]> => {
    const next = sql.selectFrom(held).select('borrower_id').distinct().where('borrower_id', '>', afterBorrowerId)
    return (await next.orderBy('borrower_id').limit(limit).execute()).map(({ borrower_id }) => borrower_id)
  }
  found.push(...(await findNext(debited.as('held'))))
  const afterTaking = [...(await findNext(reversed.as('held'))), ...(await findNext(refunded.as('held')))]
  return { borrowerIds: [...new Set([...found, ...afterTaking])].toSorted().slice(0, limit), afterTaking: new Set(afterTaking) }
}

export async function findLoansOfBorrowers(sql: Sql, borrowerIds: readonly string[]): Promise<LoanRow[]> {
  if (borrowerIds.length === 0) return []
  return sql
    .selectFrom('loans')
    .select(loanColumns)
    .where('borrower_id', 'in', [...borrowerIds])
    .execute()
}
