import { sql as raw } from 'kysely'
import { nilUuid } from '#contract/uuid.ts'
import type { LoanFacts } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import { assembleFacts, holdsOfDebit, presentedDebits, readTerms } from '../loans/facts-store.ts'
import { packedEntriesOf, unpackTransaction, type PackedTransaction } from './ledger-store.ts'
import { byLoan, toCharge, toDisbursal, toForeclosureWaiver, toPayment, toRateChange, type LoanRow } from '../loans/loan-store.ts'
import { isCreditReturn, isRepayment, refundedAmounts, refundFacts, toCreditReturn } from '../loans/refund-facts-store.ts'
import { findBrokenSequence, type ChainedTransaction } from './chain.ts'
import { isPayableCondition } from './open-links-store.ts'
import type { PostedTransaction } from './plan.ts'

/** A loan with all its facts and its whole ledger. */
export type BookLoan = {
  loan: LoanRow
  facts: LoanFacts
  ledger: readonly PostedTransaction[]
  /** The sequence of the first transaction whose chain hash is wrong; null without one. */
  brokenSequence: bigint | null
  hasPayableLink: boolean
  /** The worker's next check, with the tries since the loan changed; null without one. */
  followUp: { at: Date; attempts: number } | null
  /** The `about` keys of the loan's reviews, open or resolved. */
  reviews: ReadonlySet<string>
}

/** Reads all loans in batches, by borrower id. All loans of a borrower are in the same batch. */
export async function* readBook(sql: Sql, borrowersPerBatch: number): AsyncGenerator<BookLoan[]> {
  let after = nilUuid
  for (;;) {
    const borrowers = await sql
      .selectFrom('loans')
      .select('borrower_id')
      .distinct()
      .where('borrower_id', '>', after)
      .orderBy('borrower_id')
      .limit(borrowersPerBatch)
      .execute()
    const first = borrowers[0]?.borrower_id
    const last = borrowers.at(-1)?.borrower_id
    if (first === undefined || last === undefined) return
    yield await loansBetween(sql, { first, last })
    after = last
  }
}

type Posted = PackedTransaction & ChainedTransaction & { loan_id: string; chain_hash: Buffer }

type Range = { first: string; last: string }

const isInRange = ({ first, last }: Range) => raw<boolean>`borrower_id between ${first}::uuid and ${last}::uuid`

/**
 * Reads the loans of a range of borrowers. Each table is read once, as a range of its primary key.
 */
async function loansBetween(sql: Sql, range: Range): Promise<BookLoan[]> {
  const loans = await sql.selectFrom('loans').selectAll().where(isInRange(range)).orderBy('borrower_id').orderBy('loan_id').execute()
  const buildFacts = await factsBetween(sql, range)
  const ledgers = await ledgersBetween(sql, range)
  const openWorkOf = await openWorkBetween(sql, range)
  return loans.map((loan) => {
    const rows = ledgers.get(loan.loan_id) ?? []
    return {
      loan,
      facts: buildFacts(loan, rows),
      ledger: rows.map(unpackTransaction),
      brokenSequence: findBrokenSequence(loan.loan_id, rows),
      ...openWorkOf(loan.loan_id),
    }
  })
}

/** @returns the function that builds a loan's facts, with the payments of its ledger rows. */
async function factsBetween(sql: Sql, range: Range): Promise<(loan: LoanRow, rows: readonly Posted[]) => LoanFacts> {
  const inRange = isInRange(range)
  const termsOf = await readTerms(sql)
  const disbursals = byLoan(
    await sql
      .selectFrom('disbursals')
      .select(['loan_id', 'disbursed_on', 'amount_paise', 'kept_rows'])
      .where(inRange)
      .orderBy('disbursed_on')
      .orderBy('disbursal_id')
      .execute(),
    toDisbursal,
  )
  const rateChanges = byLoan(
    await sql.selectFrom('rate_changes').selectAll().where(inRange).orderBy('effective_on').execute(),
    toRateChange,
  )
  const charges = byLoan(
    await sql
      .selectFrom('charges')
      .selectAll()
      .where(inRange)
      .where((where) => where.or([where('derived', '=', false), where('waived_on', 'is not', null)]))
      .orderBy('charged_on')
      .orderBy('charge_id')
      .execute(),
    toCharge,
  )
  const foreclosureWaivers = byLoan(
    await sql.selectFrom('foreclosure_waivers').selectAll().where(inRange).orderBy('waived_on').orderBy('waiver_id').execute(),
    toForeclosureWaiver,
  )
  const debits = byLoan(await presentedDebits(sql).where(inRange).execute(), holdsOfDebit)
  const returned = refundFacts(
    await refundedAmounts(sql)
      .where(raw<boolean>`refunds.borrower_id between ${range.first}::uuid and ${range.last}::uuid`)
      .execute(),
  )
  const lists = { termsOf, disbursals, rateChanges, charges, foreclosureWaivers, debits, returned }
  return (loan, rows) => assembleFacts(loan, lists, moneyIn(rows))
}

