import type { Loan } from '#contract/loans.ts'

/** The loan shown: the chosen one while it is still among the loans, else the first ACTIVE one, else the first (spec §2). */
export function shownLoan(loans: readonly Loan[], chosenLan: string | null): Loan | undefined {
  return loans.find((loan) => loan.lan === chosenLan) ?? loans.find((loan) => loan.loan_status === 'ACTIVE') ?? loans[0]
}
