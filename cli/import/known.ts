import type { LoanRow } from '#server/loans/loan-store.ts'
import type { Book } from './book.ts'
import type { ErasedPeople } from './erased.ts'
import type { Faults } from './faults.ts'
import type { ImportPlan, LoanToWrite } from './plan.ts'

/** What the comparison of a book with the database has found so far. */
export type Known = {
  now: Date
  faults: Faults
  plan: ImportPlan
  /** The stored loans that the book names. */
  rows: ReadonlyMap<string, LoanRow>
  erased: ErasedPeople
  userIds: Map<string, string>
  loans: Map<string, LoanToWrite>
  /** Ids of existing borrowers. */
  knownBorrowerIds: readonly string[]
}

/** The borrower of a line; adds a fault if there is none, and counts a line of an erased person. */
export function borrowerOf(
  { userIds, erased, plan, faults }: Known,
  { borrowers }: Book,
  { phone, line }: { phone: string; line: number },
): string | null {
  const borrowerId = userIds.get(phone)
  // The fault of the borrower's own line is reported there.
  if (borrowerId === undefined && erased.phones.has(phone)) plan.erased += 1
  else if (borrowerId === undefined && !borrowers.has(phone) && !borrowers.faulty.has(phone))
    faults.add(line, 'phone', `no borrower of the book or the portal has ${phone}`)
  return borrowerId ?? null
}

/** The loan of a line; adds a fault if there is none, and counts a line of an erased person. */
export function loanOf(
  { loans, erased, plan, faults }: Known,
  book: Book,
  { lan, line }: { lan: string; line: number },
): LoanToWrite | null {
  const loan = loans.get(lan)
  // The fault of the loan's own line is reported there.
  if (erased.lans.has(lan)) plan.erased += 1
  else if (loan === undefined && !book.loans.has(lan) && !book.loans.faulty.has(lan))
    faults.add(line, 'lan', `there is no loan ${lan} in the book or the portal`)
  return loan ?? null
}
