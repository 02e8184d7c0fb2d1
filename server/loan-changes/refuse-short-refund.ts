import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { ledgerDay } from '../ledger/postings.ts'

/**
 * What an operator makes known late may not use credit that was sent back since: that money is gone.
 *
 * @throws LedgerRefusal saying how much is missing.
 */
export function refuseShortRefund(facts: LoanFacts, now: Date): void {
  const { refundShortPaise } = loanStateDuring(facts, ledgerDay(facts, now))
  if (refundShortPaise > 0n)
    throw new LedgerRefusal(`It would use ₹${paiseToRupeesText(refundShortPaise)} of credit that was refunded since`)
}
