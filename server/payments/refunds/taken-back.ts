import { loanStateToPost } from '#domain/loan-state.ts'
import { paiseToRupeesText, zeroPaise, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { isSentBackWhole } from '../../loans/refund-facts-store.ts'
import type { RefundRow } from '../refund-store.ts'
import { hasLostDispute } from '../review-store.ts'

/**
 * What the bank has taken back since of the money of a refund, in paise: sent now, the refund would
 * be the lender's money. Of credit it is what is short (decision 0208). A payment that never
 * counted is gone when its dispute is lost.
 */
export async function readTakenBackPaise(sql: Sql, { facts }: OwnLoan, refund: RefundRow, now: Date): Promise<Paise> {
  const { reason, borrower_id, provider_payment_id, amount_paise } = refund
  if (reason === 'excess') return loanStateToPost(facts, ledgerDay(facts, now)).refundShortPaise
  return isSentBackWhole(reason) && (await hasLostDispute(sql, borrower_id, provider_payment_id)) ? amount_paise : zeroPaise
}

/** @throws LedgerRefusal if there is any. */
export async function refuseTakenBack(sql: Sql, own: OwnLoan, refund: RefundRow, now: Date): Promise<void> {
  const taken = await readTakenBackPaise(sql, own, refund, now)
  if (taken > 0n)
    throw new LedgerRefusal(`The bank has taken back ₹${paiseToRupeesText(taken)} of the money of this refund`, 'refund_money_gone')
}
