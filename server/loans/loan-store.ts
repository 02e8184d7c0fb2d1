import type { Selectable } from 'kysely'
import * as z from 'zod/mini'
import type { Day } from '#domain/calendar.ts'
import type { Charge, Disbursal, LoanFacts, LoanTerms, RateChange, ReceivedPayment } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import { paymentPurposes, type PaymentPurpose } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { Charges, Loans } from '../database/schema.generated.ts'
import { productTerms, termsOfProduct } from './product-terms.ts'
import { refundedAmounts, refundFacts } from './refund-facts-store.ts'

export type LoanRow = Selectable<Loans>

/** The borrower's loans, newest sanction first. */
export function loansOf(sql: Sql, borrowerId: string): Promise<LoanRow[]> {
  return sql.selectFrom('loans').selectAll().where('borrower_id', '=', borrowerId).orderBy('sanctioned_on', 'desc').orderBy('lan').execute()
}

/** The borrower's loan that an identifier from outside names: its lan, lead_id or partner_loan_id (decisions 5, 36). */
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

/** Whose loan a loan account number is, for the operator, who names no borrower. */
export async function findLoanKey(sql: Sql, lan: string): Promise<{ borrowerId: string; loanId: string } | undefined> {
  const row = await sql.selectFrom('loan_numbers').selectAll().where('lan', '=', lan).executeTakeFirst()
  return row && { borrowerId: row.borrower_id, loanId: row.loan_id }
}

/** The borrower's loan by its key. @throws where there is none. */
export const readLoan = (sql: Sql, borrowerId: string, loanId: string): Promise<LoanRow> =>
  loanBy(sql, borrowerId, loanId).executeTakeFirstOrThrow()

/** Takes the loan's row lock, under which every write to the loan happens. */
export const lockLoan = (sql: Sql, borrowerId: string, loanId: string): Promise<LoanRow> =>
  loanBy(sql, borrowerId, loanId).forUpdate().executeTakeFirstOrThrow()

const loanBy = (sql: Sql, borrowerId: string, loanId: string) =>
  sql.selectFrom('loans').selectAll().where('borrower_id', '=', borrowerId).where('loan_id', '=', loanId)

/** Everything known of these loans of one borrower, by loan id. */
export async function factsOf(sql: Sql, borrowerId: string, loans: readonly LoanRow[]): Promise<Map<string, LoanFacts>> {
  if (loans.length === 0) return new Map()
  const loanIds = loans.map((loan) => loan.loan_id)
  const [terms, disbursals, rateChanges, charges, payments, returned] = [
    await termsOf(sql, loans),
    await disbursalsOf(sql, borrowerId, loanIds),
    await rateChangesOf(sql, borrowerId, loanIds),
    await chargesOf(sql, borrowerId, loanIds),
    await paymentsOf(sql, borrowerId, loanIds),
    refundFacts(await refundedAmounts(sql).where('refunds.borrower_id', '=', borrowerId).where('refunds.loan_id', 'in', loanIds).execute()),
  ]
  return new Map(
    loans.map((loan) => [
      loan.loan_id,
      {
        sanctionedPaise: loan.sanctioned_paise,
        terms: terms(loan),
        disbursals: disbursals.get(loan.loan_id) ?? [],
        rateChanges: rateChanges.get(loan.loan_id) ?? [],
        charges: charges.get(loan.loan_id) ?? [],
        payments: payments.get(loan.loan_id)?.map(returned.withHeld) ?? [],
        refunds: returned.creditRefunds(loan.loan_id),
      },
    ]),
  )
}

/** Reads the products of these loans once. @returns a loan's terms: its own, and its product version's. */
export async function termsOf(sql: Sql, loans: readonly LoanRow[]): Promise<(loan: LoanRow) => LoanTerms> {
  const products = await sql
    .selectFrom('loan_products')
    .selectAll()
    .where('product_code', 'in', [...new Set(loans.map((loan) => loan.product_code))])
    .execute()
  const byVersion = new Map(
    products.map(({ product_code, product_version, terms }) => [
      `${product_code} ${product_version}`,
      termsOfProduct(z.decode(productTerms, terms as z.input<typeof productTerms>)),
    ]),
  )
  return (loan) => {
    const product = byVersion.get(`${loan.product_code} ${loan.product_version}`)
    if (!product) throw new Error(`Loan ${loan.lan} has the unknown product ${loan.product_code} version ${loan.product_version}`)
    return {
      ...product,
      annualRatePpb: Number(loan.annual_rate_ppb),
      instalments: loan.instalments,
      firstDueDate: loan.first_due_date,
      dueDay: loan.due_day,
      principalGraceInstalments: loan.principal_grace_instalments,
      fixedInstalmentPaise: loan.fixed_instalment_paise,
      moratorium:
        loan.moratorium_until && loan.moratorium_interest
          ? { until: loan.moratorium_until, interest: loan.moratorium_interest as 'paid' | 'deferred' }
          : null,
    }
  }
}

async function disbursalsOf(sql: Sql, borrowerId: string, loanIds: string[]): Promise<Map<string, Disbursal[]>> {
  const rows = await sql
    .selectFrom('disbursals')
    .select(['loan_id', 'disbursed_on', 'amount_paise'])
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', 'in', loanIds)
    .orderBy('disbursed_on')
    .orderBy('disbursal_id')
    .execute()
  return byLoan(rows, ({ disbursed_on, amount_paise }) => ({ date: disbursed_on, amountPaise: amount_paise }))
}

