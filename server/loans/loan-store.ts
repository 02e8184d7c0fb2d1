import type { Kysely, Selectable } from 'kysely'
import * as z from 'zod/mini'
import { toDay, type Day } from '#domain/calendar.ts'
import type { Charge, Disbursal, ForeclosureWaiver, KeptRow, RateChange, ReceivedPayment } from '#domain/loans.ts'
import { paise, type Paise } from '#domain/money.ts'
import { paymentPurposes, type PaymentPurpose } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { Charges, DB, Disbursals, ForeclosureWaivers, LedgerTransactions, Loans, RateChanges } from '../database/schema.generated.ts'
import { borrowerStatement, executeTogether, statement } from '../database/statement.ts'

export type LoanRow = Selectable<Loans>
export type LoanKey = Pick<LoanRow, 'borrower_id' | 'loan_id'>

/**
 * All columns by name, because a prepared statement's columns must not change when a migration adds
 * one.
 */
export const loanColumns = [
  'allow_tranche_request',
  'annual_rate_ppb',
  'apr_basis_points',
  'apr_disbursed_on',
  'borrower_id',
  'created_at',
  'due_day',
  'first_due_date',
  'fixed_instalment_paise',
  'instalments',
  'lan',
  'lead_id',
  'ledger_sequence',
  'loan_id',
  'moratorium_interest',
  'moratorium_until',
  'partner_loan_id',
  'principal_grace_instalments',
  'product_code',
  'product_version',
  'sanctioned_on',
  'sanctioned_paise',
  'title',
  'upfront_fees_paise',
] as const satisfies readonly (keyof LoanRow)[]

/** Select the loans of one borrower, or of several, newest sanction first. */
export const { ofOne: loansOfBorrower, ofSeveral: loansOfSeveral } = borrowerStatement((sql, isTheirs) =>
  sql.selectFrom('loans').select(loanColumns).where(isTheirs('borrower_id')).orderBy('sanctioned_on', 'desc').orderBy('lan'),
)

/** Reads the same in an open transaction. */
export async function readLoans(sql: Sql, borrowerId: string): Promise<LoanRow[]> {
  const [loans] = await executeTogether(sql, [loansOfBorrower.with({ borrowerId })])
  return loans
}

/**
 * Whether an outside identifier matches a loan: its lan, lead_id or partner_loan_id (decisions 5,
 * 36).
 */
export const matchesIdentifier = ({ lan, lead_id, partner_loan_id }: LoanRow, identifier: string): boolean =>
  [lan, lead_id, partner_loan_id].includes(identifier)

/** Finds the borrower's loan by an outside identifier. */
export function findLoan(sql: Sql, borrowerId: string, identifier: string): Promise<LoanRow | undefined> {
  return sql
    .selectFrom('loans')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where((where) =>
      where.or([where('lan', '=', identifier), where('lead_id', '=', identifier), where('partner_loan_id', '=', identifier)]),
    )
    .executeTakeFirst()
}

/** Finds a loan's keys by its account number, for the operator, who names no borrower. */
export async function findLoanKey(sql: Sql, lan: string): Promise<{ borrowerId: string; loanId: string } | undefined> {
  const row = await sql.selectFrom('loan_numbers').selectAll().where('lan', '=', lan).executeTakeFirst()
  return row && { borrowerId: row.borrower_id, loanId: row.loan_id }
}

const loanBy = (sql: Kysely<DB>, borrowerId: string, loanId: string) =>
  sql.selectFrom('loans').select(loanColumns).where('borrower_id', '=', borrowerId).where('loan_id', '=', loanId)

/**
 * Reads the borrower's loan by its key.
 *
 * @throws if there is none.
 */
export const readLoan = (sql: Sql, borrowerId: string, loanId: string): Promise<LoanRow> =>
  loanBy(sql, borrowerId, loanId).executeTakeFirstOrThrow()

