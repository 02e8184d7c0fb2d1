import { loanStateToPost } from '#domain/loan-state.ts'
import { paiseToRupeesText, zeroPaise, type Paise } from '#domain/money.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import type { RefundRow } from '../refund-store.ts'

/**
 * What the bank has taken back since of the money of a refund of credit, in paise (decision 0208):
 * sent now, the refund would be the lender's money.
 */
export const takenBackPaise = ({ facts }: OwnLoan, { reason }: RefundRow, now: Date): Paise =>
  reason === 'excess' ? loanStateToPost(facts, ledgerDay(facts, now)).refundShortPaise : zeroPaise

/** @throws LedgerRefusal if there is any. */
export function refuseTakenBack(own: OwnLoan, refund: RefundRow, now: Date): void {
  const taken = takenBackPaise(own, refund, now)
  if (taken > 0n)
    throw new LedgerRefusal(`The bank has taken back ₹${paiseToRupeesText(taken)} of the money of this refund`, 'credit_too_small')
}