async function rateChangesOf(sql: Sql, borrowerId: string, loanIds: string[]): Promise<Map<string, RateChange[]>> {
  const rows = await sql
    .selectFrom('rate_changes')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', 'in', loanIds)
    .orderBy('effective_on')
    .execute()
  return byLoan(rows, ({ effective_on, annual_rate_ppb, keep }) => ({
    date: effective_on,
    annualRatePpb: Number(annual_rate_ppb),
    keep: keep as RateChange['keep'],
  }))
}

async function chargesOf(sql: Sql, borrowerId: string, loanIds: string[]): Promise<Map<string, Charge[]>> {
  const rows = await sql
    .selectFrom('charges')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', 'in', loanIds)
    .where(({ or, eb }) => or([eb('derived', '=', false), eb('waived_on', 'is not', null)]))
    .orderBy('charged_on')
    .orderBy('charge_id')
    .execute()
  return byLoan(rows, chargeOf)
}

/** A stored charge as a fact. One that a product's rule made is no fact by itself: the rule makes it again, until it is waived. */
export const chargeOf = ({
  charge_id,
  charged_on,
  charge_type,
  amount_paise,
  penal,
  waived_on,
}: Omit<Selectable<Charges>, 'borrower_id' | 'loan_id' | 'derived'>): Charge => ({
  chargeId: charge_id,
  date: charged_on,
  chargeType: charge_type,
  amountPaise: amount_paise,
  penal,
  waivedOn: waived_on,
})

/** Keeps charges that a product's rule made and the ledger now has (decision 21). Those that are kept already stay as they are. */
export async function storeDerivedCharges(
  sql: Sql,
  loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>,
  charges: readonly Charge[],
): Promise<void> {
  if (charges.length === 0) return
  await sql
    .insertInto('charges')
    .values(
      charges.map(({ chargeId, date, chargeType, amountPaise, penal, waivedOn }) => ({
        borrower_id: loan.borrower_id,
        loan_id: loan.loan_id,
        charge_id: chargeId,
        charge_type: chargeType,
        charged_on: date,
        amount_paise: amountPaise,
        penal,
        waived_on: waivedOn,
        derived: true,
      })),
    )
    .onConflict((conflict) => conflict.columns(['borrower_id', 'loan_id', 'charge_id']).doNothing())
    .execute()
}

/** Repayments in the order they count: by value date, then as they were posted. A reversed one counts no more. */
async function paymentsOf(sql: Sql, borrowerId: string, loanIds: string[]): Promise<Map<string, ReceivedPayment[]>> {
  const rows = await sql
    .selectFrom('ledger_transactions as payment')
    .select(['payment.loan_id', 'payment.transaction_id', 'payment.value_date', 'payment.amount_paise', 'payment.purpose'])
    .where('payment.borrower_id', '=', borrowerId)
    .where('payment.loan_id', 'in', loanIds)
    .where('payment.kind', '=', 'repayment')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_transactions as reversal')
            .select('reversal.transaction_id')
            .whereRef('reversal.borrower_id', '=', 'payment.borrower_id')
            .whereRef('reversal.loan_id', '=', 'payment.loan_id')
            .whereRef('reversal.reverses_transaction_id', '=', 'payment.transaction_id'),
        ),
      ),
    )
    .orderBy('payment.value_date')
    .orderBy('payment.sequence')
    .execute()
  return byLoan(rows, ({ transaction_id, value_date, amount_paise, purpose }) => ({
    paymentId: transaction_id,
    date: value_date,
    amountPaise: amount_paise,
    purpose: purposeOf(purpose),
  }))
}

/** `reference`: the partner's name for the tranche. */
export async function insertDisbursal(
  sql: Sql,
  loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>,
  disbursal: { disbursalId: string; date: Day; amountPaise: Paise; reference: string | null },
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
    })
    .execute()
}

export async function insertCharge(sql: Sql, loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>, charge: Charge): Promise<void> {
  await sql
    .insertInto('charges')
    .values({
      borrower_id: loan.borrower_id,
      loan_id: loan.loan_id,
      charge_id: charge.chargeId,
      charge_type: charge.chargeType,
      charged_on: charge.date,
      amount_paise: charge.amountPaise,
      penal: charge.penal,
      waived_on: charge.waivedOn,
    })
    .execute()
}

export async function markWaived(sql: Sql, loan: Pick<LoanRow, 'borrower_id' | 'loan_id'>, chargeId: string, waivedOn: Day): Promise<void> {
  await sql
    .updateTable('charges')
    .set({ waived_on: waivedOn })
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('charge_id', '=', chargeId)
    .execute()
}

export const purposeOf = (text: string | null): PaymentPurpose | null => paymentPurposes.find((known) => known === text) ?? null

export function byLoan<R extends { loan_id: string }, T>(rows: readonly R[], convert: (row: R) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.loan_id)
    if (group) group.push(convert(row))
    else groups.set(row.loan_id, [convert(row)])
  }
  return groups
}
