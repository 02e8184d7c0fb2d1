import type { LoanFacts } from '#domain/loans.ts'
import { paiseToRupeesText } from '#domain/money.ts'
import { refundedCreditUsed } from '#domain/refunds.ts'
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
  const short = refundedCreditUsed(before, changed, ledgerDay(changed, now))
  if (short > 0n)
    throw new LedgerRefusal(`The change would use ₹${paiseToRupeesText(short)} of credit that was refunded since`, 'credit_refunded')
}
