import { loanStateToPost } from '#domain/loan-state.ts'
import { paiseToRupeesText, zeroPaise, type Paise } from '#domain/money.ts'
import type { Sql } from '../../database/connect.ts'
import { listBankReferences, selectNaming } from '../../ledger/bank-reference-store.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { isSentBackWhole, isTakenByBank } from '../../loans/refund-facts-store.ts'
import { listPaymentsById } from '../provider-payment-store.ts'
import { listLoanRefunds, type RefundRow } from '../refund-store.ts'
import { hasLostDispute, listLossReviews } from '../review-store.ts'

/**
 * Whether the bank has taken money of a payment that still counts for the loan, also as people
 * recorded it again: credit that is refunded meanwhile would be the lender's money.
 */
export async function isMoneyGone(sql: Sql, { loan, facts }: Pick<OwnLoan, 'loan' | 'facts'>): Promise<boolean> {
  const losses = Map.groupBy(await listLossReviews(sql, loan.borrower_id), ({ paymentId }) => paymentId)
  if (losses.size === 0) return false
  const counted = new Set<string | null>(facts.payments.map(({ paymentId }) => paymentId))
  const payments = await listPaymentsById(sql, loan.borrower_id, [...losses.keys()])
  const claims = await listBankReferences(sql, loan.borrower_id)
  const refunds = await listLoanRefunds(sql, loan.borrower_id, loan.loan_id)
  return payments.some((payment) => {
    if (selectNaming(claims, payment).some((claim) => counted.has(claim.transaction_id))) return true
    const { provider_payment_id: id, transaction_id } = payment
    const found = losses.get(id) ?? []
    const [first] = found
    if (first === undefined || !counted.has(transaction_id)) return false
    // Each loss is recorded once; what was recorded before the first of them is of another one.
    const isRecorded = (refund: RefundRow): boolean =>
      refund.provider_payment_id === id && isTakenByBank(refund) && (refund.processed_at ?? refund.asked_at) >= first.foundAt
    return refunds.filter(isRecorded).length < found.length
  })
}

/**
 * What the bank has taken back since of the money of a refund, in paise: sent now, the refund would
 * be the lender's money. Of credit it is what is short (decision 0208), or all of it while money of
 * the loan is gone. A payment that never counted is gone when its dispute is lost.
 */
export async function readTakenBackPaise(sql: Sql, own: OwnLoan, refund: RefundRow, now: Date): Promise<Paise> {
  const { reason, borrower_id, provider_payment_id, amount_paise } = refund
  if (reason === 'excess') {
    if (await isMoneyGone(sql, own)) return amount_paise
    return loanStateToPost(own.facts, ledgerDay(own.facts, now)).refundShortPaise
  }
  return isSentBackWhole(reason) && (await hasLostDispute(sql, borrower_id, provider_payment_id)) ? amount_paise : zeroPaise
}

/** @throws LedgerRefusal if there is any. */
export async function refuseTakenBack(sql: Sql, own: OwnLoan, refund: RefundRow, now: Date): Promise<void> {
  const taken = await readTakenBackPaise(sql, own, refund, now)
  if (taken > 0n)
    throw new LedgerRefusal(`The bank has taken back ₹${paiseToRupeesText(taken)} of the money of this refund`, 'refund_money_gone')
}
