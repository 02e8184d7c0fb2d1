import type { Kysely } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import * as z from 'zod/mini'
import type { DebitPart } from '#domain/autopay.ts'
import { dayInIndia, toDay, type Day } from '#domain/calendar.ts'
import type { LateChargeHold, LoanFacts, LoanTerms } from '#domain/loans.ts'
import { paise, sumPaise, type Paise } from '#domain/money.ts'
import { isFromProvider, providerName } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { DB } from '../database/schema.generated.ts'
import { borrowerStatement, type IsTheirs, executeTogether, type RowsOf } from '../database/statement.ts'
import { byLoan, toCharge, toDisbursal, toForeclosureWaiver, toPayment, toRateChange, type LoanRow } from './loan-store.ts'
import { calculationTerms, toLoanTerms } from './loan-terms.ts'
import { isCreditReturn, isRepayment, refundedAmounts, refundFacts, toCreditReturn } from './refund-facts-store.ts'

/** Reads the facts of loans, also of several borrowers, by loan id. */
export async function readFacts(sql: Sql, loans: readonly LoanRow[]): Promise<Map<string, LoanFacts>> {
  if (loans.length === 0) return new Map()
  const borrowerIds = [...new Set(loans.map(({ borrower_id }) => borrower_id))]
  const [rows] = await executeTogether(sql, [factsOfSeveral(borrowerIds)])
  return buildFacts(loans, rows)
}

/** Builds the facts of loans from the row of {@link factsOfBorrower}. */
export function buildFacts(loans: readonly LoanRow[], [rows]: readonly FactLists[]): Map<string, LoanFacts> {
  if (!rows) throw new Error('The statement of the facts returned no row')
  const lists = {
    termsOf: indexTerms(rows.products),
    disbursals: byLoan(rows.disbursals, (row) => toDisbursal(withAmount(row))),
    rateChanges: byLoan(rows.rate_changes, (row) =>
      toRateChange({ ...row, instalment_paise: row.instalment_paise === null ? null : exactPaise(row.instalment_paise) }),
    ),
    charges: byLoan(rows.charges, (row) =>
      toCharge({ ...withAmount(row), waived_paise: row.waived_paise === null ? null : exactPaise(row.waived_paise) }),
    ),
    foreclosureWaivers: byLoan(rows.foreclosure_waivers, (row) => toForeclosureWaiver(withAmount(row))),
    debits: byLoan(
      rows.debits.filter(({ status }) => status !== 'announced'),
      holdsOfDebit,
    ),
    returned: refundFacts(rows.refunds.map((row) => ({ ...withAmount(row), asked_at: new Date(row.asked_at) }))),
  }
  const money = countedMoney(rows)
  const payments = byLoan(money.filter(isRepayment), toPayment)
  const sentByBank = byLoan(money.filter(isCreditReturn), toCreditReturn)
  const reversed = byLoan(rows.reversals, withAmount)
  const moneyOf = ({ loan_id: id }: LoanRow) => ({
    payments: payments.get(id) ?? [],
    sentByBank: sentByBank.get(id) ?? [],
    reversed: reversed.get(id) ?? [],
  })
  return new Map(loans.map((loan) => [loan.loan_id, assembleFacts(loan, lists, moneyOf(loan))]))
}

/** The facts of several loans but their money, by loan id. */
type LoanLists = {
  [List in 'disbursals' | 'rateChanges' | 'charges' | 'foreclosureWaivers']: ReadonlyMap<string, LoanFacts[List]>
} & {
  termsOf: (loan: LoanRow) => LoanTerms
  debits: ReadonlyMap<string, readonly LateChargeHold[][]>
  returned: ReturnType<typeof refundFacts>
}

/** The money of one loan: what counts, and what was reversed. */
type LoanMoney = {
  payments: LoanFacts['payments']
  sentByBank: LoanFacts['refunds']
  reversed: readonly ReversedPayment[]
}