/** The query of {@link lockLoan}. */
export const loanForUpdate = statement<{ borrowerId: string; loanId: string }>()((sql, { borrowerId, loanId }) =>
  loanBy(sql, borrowerId, loanId).forUpdate(),
)

/** Locks the loan's row. Every write to the loan requires this lock. */
export async function lockLoan(sql: Sql, borrowerId: string, loanId: string): Promise<LoanRow> {
  const [[loan]] = await executeTogether(sql, [loanForUpdate.with({ borrowerId, loanId })])
  if (!loan) throw new Error(`There is no loan ${loanId}`)
  return loan
}

/** Converts a stored charge to a fact. Derived charges are not facts until they are waived. */
export const toCharge = ({
  charge_id,
  charged_on,
  charge_type,
  amount_paise,
  penal,
  waived_on,
  waived_paise,
}: Omit<Selectable<Charges>, 'borrower_id' | 'loan_id' | 'derived'>): Charge => ({
  chargeId: charge_id,
  date: charged_on,
  chargeType: charge_type,
  amountPaise: amount_paise,
  penal,
  waivedOn: waived_on,
  ...(waived_paise !== null && { waivedPaise: waived_paise }),
})

const chargeRow = ({ borrower_id, loan_id }: LoanKey, charge: Charge) => ({
  borrower_id,
  loan_id,
  charge_id: charge.chargeId,
  charge_type: charge.chargeType,
  charged_on: charge.date,
  amount_paise: charge.amountPaise,
  penal: charge.penal,
  waived_on: charge.waivedOn,
})

/**
 * Stores derived charges that are posted to the ledger (decision 21). Stored ones are not changed.
 */
export async function storeDerivedCharges(sql: Sql, loan: LoanKey, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return
  await sql
    .insertInto('charges')
    .values(charges.map((charge) => ({ ...chargeRow(loan, charge), derived: true })))
    .onConflict((conflict) => conflict.columns(['borrower_id', 'loan_id', 'charge_id']).doNothing())
    .execute()
}

/** Bills as stored. Amounts are paise as text: JSON has no bigint. */
const storedKeptRows = z.array(z.object({ due_date: z.string(), interest_paise: z.string(), principal_paise: z.string() }))

const encodeKeptRows = (rows: readonly KeptRow[]): string =>
  JSON.stringify(
    rows.map(({ dueDate, interestPaise, principalPaise }) => ({
      due_date: dueDate,
      interest_paise: String(interestPaise),
      principal_paise: String(principalPaise),
    })),
  )

export const toDisbursal = ({
  disbursed_on,
  amount_paise,
  kept_rows,
}: Pick<Selectable<Disbursals>, 'disbursed_on' | 'amount_paise' | 'kept_rows'>): Disbursal => ({
  date: disbursed_on,
  amountPaise: amount_paise,
  ...(kept_rows !== null && {
    keptRows: storedKeptRows.parse(kept_rows).map((row) => ({
      dueDate: toDay(row.due_date),
      interestPaise: paise(BigInt(row.interest_paise)),
      principalPaise: paise(BigInt(row.principal_paise)),
    })),
  }),
})

/** @param disbursal.reference the partner's id of the tranche. */
export async function insertDisbursal(
  sql: Sql,
  loan: LoanKey,
  disbursal: Disbursal & { disbursalId: string; reference: string | null },
): Promise<void> {
  await sql
    .insertInto('disbursals')
    .values({
      borrower_id: loan.borrower_id,
      loan_id: loan.loan_id,
      disbursal_id: disbursal.disbursalId,
      disbursed_on: disbursal.date,
      amount_paise: disbursal.amountPaise,
      partner_tranche_id: disbursal.reference,
      kept_rows: disbursal.keptRows ? encodeKeptRows(disbursal.keptRows) : null,
    })
    .execute()
}

export async function insertCharge(sql: Sql, loan: LoanKey, charge: Charge): Promise<void> {
  await sql.insertInto('charges').values(chargeRow(loan, charge)).execute()
}

