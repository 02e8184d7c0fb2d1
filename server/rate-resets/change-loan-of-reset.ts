import type { Context } from '../context.ts'
import { changeLoanInTransaction, type ChangeResult, type LoanTransaction } from '../loan-changes/change-loan.ts'
import { findReset, type FoundReset, type ResetRow } from './reset-store.ts'

/** The process that writes defaults and computes resets again. */
const resetActor = { actorId: 'system', name: 'rate resets', reason: 'reset of a floating rate' } as const

export const unchanged: ChangeResult<null> = { answer: null, log: null }

/**
 * Changes the loan of a reset in one transaction, without a person. Reads the reset again under
 * the loan's row lock, and does nothing if it no longer exists. A payment link stays open
 * (decision 53).
 *
 * @returns whether anything that is logged was changed.
 */
export async function changeLoanOfReset(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { borrower_id: borrowerId, loan_id: loanId, reset_id: resetId }: FoundReset,
  write: (transaction: LoanTransaction, reset: ResetRow) => Promise<ChangeResult<null>>,
): Promise<boolean> {
  let isChanged = false
  await database.asBorrower(borrowerId, (sql) =>
    changeLoanInTransaction(
      sql,
      {
        borrowerId,
        loanId,
        actor: resetActor,
        whileLinkOpen: 'keep',
        write: async (transaction) => {
          const reset = await findReset(sql, borrowerId, resetId)
          const result = reset ? await write(transaction, reset) : unchanged
          isChanged = result.log !== null
          return result
        },
      },
      clock.now(),
    ),
  )
  return isChanged
}
