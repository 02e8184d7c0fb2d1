import { sql as raw, type ExpressionBuilder, type Selectable } from 'kysely'
import { nilUuid } from '#contract/uuid.ts'
import type { Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import type { DB, RateResetRuns } from '../database/schema.generated.ts'
import { loanColumns, type LoanRow } from '../loans/loan-store.ts'
import type { FloatingProduct } from './benchmark-store.ts'
import type { FoundReset } from './reset-store.ts'

export type RunRow = Selectable<RateResetRuns>

type NewRun = Pick<RunRow, 'run_id' | 'benchmark_code' | 'effective_on' | 'requested_at' | 'requested_by'>

/** @returns false if a run of the same benchmark and day is under way. */
export async function insertRun(sql: Sql, run: NewRun): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('rate_reset_runs')
    .values(run)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findRun(sql: Sql, runId: string): Promise<RunRow | undefined> {
  return sql.selectFrom('rate_reset_runs').selectAll().where('run_id', '=', runId).executeTakeFirst()
}

/** Finds a run of the benchmark and day that is under way. */
export async function findOpenRunOf(sql: Sql, benchmark: string, effectiveOn: Day): Promise<RunRow | undefined> {
  return sql
    .selectFrom('rate_reset_runs')
    .selectAll()
    .where('benchmark_code', '=', benchmark)
    .where('effective_on', '=', effectiveOn)
    .where('phase', '<>', 'finished')
    .executeTakeFirst()
}

/** The oldest run that is under way. */
export async function findNextRun(sql: Sql): Promise<RunRow | undefined> {
  return sql.selectFrom('rate_reset_runs').selectAll().where('phase', '<>', 'finished').orderBy('requested_at').executeTakeFirst()
}

export async function saveRun(sql: Sql, runId: string, change: Partial<Omit<RunRow, 'run_id'>>): Promise<void> {
  await sql.updateTable('rate_reset_runs').set(change).where('run_id', '=', runId).execute()
}

/** The position of a chunk: the key of its last loan. */
export type LoanPosition = { borrowerId: string; loanId: string }
export const firstPosition: LoanPosition = { borrowerId: nilUuid, loanId: nilUuid }

type Where = ExpressionBuilder<DB, 'loans'>

/** True for a loan whose figures in the preview are missing or older than its last change. */
const isOutdatedIn =
  (previewId: string) =>
  ({ not, exists, selectFrom }: Where) =>
    not(
      exists(
        selectFrom('rate_reset_preview_loans as known')
          .select('known.loan_id')
          .where('known.preview_id', '=', previewId)
          .whereRef('known.borrower_id', '=', 'loans.borrower_id')
          .whereRef('known.loan_id', '=', 'loans.loan_id')
          .whereRef('known.ledger_sequence', '=', 'loans.ledger_sequence'),
      ),
    )

/** The loans under the products; with a preview only those whose figures must be computed. */
function selectLoans(sql: Sql, products: readonly FloatingProduct[], previewId: string | undefined) {
  const loans = sql
    .selectFrom('loans')
    .where(({ or, and, eb }) =>
      or(products.map(({ code, version }) => and([eb('product_code', '=', code), eb('product_version', '=', version)]))),
    )
  return previewId === undefined ? loans : loans.where(isOutdatedIn(previewId))
}

export async function countLoans(sql: Sql, products: readonly FloatingProduct[], previewId?: string): Promise<number> {
  const { count } = await selectLoans(sql, products, previewId)
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The next loans by key. */
export const findLoansOfProducts = (
  sql: Sql,
  products: readonly FloatingProduct[],
  { borrowerId, loanId }: LoanPosition,
  limit: number,
  previewId?: string,
): Promise<LoanRow[]> =>
  selectLoans(sql, products, previewId)
    .select(loanColumns)
    .where(raw<boolean>`(loans.borrower_id, loans.loan_id) > (${borrowerId}::uuid, ${loanId}::uuid)`)
    .orderBy('borrower_id')
    .orderBy('loan_id')
    .limit(limit)
    .execute()

/** What the notice of a reset says. */
export type ComputedReset = FoundReset & {
  lan: string
  from_rate_ppb: bigint
  to_rate_ppb: bigint
  effective_on: Day
  instalment_paise: LoanRow['sanctioned_paise']
}

/** The next resets of a run that nobody has been notified of. */
export async function findComputedResets(sql: Sql, runId: string, limit: number): Promise<ComputedReset[]> {
  return sql
    .selectFrom('rate_resets')
    .innerJoin('loans', (join) =>
      join.onRef('loans.borrower_id', '=', 'rate_resets.borrower_id').onRef('loans.loan_id', '=', 'rate_resets.loan_id'),
    )
    .select(['rate_resets.borrower_id', 'rate_resets.loan_id', 'rate_resets.reset_id', 'loans.lan'])
    .select(['from_rate_ppb', 'to_rate_ppb', 'effective_on', 'instalment_paise'])
    .where('run_id', '=', runId)
    .where('state', '=', 'computed')
    .orderBy('rate_resets.borrower_id')
    .orderBy('rate_resets.reset_id')
    .limit(limit)
    .execute()
}

/** Moves computed resets on, all at one time. */
export async function moveComputed(sql: Sql, resets: readonly FoundReset[], to: 'notified' | 'withdrawn', now: Date): Promise<void> {
  if (resets.length === 0) return
  await sql
    .updateTable('rate_resets')
    .set(to === 'notified' ? { state: to, notified_at: now } : { state: to, withdrawn_at: now })
    .where(raw<boolean>`borrower_id = any(${resets.map(({ borrower_id }) => borrower_id)}::uuid[])`)
    .where(raw<boolean>`reset_id = any(${resets.map(({ reset_id }) => reset_id)}::uuid[])`)
    .where('state', '=', 'computed')
    .execute()
}