/** Reads the ledger transactions by loan, each with its entries, in the order of their sequence. */
async function ledgersBetween(sql: Sql, range: Range): Promise<ReadonlyMap<string, readonly Posted[]>> {
  const rows = await sql
    .selectFrom('ledger_transactions')
    .select([
      'loan_id',
      'transaction_id',
      'sequence',
      'kind',
      'source',
      'source_id',
      'value_date',
      'posted_at',
      'amount_paise',
      'purpose',
      'quoted_ahead_for',
      'reverses_transaction_id',
      'reallocates_transaction_id',
      'actor_id',
      'request_hash',
      'chain_hash',
      packedEntriesOf().as('entries'),
    ])
    .where(isInRange(range))
    .orderBy('loan_id')
    .orderBy('sequence')
    .execute()
  return byLoan(rows as Posted[], (row) => row)
}

type OpenWork = Pick<BookLoan, 'hasPayableLink' | 'followUp' | 'reviews'>

/** @returns the function that gives a loan's payable link, follow-up and reviews. */
async function openWorkBetween(sql: Sql, range: Range): Promise<(loanId: string) => OpenWork> {
  const inRange = isInRange(range)
  const links = await sql.selectFrom('payment_links').select('loan_id').where(inRange).where(isPayableCondition).execute()
  const payable = new Set(links.map(({ loan_id }) => loan_id))
  const followUps = await sql.selectFrom('loan_follow_ups').select(['loan_id', 'next_check_at', 'attempts']).where(inRange).execute()
  const nextChecks = new Map(followUps.map(({ loan_id, next_check_at: at, attempts }) => [loan_id, { at, attempts }]))
  const reviews = byLoan(
    await sql
      .selectFrom('payment_reviews')
      .select((review) => [review.fn.coalesce('loan_id', review.ref('borrower_id')).as('loan_id'), 'about'])
      .where(inRange)
      .where('kind', 'in', ['foreclosure_short', 'credit_on_closed_loan', 'refund_short'])
      .execute(),
    ({ about }) => about,
  )
  return (loanId) => ({
    hasPayableLink: payable.has(loanId),
    followUp: nextChecks.get(loanId) ?? null,
    reviews: new Set(reviews.get(loanId)),
  })
}

/**
 * Money received, and credit returned by bank, that is not reversed, by value date and then by
 * sequence; and what is reversed.
 */
function moneyIn(rows: readonly Posted[]) {
  const reversals = new Map(rows.map((row) => [row.reverses_transaction_id, row]))
  const money = rows
    .filter((row) => !reversals.has(row.transaction_id))
    .toSorted((left, right) => (left.value_date < right.value_date ? -1 : left.value_date > right.value_date ? 1 : 0))
  const reversed = rows.flatMap((row) => {
    const reversal = reversals.get(row.transaction_id)
    if (reversal === undefined) return []
    const isSame = ({ value_date, amount_paise }: Posted) => value_date === row.value_date && amount_paise === row.amount_paise
    const is_posted_again = money.some((one) => isRepayment(one) && isSame(one) && one.sequence > reversal.sequence)
    return [{ ...row, recorded_at: row.posted_at, reversed_at: reversal.posted_at, reversed_by: reversal.actor_id, is_posted_again }]
  })
  return { payments: money.filter(isRepayment).map(toPayment), sentByBank: money.filter(isCreditReturn).map(toCreditReturn), reversed }
}
