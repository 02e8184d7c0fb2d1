import type { Insertable, Kysely, Selectable } from 'kysely'
import { isUuid } from '#contract/uuid.ts'
import type { Day } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import type { DB, RateResets } from '../database/schema.generated.ts'
import { borrowerStatement, statement } from '../database/statement.ts'

export type ResetRow = Omit<Selectable<RateResets>, 'instalment_before_paise' | 'computed_at'>
type ResetKey = Pick<ResetRow, 'borrower_id' | 'reset_id'>

/** The columns in use, by name, for prepared statements. */
const resetColumns = [
  'borrower_id',
  'reset_id',
  'loan_id',
  'run_id',
  'state',
  'from_rate_ppb',
  'to_rate_ppb',
  'effective_on',
  'instalments_max',
  'default_choice',
  'default_instalment_paise',
  'choice',
  'instalment_paise',
  'last_due_on',
  'ledger_sequence',
  'notified_at',
  'decided_at',
  'withdrawn_at',
] as const satisfies readonly (keyof ResetRow)[]

const selectLatestResets = (sql: Kysely<DB>, borrowerId: string) =>
  sql
    .selectFrom('rate_resets')
    .select(resetColumns)
    .where('borrower_id', '=', borrowerId)
    .orderBy('effective_on', 'desc')
    .orderBy('reset_id', 'desc')

/** The resets of a borrower's loans that they have been notified of, the latest day first. */
export const resetsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  selectLatestResets(sql, borrowerId).where('notified_at', 'is not', null),
)

/** All resets of a loan, the latest day first. */
export const listLoanResets = (sql: Sql, borrowerId: string, loanId: string): Promise<ResetRow[]> =>
  selectLatestResets(sql, borrowerId).where('loan_id', '=', loanId).execute()

/** The days of resets that are not decided yet, of all loans of several borrowers. */
export const { ofSeveral: undecidedResetsOfSeveral } = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('rate_resets')
    .select(['loan_id', 'effective_on'])
    .where(isTheirs('borrower_id'))
    .where('state', 'in', ['computed', 'notified']),
)

/** Finds a reset of a borrower; there is none with an id that is not a UUID. */
export async function findReset(sql: Sql, borrowerId: string, resetId: string): Promise<ResetRow | undefined> {
  if (!isUuid(resetId)) return undefined
  return sql
    .selectFrom('rate_resets')
    .select(resetColumns)
    .where('borrower_id', '=', borrowerId)
    .where('reset_id', '=', resetId)
    .executeTakeFirst()
}

/** Adds the resets of a chunk of loans. A loan that has one of the same day gets no other. */
export async function insertResets(sql: Sql, rows: readonly Insertable<RateResets>[]): Promise<number> {
  if (rows.length === 0) return 0
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('rate_resets')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0n)
}

type ResetChange = Partial<
  Pick<
    ResetRow,
    | 'state'
    | 'choice'
    | 'from_rate_ppb'
    | 'default_choice'
    | 'default_instalment_paise'
    | 'instalment_paise'
    | 'last_due_on'
    | 'ledger_sequence'
    | 'decided_at'
    | 'withdrawn_at'
  >
>

export async function updateReset(sql: Sql, key: ResetKey, change: ResetChange): Promise<ResetRow> {
  return sql
    .updateTable('rate_resets')
    .set(change)
    .where('borrower_id', '=', key.borrower_id)
    .where('reset_id', '=', key.reset_id)
    .returning(resetColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Has the other open resets of a loan computed again, and its figures in previews of runs, because
 * its rate has changed.
 */
export async function recheckOtherResets(sql: Sql, { borrower_id, loan_id, reset_id }: ResetRow): Promise<void> {
  await sql
    .updateTable('rate_resets')
    .set({ ledger_sequence: -1n })
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('reset_id', '<>', reset_id)
    .where('state', 'in', ['notified', 'chosen', 'defaulted'])
    .execute()
  await sql.deleteFrom('rate_reset_preview_loans').where('borrower_id', '=', borrower_id).where('loan_id', '=', loan_id).execute()
}

export type FoundReset = Pick<ResetRow, 'borrower_id' | 'loan_id' | 'reset_id'>

/** The next resets by key without a choice, whose default is due. */
export async function findResetsToDefault(sql: Sql, until: Day, afterResetId: string, limit: number): Promise<FoundReset[]> {
  return sql
    .selectFrom('rate_resets')
    .select(['borrower_id', 'loan_id', 'reset_id'])
    .where('state', '=', 'notified')
    .where('effective_on', '<=', until)
    .where('reset_id', '>', afterResetId)
    .orderBy('reset_id')
    .limit(limit)
    .execute()
}

/** Resets whose loan has changed since they were computed, and whose day has not come. */
export async function findOutdatedResets(sql: Sql, today: Day, limit: number): Promise<FoundReset[]> {
  return sql
    .selectFrom('rate_resets')
    .innerJoin('loans', (join) =>
      join.onRef('loans.borrower_id', '=', 'rate_resets.borrower_id').onRef('loans.loan_id', '=', 'rate_resets.loan_id'),
    )
    .select(['rate_resets.borrower_id', 'rate_resets.loan_id', 'rate_resets.reset_id'])
    .where('rate_resets.state', 'in', ['notified', 'chosen', 'defaulted'])
    .where('rate_resets.effective_on', '>', today)
    .whereRef('rate_resets.ledger_sequence', '<>', 'loans.ledger_sequence')
    .limit(limit)
    .execute()
}
