import type { MoneyContext } from '../../context.ts'
import { addRefundNotice } from './refund-notice.ts'
import { applyRefunds, refusedReview, syncRefunds } from './sync-refunds.ts'
import { changeRefund, findRefund, listPaymentRefunds, type RefundKey, type RefundRow } from '../refund-store.ts'
import { addReview } from '../review-store.ts'
import { lockOwnLoan, readOwnLoanById } from '../../loans/own-loan.ts'
import { isTakenByBank } from '../../loans/refund-facts-store.ts'
import { readTakenBackPaise } from './taken-back.ts'

/**
 * Submits a stored refund to the provider. The idempotency key makes repeated and parallel calls
 * safe: the money is sent once. A refund that the provider has, in whatever status, is not
 * submitted; one whose money the bank has taken back fails.
 *
 * @throws Error if the provider's answer is unknown; the same call must be repeated.
 */
export async function submitRefund(context: MoneyContext, key: RefundKey): Promise<void> {
  const refund = await readRefund(context, key)
  if (refund?.status !== 'asked' || refund.provider_refund_id !== null) return
  if (refund.refusals > 0 || refund.reason === 'excess') {
    const atProvider = await takeUpRefunds(context, refund)
    if (atProvider === 'same') return
    if (atProvider === 'unknown_before') return storeRefusal(context, refund, 'the provider has a refund of its payment that was not known')
  }
  if (await isTakenBack(context, refund)) return storeRefusal(context, refund, 'the bank has taken back its money')
  await context.failPoint('refund_asked')
  const outcome = await context.gateway.refundPayment({
    providerPaymentId: refund.provider_payment_id,
    amountPaise: refund.amount_paise,
    refundId: refund.refund_id,
    tryNumber: refund.refusals,
    key: buildIdempotencyKey(refund),
  })
  await context.failPoint('refund_answered')
  switch (outcome.kind) {
    case 'accepted':
      return applyRefunds(context, refund, [outcome.refund])
    case 'refused':
      context.log.error({ refund: refund.refund_id, reason: outcome.reason }, 'provider refused a refund')
      return storeRefusal(context, refund, outcome.reason)
    case 'unknown':
      await context.database.asBorrower(refund.borrower_id, (sql) => changeRefund(sql, refund, { last_error: outcome.reason }))
      throw new Error(`Refund ${refund.refund_id} is not confirmed by the provider: ${outcome.reason}`)
  }
}

/**
 * Takes over the payment's refunds that the provider has, before a part of it is refunded once
 * more: the provider would send both. One that cannot be taken over is for a person.
 *
 * @returns `same` if this refund was accepted before: by an earlier try, whose key differs, or
 * before the database was restored. `unknown_before` if another became known since this one was
 * asked: a person decides whether this one is still owed, and tries it again.
 * @throws Error if the provider's refunds are not available; the try must wait.
 */
async function takeUpRefunds(context: MoneyContext, refund: RefundRow): Promise<'same' | 'unknown_before' | 'none'> {
  if (!(await syncRefunds(context, refund)))
    throw new Error(`Refunds of the payment of refund ${refund.refund_id} could not be fetched from the provider`)
  const known = await context.database.asBorrower(refund.borrower_id, (sql) => listPaymentRefunds(sql, refund))
  const current = known.find(({ refund_id }) => refund_id === refund.refund_id)
  if (current?.status !== 'asked' || current.refusals !== refund.refusals) return 'same'
  if (refund.refusals > 0) return 'none'
  const isSince = (other: RefundRow) =>
    other.reason === 'by_lender' &&
    other.status !== 'failed' &&
    other.asked_at.getTime() >= refund.asked_at.getTime() &&
    !isTakenByBank(other)
  return known.some(isSince) ? 'unknown_before' : 'none'
}

/** The same key for repeated calls of one try; each refusal starts a new try. */
const buildIdempotencyKey = ({ refund_id, refusals }: RefundRow): string => `kist-${refund_id}-${refusals}`

const readRefund = ({ database }: MoneyContext, key: RefundKey) => database.asBorrower(key.borrowerId, (sql) => findRefund(sql, key))

const isTakenBack = ({ database, clock }: MoneyContext, refund: RefundRow): Promise<boolean> =>
  database.asBorrower(refund.borrower_id, async (sql) => {
    const own = await readOwnLoanById(sql, refund.borrower_id, refund.loan_id)
    return (await readTakenBackPaise(sql, own, refund, clock.now())) > 0n
  })

/**
 * Stores a refusal and adds a review, unless the provider's refunds show that it has refunded the
 * payment itself.
 */
async function storeRefusal(context: MoneyContext, refund: RefundRow, reason: string): Promise<void> {
  const { database, clock } = context
  if (!(await syncRefunds(context, refund)))
    throw new Error(`Refund ${refund.refund_id} was refused (${reason}), and the provider's refunds are not available`)
  await database.asBorrower(refund.borrower_id, async (sql) => {
    const { loan } = await lockOwnLoan(sql, refund.borrower_id, refund.loan_id)
    const current = await findRefund(sql, { borrowerId: refund.borrower_id, refundId: refund.refund_id })
    // A late refusal belongs to an earlier try and does not affect the current one.
    if (current?.status !== 'asked' || current.refusals !== refund.refusals) return
    const failed = { status: 'failed', last_error: reason, refusals: current.refusals + 1 } as const
    await changeRefund(sql, refund, failed)
    await addReview(sql, refusedReview({ ...current, ...failed }), clock.now())
    await addRefundNotice(sql, loan, refund, 'refund_failed', clock.now())
  })
  // A part that the provider has of it without Kist is known to be of it now that it has failed.
  await syncRefunds(context, refund)
}