/** Assembles the facts of a loan from what was read of it, with other loans or alone. */
export function assembleFacts(loan: LoanRow, lists: LoanLists, { payments, sentByBank, reversed }: LoanMoney): LoanFacts {
  const { loan_id: id } = loan
  const { returned } = lists
  const ofDebits = lists.debits.get(id) ?? []
  return {
    loanNumber: loan.lan,
    sanctionedPaise: loan.sanctioned_paise,
    terms: lists.termsOf(loan),
    disbursals: lists.disbursals.get(id) ?? [],
    rateChanges: lists.rateChanges.get(id) ?? [],
    charges: lists.charges.get(id) ?? [],
    payments: payments.map(returned.withHeld),
    refunds: [...returned.creditRefunds(id), ...sentByBank],
    foreclosureWaivers: lists.foreclosureWaivers.get(id) ?? [],
    lateChargeHolds: [...ofDebits.flat(), ...holdsOfReversals(loan, reversed), ...returned.lateChargeHolds(payments)],
  }
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
      toLoanTerms(z.decode(calculationTerms, terms as z.input<typeof calculationTerms>)),
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
        loan.moratorium_until && loan.moratorium_interest ? { until: loan.moratorium_until, interest: loan.moratorium_interest } : null,
    }
  }
}

/** What a debit pays, as stored. Amounts are paise as text: JSON has no bigint. */
const storedParts = z.array(z.object({ due_date: z.optional(z.string()), charge_id: z.optional(z.string()), amount_paise: z.string() }))

export const encodeDebitParts = (parts: readonly DebitPart[]): string =>
  JSON.stringify(
    parts.map((part) => ({
      ...(part.kind === 'instalment' ? { due_date: part.dueDate } : { charge_id: part.chargeId }),
      amount_paise: String(part.amountPaise),
    })),
  )

export const decodeDebitParts = (stored: unknown): DebitPart[] =>
  storedParts.parse(stored).map(({ due_date, charge_id, amount_paise }) => {
    const amountPaise = paise(BigInt(amount_paise))
    if (due_date !== undefined) return { kind: 'instalment', dueDate: toDay(due_date), amountPaise }
    return { kind: 'charge', chargeId: charge_id ?? '', amountPaise }
  })

const selectDebits = (sql: Kysely<DB>) =>
  sql.selectFrom('collections').select(['loan_id', 'value_date', 'outcome_on', 'parts', 'status', 'reason']).orderBy('collection_id')

/** Selects the debits that were presented to the bank, as facts of their loans. */
export const presentedDebits = (sql: Kysely<DB>) => selectDebits(sql).where('presented_at', 'is not', null)

/** The reason of a captured collection whose money was taken back. */
export const returnedReason = 'returned'

type PresentedDebitRow = { value_date: Day | null; outcome_on: Day | null; parts: unknown; status: string; reason: string | null }

/**
 * What a presented debit means for late charges. It counts from its value date, which is not after
 * the day on which it was presented, so that a delay of ours causes no late charge.
 */
export function holdsOfDebit({ value_date: from, outcome_on: until, parts, status, reason }: PresentedDebitRow): LateChargeHold[] {
  if (from === null) throw new Error('A presented debit has no value date')
  const paid = decodeDebitParts(parts)
  const own = { from, until, dueDates: paid.flatMap((part) => (part.kind === 'instalment' ? [part.dueDate] : [])) }
  const isReturned = status === 'captured' && reason === returnedReason && until !== null
  if (!isReturned) return [own]
  const amountPaise = sumPaise(paid.map((part) => part.amountPaise))
  return [own, { from, until, takenBack: { paymentId: returnedReason, date: from, amountPaise, purpose: null }, isReversed: false }]
}

/** Money that was posted and reversed. */
type ReversedPayment = Parameters<typeof toPayment>[0] & {
  kind: string
  source: string
  recorded_at: Date | string
  reversed_at: Date | string
  reversed_by: string
  /** Whether the same amount of the same day was posted after the reversal, and counts. */
  is_posted_again: unknown
}

