import { providerName } from '#domain/payments.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { listBankReferences, selectNaming, type BankReference } from '../ledger/bank-reference-store.ts'
import { isReversed } from '../ledger/ledger-store.ts'
import { isTakenByBank } from '../loans/refund-facts-store.ts'
import { sumRefunded } from './link-money.ts'
import { findProviderPayment, type ProviderPaymentRow } from './provider-payment-store.ts'
import type { LinkRow } from '../ledger/open-links-store.ts'
import { listPaymentRefunds } from './refund-store.ts'
import { addReview, hasLostDispute, lostEvent, reviewOwner } from './review-store.ts'

/** A link, or a debit, whose collection is the intent of its payment. */
export type DisputedMoney = Pick<LinkRow, 'borrower_id' | 'loan_id' | 'payment_intent_id'>

/**
 * Adds a review for a dispute by the payer's bank about money of a link or a debit: once for each
 * event of the dispute, whether a webhook or a poll reports it. Money whose loss is recorded whole
 * needs none. Money that people reversed and recorded again is reviewed on the loan where it
 * counts.
 *
 * @param dispute `about`: the provider's id of the dispute.
 */
export async function reviewDispute(
  sql: Sql,
  money: DisputedMoney,
  { about, event, paymentId }: { about: string; event: string; paymentId: string | null },
  now: Date,
): Promise<void> {
  const name = { borrower_id: money.borrower_id, provider: providerName, provider_payment_id: paymentId ?? '' }
  const payment = await findProviderPayment(sql, name)
  const counted = payment === undefined ? { loan_id: money.loan_id } : await findWhereCounted(sql, payment)
  if (counted === null) return
  const { loan_id: loanId, reference } = counted
  const detail = { event, payment: paymentId, ...(reference !== undefined && { bank_reference: reference }) }
  await addReview(sql, { ...reviewOwner(money), loanId, kind: 'dispute', about: `${about}:${event}`, detail }, now)
}

type WhereCounted = Pick<BankReference, 'loan_id'> & Partial<Pick<BankReference, 'reference'>>

/**
 * The loan for which a payment counts. If it was reversed, that of what people recorded of it
 * again, with the reference. Null if its loss is recorded whole.
 */
async function findWhereCounted(sql: Sql, payment: ProviderPaymentRow): Promise<WhereCounted | null> {
  const { borrower_id, loan_id, transaction_id } = payment
  if (transaction_id !== null && (await isReversed(sql, borrower_id, { loan_id, transaction_id })))
    return selectNaming(await listBankReferences(sql, borrower_id), payment)[0] ?? null
  const refunds = await listPaymentRefunds(sql, payment)
  return refunds.some(isTakenByBank) && sumRefunded(refunds) >= payment.amount_paise ? null : { loan_id }
}

/** Reviews a lost dispute whose event may never have come. */
export const reviewLostDispute = (
  { database, clock }: MoneyContext,
  name: Pick<ProviderPaymentRow, 'borrower_id' | 'provider' | 'provider_payment_id'>,
  disputeId: string,
): Promise<void> =>
  database.asBorrower(name.borrower_id, async (sql) => {
    const payment = await findProviderPayment(sql, name)
    if (payment === undefined) return
    const { borrower_id, provider_payment_id: paymentId } = payment
    // Reviews of earlier versions have the name of their event, and are not made again.
    if (await hasLostDispute(sql, borrower_id, paymentId)) return
    await reviewDispute(sql, payment, { about: disputeId, event: lostEvent, paymentId }, clock.now())
  })
