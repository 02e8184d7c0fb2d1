import * as z from 'zod/mini'
import type { LoanFacts, LoanTerms, RateChange } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { readRows, type RowsOf } from '../database/statement.ts'
import { borrowerStatement } from './borrower-statement.ts'
import { byLoan, toCharge, toForeclosureWaiver, toPayment, type LoanRow } from './loan-store.ts'
import { productTerms, toLoanTerms } from './product-terms.ts'
import { refundedAmounts, refundFacts } from './refund-facts-store.ts'

/**
 * The reads for the facts of all loans of a borrower, one statement for each kind of fact. A
 * borrower has few loans.
 */
export const factReads = (borrowerId: string) =>
  [
    products.ofOne.with({ borrowerId }),
    disbursals.ofOne.with({ borrowerId }),
    rateChanges.ofOne.with({ borrowerId }),
    charges.ofOne.with({ borrowerId }),
    payments.ofOne.with({ borrowerId }),
    refunds.ofOne.with({ borrowerId }),
    foreclosureWaivers.ofOne.with({ borrowerId }),
  ] as const
/** The same for several borrowers; loan ids are unique over all. */
export const factReadsOfSeveral = (borrowerIds: readonly string[]) =>
  [
    products.ofSeveral(borrowerIds),
    disbursals.ofSeveral(borrowerIds),
    rateChanges.ofSeveral(borrowerIds),
    charges.ofSeveral(borrowerIds),
    payments.ofSeveral(borrowerIds),
    refunds.ofSeveral(borrowerIds),
    foreclosureWaivers.ofSeveral(borrowerIds),
  ] as const
type FactRows = RowsOf<ReturnType<typeof factReads>>

/** Reads the facts of these loans of one borrower, by loan id. */
export async function readFacts(sql: Sql, borrowerId: string, loans: readonly LoanRow[]): Promise<Map<string, LoanFacts>> {
  return loans.length === 0 ? new Map() : buildFacts(loans, await readRows(sql, factReads(borrowerId)))
}

/** Builds the facts of loans from the rows of {@link factReads}. */
export function buildFacts(loans: readonly LoanRow[], rows: FactRows): Map<string, LoanFacts> {
  const [productRows, disbursalRows, rateChangeRows, chargeRows, paymentRows, refundRows, waiverRows] = rows
  const terms = indexTerms(productRows)
  const returned = refundFacts(refundRows)
  const paid = byLoan(paymentRows, (row) => returned.withHeld(toPayment(row)))
  const waived = byLoan(waiverRows, toForeclosureWaiver)
  const disbursed = byLoan(disbursalRows, ({ disbursed_on, amount_paise }) => ({ date: disbursed_on, amountPaise: amount_paise }))
  const changed = byLoan(rateChangeRows, ({ effective_on, annual_rate_ppb, keep }) => ({
    date: effective_on,
    annualRatePpb: Number(annual_rate_ppb),
    keep: keep as RateChange['keep'],
  }))
  const charged = byLoan(chargeRows, toCharge)
  return new Map(
    loans.map((loan) => [
      loan.loan_id,
      {
        loanNumber: loan.lan,
        sanctionedPaise: loan.sanctioned_paise,
        terms: terms(loan),
        disbursals: disbursed.get(loan.loan_id) ?? [],
        rateChanges: changed.get(loan.loan_id) ?? [],
        charges: charged.get(loan.loan_id) ?? [],
        payments: paid.get(loan.loan_id) ?? [],
        refunds: returned.creditRefunds(loan.loan_id),
        foreclosureWaivers: waived.get(loan.loan_id) ?? [],
      },
    ]),
  )
}

/**
 * Reads all products.
 *
 * @returns a function that gives a loan's terms.
 */
export const readTerms = async (sql: Sql): Promise<(loan: LoanRow) => LoanTerms> =>
  indexTerms(await sql.selectFrom('loan_products').select(['product_code', 'product_version', 'terms']).execute())

type ProductRow = { product_code: string; product_version: number; terms: unknown }

/** @returns a function that gives a loan's terms: its own and those of its product version. */
function indexTerms(products: readonly ProductRow[]): (loan: LoanRow) => LoanTerms {
  const byVersion = new Map(
    products.map(({ product_code, product_version, terms }) => [
      `${product_code} ${product_version}`,
      toLoanTerms(z.decode(productTerms, terms as z.input<typeof productTerms>)),
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

const products = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('loan_products')
    .select(['product_code', 'product_version', 'terms'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('loans')
          .select('loan_id')
          .where(isTheirs('borrower_id'))
          .whereRef('loans.product_code', '=', 'loan_products.product_code')
          .whereRef('loans.product_version', '=', 'loan_products.product_version'),
      ),
    ),
)

const disbursals = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('disbursals')
    .select(['loan_id', 'disbursed_on', 'amount_paise'])
    .where(isTheirs('borrower_id'))
    .orderBy('disbursed_on')
    .orderBy('disbursal_id'),
)

const rateChanges = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('rate_changes')
    .select(['loan_id', 'effective_on', 'annual_rate_ppb', 'keep'])
    .where(isTheirs('borrower_id'))
    .orderBy('effective_on'),
)

/**
 * Derived charges are not facts, because the product's rule derives them again, until they are
 * waived.
 */
const charges = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('charges')
    .select(['loan_id', 'charge_id', 'charged_on', 'charge_type', 'amount_paise', 'penal', 'waived_on'])
    .where(isTheirs('borrower_id'))
    .where(({ or, not, eb, ref }) => or([not(ref('derived')), eb('waived_on', 'is not', null)]))
    .orderBy('charged_on')
    .orderBy('charge_id'),
)

/** Repayments by value date and then posting sequence, without reversed ones. */
const payments = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('ledger_transactions as payment')
    .select([
      'payment.loan_id',
      'payment.transaction_id',
      'payment.value_date',
      'payment.amount_paise',
      'payment.purpose',
      'payment.quoted_ahead_for',
    ])
    .where(isTheirs('payment.borrower_id'))
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
    .orderBy('payment.sequence'),
)

const foreclosureWaivers = borrowerStatement((sql, isTheirs) =>
  sql
    .selectFrom('foreclosure_waivers')
    .select(['loan_id', 'waiver_id', 'waived_on', 'amount_paise'])
    .where(isTheirs('borrower_id'))
    .orderBy('waived_on')
    .orderBy('waiver_id'),
)

const refunds = borrowerStatement((sql, isTheirs) => refundedAmounts(sql).where(isTheirs('refunds.borrower_id')))