/**
 * What the reversals of a loan's money mean for late charges: of money that people had recorded and
 * have not recorded again. What the bank took back of a debit is the debit's own hold; money of a
 * link was disputed by the borrower. The system reverses what the provider reports as well.
 */
export const holdsOfReversals = ({ created_at }: Pick<LoanRow, 'created_at'>, reversed: readonly ReversedPayment[]): LateChargeHold[] =>
  reversed
    .filter((row) => isRepayment(row) && !isFromProvider(row) && row.reversed_by !== 'system')
    .filter((row) => row.is_posted_again !== true)
    .map((row) => {
      const recordedAt = new Date(row.recorded_at)
      // Until it was recorded, the borrower counted as late; an imported loan's history was known.
      const from = recordedAt > created_at && dayInIndia(recordedAt) > row.value_date ? dayInIndia(recordedAt) : row.value_date
      return { from, until: dayInIndia(new Date(row.reversed_at)), takenBack: toPayment(row), isReversed: true }
    })

/** The money of a borrower's ledger that is not reversed. */
export function countedMoney({ payments, reversals }: Pick<FactLists, 'payments' | 'reversals'>) {
  const reversed = new Set(reversals.map(({ transaction_id }) => transaction_id))
  return payments.filter(({ transaction_id }) => !reversed.has(transaction_id)).map(withAmount)
}

/** From the loans: Citus has no sub-select on loans within a select from products. */
const products = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('loans')
    .innerJoin('loan_products as product', (join) =>
      join.onRef('product.product_code', '=', 'loans.product_code').onRef('product.product_version', '=', 'loans.product_version'),
    )
    .distinctOn(['product.product_code', 'product.product_version'])
    .select(['product.product_code', 'product.product_version', 'product.terms'])
    .where(isTheirs('loans.borrower_id'))

const disbursals = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('disbursals')
    .select(['loan_id', 'disbursed_on', 'amount_paise', 'kept_rows'])
    .where(isTheirs('borrower_id'))
    .orderBy('disbursed_on')
    .orderBy('disbursal_id')

const rateChanges = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('rate_changes')
    .select(['loan_id', 'effective_on', 'annual_rate_ppb', 'keep', 'instalment_paise'])
    .where(isTheirs('borrower_id'))
    .orderBy('effective_on')

/**
 * Derived charges are not facts, because the product's rule derives them again, until they are
 * waived.
 */
const charges = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('charges')
    .select(['loan_id', 'charge_id', 'charged_on', 'charge_type', 'amount_paise', 'penal', 'waived_on', 'waived_paise'])
    .where(isTheirs('borrower_id'))
    .where(({ or, not, eb, ref }) => or([not(ref('derived')), eb('waived_on', 'is not', null)]))
    .orderBy('charged_on')
    .orderBy('charge_id')

/** Repayments, and credit that the lender's bank returned, by value date and then by sequence. */
const payments = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('ledger_transactions')
    .select(['loan_id', 'kind', 'source', 'transaction_id', 'value_date', 'amount_paise', 'purpose', 'quoted_ahead_for'])
    .where(isTheirs('borrower_id'))
    .where(({ or, and, eb }) => or([eb('kind', '=', 'repayment'), and([eb('kind', '=', 'refund'), eb('source', '<>', providerName)])]))
    .orderBy('value_date')
    .orderBy('sequence')

/**
 * What the ledger has reversed. Two lists cost the database less than payments without reversed
 * ones.
 */
