import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanStatus } from '#domain/loans.ts'
import type { Context } from '../context.ts'
import { buildFacts, factsOfSeveral } from '../loans/facts-store.ts'
import { loansOfSeveral } from '../loans/loan-store.ts'

export type ListedLoan = { lan: string; loan_status: LoanStatus; dpd: number }
/** The loan that needs most attention, and the number of all. */
type ListedLoans = { worst_loan: ListedLoan | null; loan_count: number }

/** Reads the worst loan of each borrower of a page, as of today in India, in one round trip. */
export async function readWorstLoans(
  { clock, database }: Pick<Context, 'clock' | 'database'>,
  borrowerIds: readonly string[],
): Promise<(borrowerId: string) => ListedLoans> {
  if (borrowerIds.length === 0) return () => ({ worst_loan: null, loan_count: 0 })
  const [loans, factRows] = await database.readAsSystem([loansOfSeveral(borrowerIds), factsOfSeveral(borrowerIds)])
  const facts = buildFacts(loans, factRows)
  const today = dayInIndia(clock.now())
  const byBorrower = Map.groupBy(loans, ({ borrower_id }) => borrower_id)
  return (borrowerId) => {
    const listed = (byBorrower.get(borrowerId) ?? []).flatMap(({ loan_id, lan }): ListedLoan[] => {
      const loanFacts = facts.get(loan_id)
      if (!loanFacts) return []
      const { status, dpd } = loanStateDuring(loanFacts, today)
      return [{ lan, loan_status: status, dpd }]
    })
    return { worst_loan: findWorstLoan(listed), loan_count: listed.length }
  }
}

/** From bad to good, where the days past due are the same. */
const statusOrder: readonly LoanStatus[] = ['OVERDUE', 'UNKNOWN', 'ACTIVE', 'CLOSED']

/** The loan most days past due; of equal ones the worse status, then the first. */
export const findWorstLoan = (loans: readonly ListedLoan[]): ListedLoan | null =>
  loans.toSorted((one, other) => other.dpd - one.dpd || statusOrder.indexOf(one.loan_status) - statusOrder.indexOf(other.loan_status))[0] ??
  null
