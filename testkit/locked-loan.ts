import type { Database } from '#server/database/connect.ts'
import type { LoanTransaction } from '#server/loan-changes/change-loan.ts'
import { lockOwnLoan } from '#server/loans/own-loan.ts'

/** Runs in one transaction under the loan's row lock, as the operator; nothing is logged. */
export const withLockedLoan = <T>(
  database: Pick<Database, 'asBorrower'>,
  { borrowerId, loanId }: { borrowerId: string; loanId: string },
  now: Date,
  work: (loan: LoanTransaction) => Promise<T>,
): Promise<T> =>
  database.asBorrower(borrowerId, async (sql) => work({ sql, own: await lockOwnLoan(sql, borrowerId, loanId), now, actorId: 'operator' }))