const reversals = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('ledger_transactions as reversal')
    .innerJoin('ledger_transactions as payment', (join) =>
      join
        .onRef('payment.borrower_id', '=', 'reversal.borrower_id')
        .onRef('payment.loan_id', '=', 'reversal.loan_id')
        .onRef('payment.transaction_id', '=', 'reversal.reverses_transaction_id'),
    )
    .select([
      'payment.loan_id',
      'payment.transaction_id',
      'payment.kind',
      'payment.source',
      'payment.value_date',
      'payment.purpose',
      'payment.amount_paise',
      'payment.quoted_ahead_for',
      'payment.posted_at as recorded_at',
      'reversal.posted_at as reversed_at',
      'reversal.actor_id as reversed_by',
    ])
    .select((outer) =>
      outer
        .exists(
          outer
            .selectFrom('ledger_transactions as again')
            .whereRef('again.borrower_id', '=', 'reversal.borrower_id')
            .whereRef('again.loan_id', '=', 'reversal.loan_id')
            .whereRef('again.sequence', '>', 'reversal.sequence')
            .whereRef('again.value_date', '=', 'payment.value_date')
            .whereRef('again.amount_paise', '=', 'payment.amount_paise')
            .where('again.kind', '=', 'repayment')
            .where((again) =>
              again.not(
                again.exists(
                  again
                    .selectFrom('ledger_transactions as undone')
                    .whereRef('undone.borrower_id', '=', 'again.borrower_id')
                    .whereRef('undone.loan_id', '=', 'again.loan_id')
                    .whereRef('undone.reverses_transaction_id', '=', 'again.transaction_id'),
                ),
              ),
            ),
        )
        .as('is_posted_again'),
    )
    .where(isTheirs('reversal.borrower_id'))
    .where('reversal.reverses_transaction_id', 'is not', null)

const foreclosureWaivers = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  sql
    .selectFrom('foreclosure_waivers')
    .select(['loan_id', 'waiver_id', 'waived_on', 'amount_paise'])
    .where(isTheirs('borrower_id'))
    .orderBy('waived_on')
    .orderBy('waiver_id')

/** Presented debits; announced ones are no facts, but a change of the loan has them looked at. */
const debits = (sql: Kysely<DB>, isTheirs: IsTheirs) =>
  selectDebits(sql)
    .where(isTheirs('borrower_id'))
    .where(({ or, eb }) => or([eb('presented_at', 'is not', null), eb('status', '=', 'announced')]))

const refunds = (sql: Kysely<DB>, isTheirs: IsTheirs) => refundedAmounts(sql).where(isTheirs('refunds.borrower_id'))

/**
 * An amount of a JSON row in paise. A JSON number is exact up to 2^53 paise, ₹90 lakh crore.
 *
 * @throws RangeError above that.
 */
function exactPaise(amount: number): Paise {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`Not an exact amount in paise: ${amount}`)
  return paise(BigInt(amount))
}

const withAmount = <R extends { amount_paise: number }>(row: R): Omit<R, 'amount_paise'> & { amount_paise: Paise } => ({
  ...row,
  amount_paise: exactPaise(row.amount_paise),
})

/**
 * The facts of all loans of a borrower, or of several: one row with a list for each kind of fact.
 * Loan ids are unique over all borrowers.
 */
export const { ofOne: factsOfBorrower, ofSeveral: factsOfSeveral } = borrowerStatement((sql, isTheirs) =>
  sql.selectNoFrom([
    jsonArrayFrom(products(sql, isTheirs)).as('products'),
    jsonArrayFrom(disbursals(sql, isTheirs)).as('disbursals'),
    jsonArrayFrom(rateChanges(sql, isTheirs)).as('rate_changes'),
    jsonArrayFrom(charges(sql, isTheirs)).as('charges'),
    jsonArrayFrom(payments(sql, isTheirs)).as('payments'),
    jsonArrayFrom(refunds(sql, isTheirs)).as('refunds'),
    jsonArrayFrom(foreclosureWaivers(sql, isTheirs)).as('foreclosure_waivers'),
    jsonArrayFrom(reversals(sql, isTheirs)).as('reversals'),
    jsonArrayFrom(debits(sql, isTheirs)).as('debits'),
  ]),
)

export type FactLists = RowsOf<[ReturnType<typeof factsOfBorrower.with>]>[0][number]
