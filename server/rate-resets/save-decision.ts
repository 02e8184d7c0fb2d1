import type { ResetChoice, ResetDecision } from '#domain/rate-resets.ts'
import { rateChangeOf } from '#domain/rate-resets.ts'
import type { ResetOutcome } from '#domain/reset-offer.ts'
import { changeRate } from '../loan-changes/change-rate.ts'
import type { LoanTransaction } from '../loan-changes/change-loan.ts'
import { readLoan } from '../loans/loan-store.ts'
import { newRateOf } from './reset-on-wire.ts'
import { recheckOtherResets, updateReset, type ResetRow } from './reset-store.ts'

type Decided = {
  /** Null: the default. */
  choice: ResetChoice | null
  decision: ResetDecision
  outcome: ResetOutcome
}

/**
 * Writes what a borrower chose, or the default, as the loan's rate change, and stores it with the
 * reset. The caller holds the loan's row lock and logs the change.
 */
export async function saveDecision(
  transaction: LoanTransaction,
  reset: ResetRow,
  { choice, decision, outcome }: Decided,
): Promise<ResetRow> {
  const { sql, now } = transaction
  await changeRate(transaction, reset.effective_on, rateChangeOf(newRateOf(reset), decision))
  const { ledger_sequence } = await readLoan(sql, reset.borrower_id, reset.loan_id)
  await recheckOtherResets(sql, reset)
  return updateReset(sql, reset, {
    state: choice === null ? 'defaulted' : 'chosen',
    choice,
    instalment_paise: outcome.instalmentPaise,
    last_due_on: outcome.lastDueDate,
    ledger_sequence,
    decided_at: now,
  })
}
