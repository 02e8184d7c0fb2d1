import type { Compilable } from 'kysely'
import type { LoanFacts } from '#domain/loans.ts'
import { isFromProvider } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { Caller } from '../caller.ts'
import { notFound } from '../http/failure.ts'
import { executeTogether, type Bound, type RowsOf } from '../database/statement.ts'
import { buildFacts, countedMoney, factsOfBorrower, type FactLists } from './facts-store.ts'
import { findLoan, loanForUpdate, loansOfBorrower, matchesIdentifier, readLoan, type LoanRow } from './loan-store.ts'

export type OwnLoan = {
  loan: LoanRow
  facts: LoanFacts
  /** The facts as they were read, before the changes of the transaction. */
  factsBefore: LoanFacts
  /** Whether the borrower was told of a debit that is not presented yet. */
  hasAnnouncedDebit?: boolean
  /** Whether people have recorded money, not reversed, on one of the borrower's loans. */
  hasRecordedMoney?: boolean
  /**
   * The approved proposal that changes the loan: the ledger transactions that follow from it name
   * it as their source.
   */
  proposalId?: string
}

/**
 * The borrower whose data the caller may see.
 *
 * @throws Failure NotFound for staff who assume nobody (decision 32).
 */
export function requireBorrower(caller: Caller): string {
  if (caller.borrowerId === null) throw notFound()
  return caller.borrowerId
}

/**
 * Finds the loan of this borrower that all identifiers match.
 *
 * @throws Failure NotFound if there is none, or if they match different loans (decisions 5, 10).
 */
export async function findOwnLoan(sql: Sql, borrowerId: string, ...identifiers: readonly string[]): Promise<LoanRow> {
  let found: LoanRow | undefined
  for (const identifier of new Set(identifiers)) {
    const loan = await findLoan(sql, borrowerId, identifier)
    if (!loan || (found && found.loan_id !== loan.loan_id)) throw notFound()
    found = loan
  }
  if (!found) throw notFound()
  return found
}

/**
 * Finds a loan among the borrower's loaded loans.
 *
 * @throws Failure NotFound if none matches.
 */
export function selectOwnLoan(loans: readonly LoanRow[], identifier: string): LoanRow {
  const loan = loans.find((known) => matchesIdentifier(known, identifier))
  if (!loan) throw notFound()
  return loan
}

/** The reads for one of the borrower's loans with all its facts, see {@link buildOwnLoan}. */
export const ownLoanReads = (borrowerId: string) => [loansOfBorrower.with({ borrowerId }), factsOfBorrower.with({ borrowerId })] as const

/**
 * Builds a loan from the rows of {@link ownLoanReads}.
 *
 * @throws Failure NotFound if no loan matches.
 */
export function buildOwnLoan([loans, factRows]: RowsOf<ReturnType<typeof ownLoanReads>>, identifier: string): OwnLoan {
  const loan = selectOwnLoan(loans, identifier)
  return withRows(loan, factRows)
}

/** Reads a loan with all its facts. */
export async function readOwnLoan(sql: Sql, borrowerId: string, identifier: string): Promise<OwnLoan> {
  return withFacts(sql, await findOwnLoan(sql, borrowerId, identifier))
}

/** As {@link readOwnLoan}, by the loan's key. */
export async function readOwnLoanById(sql: Sql, borrowerId: string, loanId: string): Promise<OwnLoan> {
  return withFacts(sql, await readLoan(sql, borrowerId, loanId))
}

/** Reads a loan with all its facts and locks its row until the transaction ends. */
export const lockOwnLoan = async (sql: Sql, borrowerId: string, loanId: string): Promise<OwnLoan> =>
  (await lockOwnLoanAndRead(sql, borrowerId, loanId, [])).own

/**
 * Does the same as {@link lockOwnLoan}, with further reads in the same round trip. They see what
 * the lock waited for.
 */
export async function lockOwnLoanAndRead<const Reads extends readonly (Compilable | Bound<unknown>)[]>(
  sql: Sql,
  borrowerId: string,
  loanId: string,
  reads: Reads,
): Promise<{ own: OwnLoan; rows: RowsOf<Reads> }> {
  const [[loan], factRows, ...rows] = await executeTogether(sql, [
    loanForUpdate.with({ borrowerId, loanId }),
    factsOfBorrower.with({ borrowerId }),
    ...reads,
  ])
  if (!loan) throw new Error(`There is no loan ${loanId}`)
  return { own: withRows(loan, factRows), rows: rows as unknown as RowsOf<Reads> }
}

async function withFacts(sql: Sql, loan: LoanRow): Promise<OwnLoan> {
  const [factRows] = await executeTogether(sql, [factsOfBorrower.with({ borrowerId: loan.borrower_id })])
  return withRows(loan, factRows)
}

function withRows(loan: LoanRow, rows: readonly FactLists[]): OwnLoan {
  const facts = buildFacts([loan], rows).get(loan.loan_id)
  if (!facts) throw new Error(`Loan ${loan.lan} has no facts`)
  return {
    loan,
    facts,
    factsBefore: facts,
    hasAnnouncedDebit: rows.some(({ debits }) => debits.some(({ loan_id, status }) => loan_id === loan.loan_id && status === 'announced')),
    hasRecordedMoney: rows.some((lists) => countedMoney(lists).some((money) => !isFromProvider(money))),
  }
}
