import type { Insertable, Selectable } from 'kysely'
import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import type { Tranches } from '../database/schema.generated.ts'
import { executeTogether, statement } from '../database/statement.ts'
import type { LoanKey } from '../loans/loan-store.ts'

export type TrancheRow = Omit<Selectable<Tranches>, 'idempotency_key' | 'request_hash'>
/** All columns in use by name, so that a new column does not change a prepared statement. */
const trancheColumns = [
  'amount_paise',
  'borrower_id',
  'changed_at',
  'disbursed_on',
  'loan_id',
  'partner_tranche_id',
  'requested_at',
  'requested_by',
  'stage',
  'tranche_id',
] as const satisfies readonly (keyof TrancheRow)[]

/** The requested tranches of a borrower's loans, oldest first. */
export const tranchesOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql.selectFrom('tranches').select(trancheColumns).where('borrower_id', '=', borrowerId).orderBy('requested_at').orderBy('tranche_id'),
)

/** The rows of one loan. */
export const ofLoan = <R extends { loan_id: string }>(rows: readonly R[], loan: LoanKey): R[] =>
  rows.filter(({ loan_id }) => loan_id === loan.loan_id)

/** Finds the requested tranches of a loan, oldest first. */
export async function findTranches(sql: Sql, loan: LoanKey): Promise<TrancheRow[]> {
  const [rows] = await executeTogether(sql, [tranchesOfBorrower.with({ borrowerId: loan.borrower_id })])
  return ofLoan(rows, loan)
}

/** Finds the tranches of all borrowers that await the lender, oldest first. */
export async function findTranchesAwaiting(sql: Sql): Promise<TrancheRow[]> {
  return sql
    .selectFrom('tranches')
    .select(trancheColumns)
    .where('stage', 'in', ['requested', 'approved'])
    .orderBy('requested_at')
    .orderBy('tranche_id')
    .execute()
}

/** A stored disbursal, with its tranche if it has one. */
export type PaidDisbursal = { date: Day; amountPaise: Paise; partnerTrancheId: string | null }

/** The disbursals of a borrower's loans, by date. */
export const disbursalsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('disbursals')
    .select(['loan_id', 'disbursed_on', 'amount_paise', 'partner_tranche_id'])
    .where('borrower_id', '=', borrowerId)
    .orderBy('disbursed_on')
    .orderBy('disbursal_id'),
)

export const toPaidDisbursal = (row: { disbursed_on: Day; amount_paise: Paise; partner_tranche_id: string | null }): PaidDisbursal => ({
  date: row.disbursed_on,
  amountPaise: row.amount_paise,
  partnerTrancheId: row.partner_tranche_id,
})

export async function readDisbursals(sql: Sql, loan: LoanKey): Promise<PaidDisbursal[]> {
  const [rows] = await executeTogether(sql, [disbursalsOfBorrower.with({ borrowerId: loan.borrower_id })])
  return ofLoan(rows, loan).map(toPaidDisbursal)
}

export async function insertTranche(sql: Sql, tranche: Insertable<Tranches>): Promise<void> {
  await sql.insertInto('tranches').values(tranche).execute()
}

/** Stores a changed tranche and its history step. The caller holds the loan's row lock. */
export async function saveTranche(sql: Sql, tranche: TrancheRow, actorId: string): Promise<void> {
  await sql
    .updateTable('tranches')
    .set({ amount_paise: tranche.amount_paise, stage: tranche.stage, disbursed_on: tranche.disbursed_on, changed_at: tranche.changed_at })
    .where('borrower_id', '=', tranche.borrower_id)
    .where('loan_id', '=', tranche.loan_id)
    .where('tranche_id', '=', tranche.tranche_id)
    .execute()
  await addTrancheStep(sql, tranche, actorId)
}

export async function addTrancheStep(sql: Sql, tranche: TrancheRow, actorId: string): Promise<void> {
  await sql
    .insertInto('tranche_history')
    .values({
      borrower_id: tranche.borrower_id,
      loan_id: tranche.loan_id,
      tranche_id: tranche.tranche_id,
      step_id: uuidv7(),
      at: tranche.changed_at,
      stage: tranche.stage,
      amount_paise: tranche.amount_paise,
      disbursed_on: tranche.disbursed_on,
      actor_id: actorId,
    })
    .execute()
}
