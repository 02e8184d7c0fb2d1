import { dayInIndia } from '#domain/calendar.ts'
import { providerName } from '#domain/payments.ts'
import type { Dispute } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { collectFailures } from '../jobs/collect-failures.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { returnedReason } from '../loans/facts-store.ts'
import { changeLoan } from '../loan-changes/change-loan.ts'
import { createLoanChangeContext } from '../payments/links/cancel-open-link.ts'
import { selectAnyPayment, selectKnownPayments } from '../payments/provider-payment-store.ts'
import { recordTakenBack } from '../payments/refunds/record-taken-back.ts'
import { reviewLostDispute } from '../payments/review-dispute.ts'
import { addReview, closeReview } from '../payments/review-store.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { readCollection, selectReturnable, type CollectionName, type CollectionRow } from './collection-store.ts'

/**
 * Reverses debits whose money the bank took back: the instalment is unpaid again, and a late charge
 * arises at the earliest on the day after. Money of a link that the bank took back is reviewed, and
 * that of a debit that people had reversed, if they recorded it again. Repeated calls have the
 * effect of one.
 *
 * @param namedPaymentId the payment for whose event this is: the returns of other debits are
 * recorded too, but do not fail its event.
 * @returns the number of debits reversed.
 * @throws Error if the provider does not answer, or a return could not be recorded; the others are.
 */
export async function syncReturns(context: MoneyContext, namedPaymentId?: string | null): Promise<number> {
  const { database } = context
  if ((await database.findAvailable(1, selectAnyPayment)).length === 0) return 0
  const outcome = await context.gateway.listDisputes()
  if (outcome.kind === 'unknown') throw new Error(`Disputes could not be listed from the provider: ${outcome.reason}`)
  const lost = outcome.disputes.filter(({ isLost }) => isLost)
  const paymentIds = [...new Set(lost.map(({ paymentId }) => paymentId))].filter(isPaymentId)
  const select = (sql: Sql) => selectReturnable(sql, paymentIds)
  const found = paymentIds.length === 0 ? [] : await database.findAvailable(paymentIds.length, select)
  const collections = new Map(found.map((collection) => [collection.provider_payment_id, collection]))
  const selectKnown = (sql: Sql) => selectKnownPayments(sql, providerName, paymentIds)
  const known = paymentIds.length === 0 ? [] : await database.findAvailable(paymentIds.length, selectKnown)
  const payments = new Map(known.map((payment) => [payment.provider_payment_id, payment]))
  let reversed = 0
  const failures = collectFailures()
  for (const dispute of lost)
    try {
      // Not even looked for, so that it does not fail the statement that looks for all.
      if (!isPaymentId(dispute.paymentId)) throw new Error('it names no payment')
      const key = collections.get(dispute.paymentId)
      if (key !== undefined) reversed += await syncReturn(context, dispute, key)
      const payment = key === undefined ? payments.get(dispute.paymentId) : undefined
      if (payment !== undefined) await reviewLostDispute(context, payment, dispute.disputeId)
    } catch (error) {
      context.log.error({ err: error, dispute: dispute.disputeId }, 'money that a bank took back could not be recorded')
      if (namedPaymentId === undefined || namedPaymentId === dispute.paymentId) failures.add(error)
    }
  failures.throwIfAny(lost.length, 'disputes, whose money a bank took back, could not be recorded')
  return reversed
}

const isPaymentId = (id: string): boolean => /^pay_\w+$/.test(id)

/** @returns 1 if a debit was reversed now. */
async function syncReturn(context: MoneyContext, dispute: Dispute, key: CollectionName): Promise<number> {
  const row = await context.database.asBorrower(key.borrower_id, (sql) => readCollection(sql, key))
  if (row.status !== 'captured' || row.reason === returnedReason) return 0
  const actor = { actorId: 'system', name: 'debit return', reason: `${dispute.disputeId} ${dispute.reason}`.trim() }
  try {
    await changeLoan(createLoanChangeContext(context), {
      borrowerId: row.borrower_id,
      loanId: row.loan_id,
      actor,
      whileLinkOpen: 'cancel_after',
      write: async (transaction) => {
        const { sql, own, now } = transaction
        const current = await readCollection(sql, key)
        if (current.reason === returnedReason) return { answer: null, log: null }
        const reported = { amountPaise: dispute.amountPaise, isPart: false }
        const { amountPaise } = await recordTakenBack(transaction, providerName, dispute.paymentId, reported)
        await addCollectionNotice(
          { sql, own, row, now },
          { about: `debit_returned:${row.collection_id}`, kind: 'payment_reversed', amountPaise, date: dayInIndia(now) },
        )
        await closeReview(sql, { borrowerId: row.borrower_id, kind: 'debit_return', about: dispute.disputeId }, 'recorded', now)
        if (amountPaise < dispute.amountPaise)
          await addReturnReview(
            sql,
            row,
            { dispute, about: `${dispute.disputeId}:part`, why: 'a part of it had been refunded before' },
            now,
          )
        return {
          answer: null,
          log: { action: 'payment_reversed' as const, detail: { payment: dispute.paymentId, dispute: dispute.disputeId } },
        }
      },
    })
    return 1
  } catch (error) {
    if (!(error instanceof LedgerRefusal)) throw error
    if (error.reason === 'payment_reversed') return 0
    const found = { dispute, about: dispute.disputeId, why: error.message }
    await context.database.asBorrower(row.borrower_id, (sql) => addReturnReview(sql, row, found, context.clock.now()))
    return 0
  }
}

type ReturnToReview = { dispute: Dispute; about: string; why: string }

/** A return that no rule decides, such as one of refunded money, is for a person. */
function addReturnReview(sql: Sql, row: CollectionRow, { dispute, about, why }: ReturnToReview, now: Date): Promise<boolean> {
  const detail = {
    reference: row.reference,
    payment: dispute.paymentId,
    dispute: dispute.disputeId,
    amount_paise: String(dispute.amountPaise),
    why,
  }
  const { borrower_id: borrowerId, loan_id: loanId } = row
  return addReview(sql, { borrowerId, loanId, kind: 'debit_return', about, detail }, now)
}
