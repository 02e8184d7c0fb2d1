import { byDate, type Day } from '#domain/calendar.ts'
import type { RateChange } from '#domain/loans.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { deleteRateChange, insertRateChange } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import type { LoanTransaction } from './change-loan.ts'

/**
 * Writes a rate change, or removes it, and adjusts the ledger if the day has come. Another rate
 * change of the same day is replaced. The caller holds the loan's row lock.
 *
 * @param change null: the loan has no rate change on the day.
 * @returns the loan with its new facts.
 */
export async function changeRate({ sql, own, now, actorId }: LoanTransaction, date: Day, change: RateChange | null): Promise<OwnLoan> {
  await deleteRateChange(sql, own.loan, date)
  if (change !== null) await insertRateChange(sql, own.loan, change)
  const others = own.facts.rateChanges.filter((one) => one.date !== date)
  const rateChanges = [...others, ...(change === null ? [] : [change])].toSorted(byDate)
  const changed = { ...own, facts: { ...own.facts, rateChanges } }
  await reconcileLedgerToFacts(sql, changed, now, actorId)
  return changed
}
