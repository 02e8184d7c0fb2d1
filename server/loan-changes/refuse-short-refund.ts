import { loanStateToPost } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { ledgerDay } from '../ledger/postings.ts'

/**
 * Refuses a back-dated change that would use credit which has been refunded in the meantime.
 *
 * @throws LedgerRefusal with the missing amount.
 */
export function refuseShortRefund(facts: LoanFacts, now: Date): void {
  const { refundShortPaise } = loanStateToPost(facts, ledgerDay(facts, now))
  if (refundShortPaise > 0n)
    throw new LedgerRefusal(
      `The change would use ₹${paiseToRupeesText(refundShortPaise)} of credit that was refunded since`,
      'credit_refunded',
    )
}
