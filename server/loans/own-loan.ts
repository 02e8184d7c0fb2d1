import type { LoanFacts } from '#domain/loans.ts'
import type { Sql } from '../database/connect.ts'
import type { Caller } from '../caller.ts'
import { notFound } from '../http/failure.ts'
import { factsOf } from './facts-store.ts'
import { findLoan, isNamed, lockLoan, readLoan, type LoanRow } from './loan-store.ts'

export type OwnLoan = { loan: LoanRow; facts: LoanFacts }

/** Whose data the caller may see. @throws Failure NotFound for staff who assume nobody (decision 32). */
export function borrowerOf(caller: Caller): string {
  if (caller.borrowerId === null) throw notFound()
  return caller.borrowerId
}

/**
 * The one loan of this borrower that every given identifier names.
 *
 * @throws Failure NotFound when there is none, or when they name different loans (decisions 5, 10).
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

/** The same among the borrower's loans, where they are known. @throws Failure NotFound when none has that name. */
export function ownLoanAmong(loans: readonly LoanRow[], identifier: string): LoanRow {
  const loan = loans.find((known) => isNamed(known, identifier))
  if (!loan) throw notFound()
  return loan
}

/** The loan with all its facts. */
export async function readOwnLoan(sql: Sql, borrowerId: string, identifier: string): Promise<OwnLoan> {
  return withFacts(sql, await findOwnLoan(sql, borrowerId, identifier))
}

/** As {@link readOwnLoan}, by its own key. */
export async function readOwnLoanById(sql: Sql, borrowerId: string, loanId: string): Promise<OwnLoan> {
  return withFacts(sql, await readLoan(sql, borrowerId, loanId))
}

/** The loan with all its facts, under its row lock until the transaction ends. */
export async function lockOwnLoan(sql: Sql, borrowerId: string, loanId: string): Promise<OwnLoan> {
  return withFacts(sql, await lockLoan(sql, borrowerId, loanId))
}

async function withFacts(sql: Sql, loan: LoanRow): Promise<OwnLoan> {
  const facts = (await factsOf(sql, loan.borrower_id, [loan])).get(loan.loan_id)
  if (!facts) throw new Error(`Loan ${loan.lan} has no facts`)
  return { loan, facts }
}
