import { addNotice } from '../../add-notice.ts'
import { logAction } from '../../access-log.ts'
import type { Sql } from '../../database/connect.ts'
import { listBankReferences, releaseBankReference, selectNaming, type BankReference } from '../../ledger/bank-reference-store.ts'
import { readLedger } from '../../ledger/ledger-store.ts'
import { groupTransactions } from '../../ledger/plan.ts'
import { paymentKey } from '../../ledger/postings.ts'
import { appendReversal } from '../../ledger/reconcile-ledger.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import type { ProviderPaymentRow } from '../payment-store.ts'
import { addReview } from '../review-store.ts'

/**
 * Reverses what people recorded of a payment before the provider reported it, so that the money
 * counts once, and adds a review (decision 0205). It is only reviewed if the recorded payment is on
 * another loan, if credit of the loan was refunded, or if the provider returned the payment. The
 * caller holds the loan's row lock and posts the payment next, which also reconciles the ledger: no
 * late charge arises in between.
 *
 * @returns the loan without the reversed payments; the same object if there are none.
 */
export async function replaceRecorded(sql: Sql, own: OwnLoan, payment: ProviderPaymentRow, now: Date): Promise<OwnLoan> {
  if (!own.hasRecordedMoney) return own
  const claims = await listBankReferences(sql, own.loan.borrower_id)
  let left = own
  for (const claim of selectNaming(claims, payment)) left = await replaceOne(sql, left, payment, claim, now)
  return left
}

async function replaceOne(sql: Sql, own: OwnLoan, payment: ProviderPaymentRow, claim: BankReference, now: Date): Promise<OwnLoan> {
  const { loan, facts } = own
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const isOfLoan = claim.loan_id === loanId
  const recorded = isOfLoan ? facts.payments.find(({ paymentId }) => paymentId === claim.transaction_id) : undefined
  // The reference of credit that the lender's bank returned.
  if (isOfLoan && recorded === undefined) return own
  const isReplaced = recorded !== undefined && payment.captured && facts.refunds.length === 0
  const detail = {
    payment: payment.provider_payment_id,
    bank_reference: payment.bank_reference,
    amount_paise: String(payment.amount_paise),
    recorded_transaction: claim.transaction_id,
    ...(recorded && { recorded_paise: String(recorded.amountPaise) }),
    recorded: isReplaced ? 'reversed' : isOfLoan ? 'counts too' : 'counts on another loan',
  }
  const kind = 'duplicate_bank_reference'
  await addReview(sql, { borrowerId, loanId, paymentIntentId: payment.payment_intent_id, kind, about: claim.transaction_id, detail }, now)
  if (!isReplaced) return own
  const { paymentId, amountPaise, date } = recorded
  const group = groupTransactions((await readLedger(sql, loan)).transactions).get(paymentKey(paymentId))
  if (!group) throw new Error(`The ledger has no payment ${paymentId}`)
  await appendReversal(sql, own, group, now, 'system')
  await releaseBankReference(sql, borrowerId, paymentId)
  await addNotice(sql, { borrowerId, about: `reversed:${paymentId}`, kind: 'payment_reversed', lan, amountPaise, date }, now)
  const act = { borrowerId, actorId: 'system', origin: null, now }
  const replaced = { lan, transaction_id: paymentId, payment: payment.provider_payment_id }
  await logAction(sql, act, 'payment_reversed', { ...replaced, cause: 'recorded_twice', operator: 'payment posting' })
  return { ...own, facts: { ...facts, payments: facts.payments.filter((each) => each !== recorded) } }
}
