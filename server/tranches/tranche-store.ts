import type { Insertable, Selectable } from 'kysely'
import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { TrancheStage } from '#domain/tranches.ts'
import type { Sql } from '../database/connect.ts'
import type { Tranches } from '../database/schema.generated.ts'
import type { LoanRow } from '../loans/loan-store.ts'

export type TrancheRow = Omit<Selectable<Tranches>, 'stage'> & { stage: TrancheStage }
type LoanKey = Pick<LoanRow, 'borrower_id' | 'loan_id'>

/** What was asked for of a loan, oldest first. */
export async function tranchesOfLoan(sql: Sql, loan: LoanKey): Promise<TrancheRow[]> {
  return (await sql
    .selectFrom('tranches')
    .selectAll()
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .orderBy('requested_at')
    .orderBy('tranche_id')
    .execute()) as TrancheRow[]
}

/** What waits for the lender, of all borrowers, oldest first. */
export async function tranchesAwaiting(sql: Sql): Promise<TrancheRow[]> {
  return (await sql
    .selectFrom('tranches')
    .selectAll()
    .where('stage', 'in', ['requested', 'approved'])
    .orderBy('requested_at')
    .orderBy('tranche_id')
    .execute()) as TrancheRow[]
}

/** A disbursal as it stands in the tables, with the tranche it paid out, if it did. */
export type PaidOut = { date: Day; amountPaise: Paise; partnerTrancheId: string | null }

export async function paidOutOf(sql: Sql, loan: LoanKey): Promise<PaidOut[]> {
  const rows = await sql
    .selectFrom('disbursals')
    .select(['disbursed_on', 'amount_paise', 'partner_tranche_id'])
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .orderBy('disbursed_on')
    .orderBy('disbursal_id')
    .execute()
  return rows.map((row) => ({ date: row.disbursed_on, amountPaise: row.amount_paise, partnerTrancheId: row.partner_tranche_id }))
}

export async function insertTranche(sql: Sql, tranche: Insertable<Tranches>): Promise<void> {
  await sql.insertInto('tranches').values(tranche).execute()
}

/** Writes a tranche as it now is, and the step that made it so. The caller holds the loan's row lock. */
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
