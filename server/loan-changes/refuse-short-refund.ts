import { loanStateToPost } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { ledgerDay } from '../ledger/postings.ts'

/**
 * Refuses a back-dated change that would use credit which has been refunded in the meantime. What
 * was short before, because the bank took money back (decision 0208), keeps nothing from being
 * recorded.
 *
 * @throws LedgerRefusal with the missing amount.
 */
export function refuseShortRefund(before: LoanFacts, changed: LoanFacts, now: Date): void {
  if (changed.refunds.length === 0) return
  const shortOf = (facts: LoanFacts) => loanStateToPost(facts, ledgerDay(facts, now)).refundShortPaise
  const short = shortOf(changed)
  if (short > 0n && short > shortOf(before))
    throw new LedgerRefusal(`The change would use ₹${paiseToRupeesText(short)} of credit that was refunded since`, 'credit_refunded')
}
