import { dayInIndia } from '#domain/calendar.ts'
import type { LoanFacts, ReceivedPayment } from '#domain/loans.ts'
import { recordedTwice } from '#domain/notices.ts'
import { refundedCreditUsed } from '#domain/refunds.ts'
import { addNotice } from '../../add-notice.ts'
import { logAction } from '../../access-log.ts'
import type { MoneyContext } from '../../context.ts'
import type { Sql } from '../../database/connect.ts'
import { listBankReferences, releaseBankReference, selectNaming, type BankReference } from '../../ledger/bank-reference-store.ts'
import { readLedger } from '../../ledger/ledger-store.ts'
import { groupTransactions } from '../../ledger/plan.ts'
import { ledgerDay, paymentKey } from '../../ledger/postings.ts'
import { withPayment } from '../../ledger/receive-money.ts'
import { appendReversal } from '../../ledger/reconcile-ledger.ts'
import { lockOwnLoan, type OwnLoan } from '../../loans/own-loan.ts'
import type { StoredLink } from '../links/store-snapshot.ts'
import type { ProviderPaymentRow } from '../provider-payment-store.ts'
import { addReview, reviewOwner } from '../review-store.ts'

/**
 * Reverses what people recorded of a payment before the provider reported it, so that the money
 * counts once, and adds a review (decision 0205). It is only reviewed if the recorded payment is on
 * another loan, if the loan's refunded credit would then be short, or if the provider returned the
 * payment. The caller holds the loan's row lock and posts the payment next, which also reconciles
 * the ledger: no late charge arises in between.
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

/**
 * Adds a review of what people recorded of a payment of the link that had been posted before its
 * bank reference was known, and so did not replace it.
 */
export async function reviewRecordedOfPosted({ database, clock }: MoneyContext, { link, payments }: StoredLink): Promise<void> {
  const posted = payments.filter(({ transaction_id, bank_reference }) => transaction_id !== null && bank_reference !== null)
  if (posted.length === 0) return
  const { borrower_id: borrowerId, loan_id } = link
  await database.asBorrower(borrowerId, async (sql) => {
    const claims = await listBankReferences(sql, borrowerId)
    const named = posted.flatMap((payment) => selectNaming(claims, payment).map((claim) => ({ payment, claim })))
    if (named.length === 0) return
    const { facts } = await lockOwnLoan(sql, borrowerId, loan_id)
    const find = (id: string | null) => facts.payments.find(({ paymentId }) => paymentId === id)
    for (const { payment, claim } of named) {
      const reported = find(payment.transaction_id)
      // The reference can also be that of credit that the lender's bank returned.
      if (!reported || (claim.loan_id === loan_id && !find(claim.transaction_id))) continue
      const wentBack = reported.heldPaise === reported.amountPaise
      const recorded = wentBack ? 'counts alone: the provider’s payment was sent back' : effectOfClaim(claim, payment)
      await addReviewOfTwo(sql, payment, claim, { recorded }, clock.now())
    }
  })
}

async function replaceOne(sql: Sql, own: OwnLoan, payment: ProviderPaymentRow, claim: BankReference, now: Date): Promise<OwnLoan> {
  const { loan, facts } = own
  const { borrower_id: borrowerId, loan_id: loanId, lan } = loan
  const isOfLoan = claim.loan_id === loanId
  const recorded = isOfLoan ? facts.payments.find(({ paymentId }) => paymentId === claim.transaction_id) : undefined
  // The reference of credit that the lender's bank returned.
  if (isOfLoan && recorded === undefined) return own
  const without = { ...facts, payments: facts.payments.filter((each) => each !== recorded) }
  const isReplaced = recorded !== undefined && payment.captured && leavesRefundedCredit(facts, without, recorded, payment, now)
  const recordedPaise = recorded && { recorded_paise: String(recorded.amountPaise) }
  await addReviewOfTwo(sql, payment, claim, { ...recordedPaise, recorded: isReplaced ? 'reversed' : effectOfClaim(claim, payment) }, now)
  if (!isReplaced) return own
  const { paymentId, amountPaise, date } = recorded
  const group = groupTransactions((await readLedger(sql, loan)).transactions).get(paymentKey(paymentId))
  if (!group) throw new Error(`The ledger has no payment ${paymentId}`)
  await appendReversal(sql, own, group, now, 'system')
  await releaseBankReference(sql, borrowerId, paymentId)
  const about = `reversed:${paymentId}`
  await addNotice(sql, { borrowerId, about, kind: 'payment_reversed', lan, amountPaise, date, subject: recordedTwice }, now)
  const act = { borrowerId, actorId: 'system', origin: null, now }
  const replaced = { lan, transaction_id: paymentId, payment: payment.provider_payment_id }
  await logAction(sql, act, 'payment_reversed', { ...replaced, cause: recordedTwice, operator: 'payment posting' })
  return { ...own, facts: without }
}

/** Whether refunded credit is not short with the payment in the place of the recorded one. */
function leavesRefundedCredit(
  before: LoanFacts,
  without: LoanFacts,
  recorded: ReceivedPayment,
  payment: ProviderPaymentRow,
  now: Date,
): boolean {
  const received = { ...recorded, date: dayInIndia(payment.paid_at), amountPaise: payment.amount_paise }
  return refundedCreditUsed(before, withPayment(without, received), ledgerDay(before, now)) === 0n
}

/** What became of a recorded payment that was not reversed. */
const effectOfClaim = (claim: BankReference, payment: ProviderPaymentRow) =>
  claim.loan_id === payment.loan_id ? 'counts too' : 'counts on another loan'

/** @param recorded what became of the recorded payment, and its amount if known. */
function addReviewOfTwo(
  sql: Sql,
  payment: ProviderPaymentRow,
  claim: BankReference,
  recorded: { recorded: string; recorded_paise?: string },
  now: Date,
): Promise<boolean> {
  const detail = {
    payment: payment.provider_payment_id,
    bank_reference: payment.bank_reference,
    amount_paise: String(payment.amount_paise),
    recorded_transaction: claim.transaction_id,
    ...recorded,
  }
  return addReview(sql, { ...reviewOwner(payment), kind: 'duplicate_bank_reference', about: claim.transaction_id, detail }, now)
}
