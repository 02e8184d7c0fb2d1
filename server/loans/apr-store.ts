import { annualPercentageRate } from '#domain/apr.ts'
import type { LoanFacts } from '#domain/loans.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { LoanRow } from './loan-store.ts'

/**
 * The annual percentage rate of a loan is stored with it, because its iteration costs more than the
 * rest of an answer. Everything that it depends on is fixed at the sanction, except the day of the
 * first disbursal, which is stored beside it. A change of the computation needs a migration that
 * sets both columns to null.
 */

type AprColumns = Pick<LoanRow, 'apr_basis_points' | 'apr_disbursed_on'>

/**
 * Computes the rate with two decimals, as in the key facts statement: the whole sanctioned amount
 * on the first day, because future tranches are unknown (decision 51). Whole hundredths of a
 * percent do not depend on how a processor rounds the last bits of a power.
 *
 * @param disbursedOn the day of the first disbursal.
 */
export function computeAprBasisPoints(
  { terms, sanctionedPaise }: LoanFacts,
  { upfront_fees_paise }: Pick<LoanRow, 'upfront_fees_paise'>,
  disbursedOn: NonNullable<AprColumns['apr_disbursed_on']>,
): bigint {
  const { aprPpb } = annualPercentageRate(terms, [{ date: disbursedOn, amountPaise: sanctionedPaise }], upfront_fees_paise)
  return BigInt(Math.round(aprPpb / 100_000))
}

/** @returns the loan itself if its stored rate is that of its first disbursal; otherwise a copy. */
export function withApr(loan: LoanRow, facts: LoanFacts): LoanRow {
  const disbursedOn = facts.disbursals[0]?.date ?? null
  const isKnown = loan.apr_disbursed_on === disbursedOn && (loan.apr_basis_points !== null || disbursedOn === null)
  if (isKnown) return loan
  const aprBasisPoints = disbursedOn === null ? null : computeAprBasisPoints(facts, loan, disbursedOn)
  return { ...loan, apr_basis_points: aprBasisPoints, apr_disbursed_on: disbursedOn }
}

/** The rate in percent; null without a disbursal. */
export function readApr(loan: LoanRow, facts: LoanFacts): number | null {
  const { apr_basis_points: basisPoints } = withApr(loan, facts)
  return basisPoints === null ? null : Number(basisPoints) / 100
}

/**
 * Stores the rate if the stored one is not that of these facts. The caller holds the loan's row
 * lock.
 *
 * @returns the loan with its rate.
 */
export async function storeApr(sql: Sql, loan: LoanRow, facts: LoanFacts): Promise<LoanRow> {
  const rated = withApr(loan, facts)
  if (rated !== loan) await updateApr(sql, rated)
  return rated
}

/**
 * Stores the rates of loans that have none yet, at their first read. A loan that another
 * transaction has locked, and a failure, are left for the next read.
 *
 * @returns the loans with their rates.
 */
export async function storeMissingAprs(
  { database, log }: Pick<Context, 'database' | 'log'>,
  borrowerId: string,
  loans: readonly LoanRow[],
  facts: ReadonlyMap<string, LoanFacts>,
): Promise<LoanRow[]> {
  const rated = loans.map((loan) => {
    const own = facts.get(loan.loan_id)
    return own ? withApr(loan, own) : loan
  })
  const missing = rated.filter((loan, index) => loan !== loans[index])
  if (missing.length > 0)
    await database
      .asBorrower(borrowerId, async (sql) => {
        for (const loan of missing) if (await isFree(sql, loan)) await updateApr(sql, loan)
      })
      // The answer is complete without it.
      .catch((error: unknown) => log.warn({ event: 'apr_not_stored', err: error }, 'annual percentage rate not stored'))
  return rated
}

/** Takes the loan's row lock unless another transaction holds it. */
const isFree = async (sql: Sql, { borrower_id, loan_id }: LoanRow): Promise<boolean> =>
  (await sql
    .selectFrom('loans')
    .select('loan_id')
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()) !== undefined

async function updateApr(sql: Sql, { borrower_id, loan_id, apr_basis_points, apr_disbursed_on }: LoanRow): Promise<void> {
  await sql
    .updateTable('loans')
    .set({ apr_basis_points, apr_disbursed_on })
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .execute()
}
