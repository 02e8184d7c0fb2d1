import { dayInIndia } from '#domain/calendar.ts'
import { addNotice } from '../add-notice.ts'
import type { Dispute } from '../adapters/payment-gateway/recurring-gateway.ts'
import type { MoneyContext } from '../context.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { changeLoan } from '../loan-changes/change-loan.ts'
import { returnedReason, reversePayment } from '../loan-changes/reverse-payment.ts'
import { createLoanChangeContext } from '../payments/links/cancel-open-link.ts'
import { findProviderPayment } from '../payments/payment-store.ts'
import { addReview } from '../payments/review-store.ts'
import { findCollectionBy, hasCapturedCollection, readCollection, type CollectionRow } from './collection-store.ts'

const provider = 'razorpay'

/**
 * Reverses debits whose money the bank took back: the instalment is unpaid again, and a late charge
 * arises at the earliest on the day after. Repeated calls have the effect of one.
 *
 * @returns the number of debits reversed.
 * @throws Error if the provider does not answer, or a return could not be recorded; the others are.
 */
export async function syncReturns(context: MoneyContext): Promise<number> {
  if (!(await context.database.asSystem(hasCapturedCollection))) return 0
  const outcome = await context.gateway.listDisputes()
  if (outcome.kind === 'unknown') throw new Error(`Disputes could not be listed from the provider: ${outcome.reason}`)
  let reversed = 0
  const errors: unknown[] = []
  for (const dispute of outcome.disputes.filter(({ isLost }) => isLost))
    try {
      reversed += await syncReturn(context, dispute)
    } catch (error) {
      context.log.error({ err: error, dispute: dispute.disputeId }, 'return of a debit could not be recorded')
      errors.push(error)
    }
  if (errors.length > 0) throw new Error(`${errors.length} returns of debits could not be recorded`, { cause: errors[0] })
  return reversed
}

/** @returns 1 if a debit was reversed now. */
async function syncReturn(context: MoneyContext, dispute: Dispute): Promise<number> {
  const key = await context.database.asSystem((sql) => findCollectionBy(sql, { paymentId: dispute.paymentId }))
  if (key === null) return 0
  const [row, payment] = await context.database.asBorrower(key.borrowerId, async (sql) => {
    const name = { borrower_id: key.borrowerId, provider, provider_payment_id: dispute.paymentId }
    return [await readCollection(sql, key), await findProviderPayment(sql, name)] as const
  })
  if (row.status !== 'captured' || row.reason === returnedReason) return 0
  if (dispute.amountPaise === payment?.amount_paise) return reverseDebit(context, row, dispute)
  await reviewReturn(context, row, dispute, 'the bank took back another amount')
  return 0
}

/** @returns 1 if the debit was reversed now. */
async function reverseDebit(context: MoneyContext, row: CollectionRow, dispute: Dispute): Promise<number> {
  const key = { borrowerId: row.borrower_id, collectionId: row.collection_id }
  const actor = { actorId: 'system', name: 'debit return', reason: `${dispute.disputeId} ${dispute.reason}`.trim() }
  try {
    await changeLoan(createLoanChangeContext(context), {
      borrowerId: row.borrower_id,
      loanId: row.loan_id,
      actor,
      whileLinkOpen: 'cancel_after',
      write: async ({ sql, own, now, actorId }) => {
        const current = await readCollection(sql, key)
        if (current.reason === returnedReason) return { answer: null, log: null }
        const { amountPaise } = await reversePayment(sql, own, provider, dispute.paymentId, now, actorId)
        await addNotice(
          sql,
          {
            borrowerId: row.borrower_id,
            about: `debit_returned:${row.collection_id}`,
            kind: 'payment_reversed',
            lan: own.loan.lan,
            amountPaise,
            date: dayInIndia(now),
          },
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
    await reviewReturn(context, row, dispute, error.message)
    return 0
  }
}

/** A return that no rule decides, such as one of refunded money, is for a person. */
function reviewReturn({ database, clock }: MoneyContext, row: CollectionRow, dispute: Dispute, why: string): Promise<boolean> {
  const detail = {
    reference: row.reference,
    payment: dispute.paymentId,
    dispute: dispute.disputeId,
    amount_paise: String(dispute.amountPaise),
    why,
  }
  return database.asBorrower(row.borrower_id, (sql) =>
    addReview(
      sql,
      { borrowerId: row.borrower_id, loanId: row.loan_id, kind: 'debit_return', about: dispute.disputeId, detail },
      clock.now(),
    ),
  )
}