export async function markWaived(sql: Sql, loan: LoanKey, chargeId: string, waived: { on: Day; amountPaise: Paise }): Promise<void> {
  await sql
    .updateTable('charges')
    .set({ waived_on: waived.on, waived_paise: waived.amountPaise })
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('charge_id', '=', chargeId)
    .execute()
}

export function toRateChange({
  effective_on: date,
  annual_rate_ppb,
  keep,
  instalment_paise,
}: Pick<Selectable<RateChanges>, 'effective_on' | 'keep' | 'instalment_paise'> & { annual_rate_ppb: bigint | number }): RateChange {
  const rate = { date, annualRatePpb: Number(annual_rate_ppb) }
  if (instalment_paise !== null) return { ...rate, keep: 'both', instalmentPaise: instalment_paise }
  return { ...rate, keep: keep === 'instalment' ? 'instalment' : 'tenor' }
}

export const rateChangeRow = ({ borrower_id, loan_id }: LoanKey, change: RateChange) => ({
  borrower_id,
  loan_id,
  effective_on: change.date,
  annual_rate_ppb: BigInt(change.annualRatePpb),
  keep: change.keep,
  instalment_paise: change.keep === 'both' ? change.instalmentPaise : null,
})

export async function insertRateChange(sql: Sql, loan: LoanKey, change: RateChange): Promise<void> {
  await sql.insertInto('rate_changes').values(rateChangeRow(loan, change)).execute()
}

export async function deleteRateChange(sql: Sql, loan: LoanKey, date: Day): Promise<void> {
  await sql
    .deleteFrom('rate_changes')
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('effective_on', '=', date)
    .execute()
}

export const toPurpose = (text: string | null): PaymentPurpose | null => paymentPurposes.find((known) => known === text) ?? null

/** Converts a ledger repayment to a fact. */
export const toPayment = ({
  transaction_id,
  value_date,
  amount_paise,
  purpose,
  quoted_ahead_for,
}: Pick<
  Selectable<LedgerTransactions>,
  'transaction_id' | 'value_date' | 'amount_paise' | 'purpose' | 'quoted_ahead_for'
>): ReceivedPayment => ({
  paymentId: transaction_id,
  date: value_date,
  amountPaise: amount_paise,
  purpose: toPurpose(purpose),
  ...(quoted_ahead_for !== null && { quotedAheadFor: quoted_ahead_for }),
})

export const toForeclosureWaiver = ({
  waiver_id,
  waived_on,
  amount_paise,
}: Pick<Selectable<ForeclosureWaivers>, 'waiver_id' | 'waived_on' | 'amount_paise'>): ForeclosureWaiver => ({
  waiverId: waiver_id,
  date: waived_on,
  amountPaise: amount_paise,
})

export async function insertForeclosureWaiver(
  sql: Sql,
  loan: LoanKey,
  waiver: ForeclosureWaiver,
  decided: { at: Date; by: string },
): Promise<void> {
  await sql
    .insertInto('foreclosure_waivers')
    .values({
      borrower_id: loan.borrower_id,
      loan_id: loan.loan_id,
      waiver_id: waiver.waiverId,
      waived_on: waiver.date,
      amount_paise: waiver.amountPaise,
      decided_at: decided.at,
      decided_by: decided.by,
    })
    .execute()
}

export function byLoan<R extends { loan_id: string }, T>(rows: readonly R[], convert: (row: R) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.loan_id)
    if (group) group.push(convert(row))
    else groups.set(row.loan_id, [convert(row)])
  }
  return groups
}

/**
 * Selects the amounts and stages of the borrower's requested tranches, oldest first; they limit
 * further requests.
 */
export const trancheAmounts = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('tranches')
    .select(['loan_id', 'amount_paise'])
    .select('stage')
    .where('borrower_id', '=', borrowerId)
    .orderBy('requested_at')
    .orderBy('tranche_id'),
)
