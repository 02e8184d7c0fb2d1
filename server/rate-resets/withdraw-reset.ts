import { dayInIndia } from '#domain/calendar.ts'
import { refuseWithdrawal } from '#domain/rate-resets.ts'
import { addNotice } from '../add-notice.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { changeRate } from '../loan-changes/change-rate.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { findReset, recheckOtherResets, updateReset, type ResetRow } from './reset-store.ts'

/**
 * Withdraws a reset before its day, with its rate change. A borrower who knew of the reset is
 * notified. The caller holds the loan's row lock and logs the change.
 *
 * @throws LedgerRefusal if the loan has no such reset, or its day has come.
 */
export async function withdrawReset(transaction: LoanTransaction, resetId: string): Promise<ResetRow> {
  const { sql, own, now } = transaction
  const { borrower_id: borrowerId, loan_id: loanId, lan } = own.loan
  const reset = await findReset(sql, borrowerId, resetId)
  if (!reset || reset.loan_id !== loanId) throw new LedgerRefusal(`Loan ${lan} has no rate reset ${resetId}`, 'reset_unknown')
  const refusal = refuseWithdrawal(reset.state, reset.effective_on, dayInIndia(now))
  if (refusal === 'withdrawn') throw new LedgerRefusal('This rate reset was withdrawn before', 'reset_withdrawn')
  if (refusal === 'too_late')
    throw new LedgerRefusal(`The new rate counts since ${reset.effective_on} and can no longer be withdrawn`, 'reset_already_effective')
  if (reset.state === 'chosen' || reset.state === 'defaulted') await changeRate(transaction, reset.effective_on, null)
  await recheckOtherResets(sql, reset)
  const withdrawn = await updateReset(sql, reset, { state: 'withdrawn', withdrawn_at: now })
  const about = `reset_withdrawn:${resetId}`
  if (reset.notified_at !== null)
    await addNotice(sql, { borrowerId, about, kind: 'rate_reset_withdrawn', lan, date: reset.effective_on }, now)
  return withdrawn
}
