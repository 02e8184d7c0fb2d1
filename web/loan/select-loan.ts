import type { Loan } from '#contract/loans.ts'

/**
 * The loan shown: the chosen one if it still exists, else the first ACTIVE one, else the first
 * (spec §2).
 */
export function selectShownLoan<One extends Pick<Loan, 'lan' | 'loan_status'>>(
  loans: readonly One[],
  chosenLan: string | null,
): One | undefined {
  return loans.find((loan) => loan.lan === chosenLan) ?? loans.find((loan) => loan.loan_status === 'ACTIVE') ?? loans[0]
}
