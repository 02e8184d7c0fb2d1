import type { MoneyContext } from '../../context.ts'
import { applyRefunds, syncRefunds } from './sync-refunds.ts'
import { changeRefund, findRefund, type RefundKey, type RefundRow } from '../refund-store.ts'
import { addReview } from '../review-store.ts'
import { lockOwnLoan } from '../../loans/own-loan.ts'

/**
 * Has the provider send a refund that was decided. Whoever calls it, and however often: the provider knows the refund by its key,
 * so it is sent once.
 *
 * @throws Error when it is not known whether the provider has it; the same is to be tried again.
 */
export async function submitRefund(context: MoneyContext, key: RefundKey): Promise<void> {
  const refund = await readRefund(context, key)
  if (refund?.status !== 'asked') return
  if (refund.refusals > 0 && (await hasEarlierTry(context, refund))) return
  await context.failPoint('refund_asked')
  const outcome = await context.gateway.refundPayment({
    providerPaymentId: refund.provider_payment_id,
    amountPaise: refund.amount_paise,
    refundId: refund.refund_id,
    tryNumber: refund.refusals,
    key: idempotencyKeyOf(refund),
  })
  await context.failPoint('refund_answered')
  switch (outcome.kind) {
    case 'accepted':
      return applyRefunds(context, refund, [outcome.refund])
    case 'refused':
      return settleRefused(context, refund, outcome.reason)
    case 'unknown':
      await context.database.asBorrower(refund.borrower_id, (sql) => changeRefund(sql, refund, { last_error: outcome.reason }))
      throw new Error(`It is not known whether the provider has refund ${refund.refund_id}: ${outcome.reason}`)
  }
}

/**
 * Whether an earlier try is on its way after all: a new try has a new key, so that the provider would send the money once more. What it has
 * is applied.
 *
 * @throws Error when the provider did not tell of its refunds; the new try waits until it does.
 */
async function hasEarlierTry(context: MoneyContext, refund: RefundRow): Promise<boolean> {
  if (!(await syncRefunds(context, refund))) throw new Error(`It is not known what became of earlier tries of refund ${refund.refund_id}`)
  const current = await readRefund(context, { borrowerId: refund.borrower_id, refundId: refund.refund_id })
  return current?.status !== 'asked' || current.refusals !== refund.refusals
}

/** The same for every try of one refund, another one after the provider has said no for good. */
const idempotencyKeyOf = ({ refund_id, refusals }: RefundRow): string => `kist-${refund_id}-${refusals}`

const readRefund = ({ database }: MoneyContext, key: RefundKey) => database.asBorrower(key.borrowerId, (sql) => findRefund(sql, key))

/** The provider will not: either it has sent the money back by itself, which its list of refunds shows, or a person must look. */
async function settleRefused(context: MoneyContext, refund: RefundRow, reason: string): Promise<void> {
  const { database, clock, log } = context
  if (!(await syncRefunds(context, refund)))
    throw new Error(`The provider refused refund ${refund.refund_id} and did not tell why: ${reason}`)
  await database.asBorrower(refund.borrower_id, async (sql) => {
    await lockOwnLoan(sql, refund.borrower_id, refund.loan_id)
    const current = await findRefund(sql, { borrowerId: refund.borrower_id, refundId: refund.refund_id })
    // A refusal that comes late is one of a try before: it says nothing of the try that is under way.
    if (current?.status !== 'asked' || current.refusals !== refund.refusals) return
    log.error({ refund: refund.refund_id, reason }, 'the provider refused a refund')
    const refusals = current.refusals + 1
    await changeRefund(sql, refund, { status: 'failed', last_error: reason, refusals })
    await addReview(sql, refusedReview(refund, refusals, reason), clock.now())
  })
}

const refusedReview = (refund: RefundRow, refusals: number, reason: string) => ({
  borrowerId: refund.borrower_id,
  loanId: refund.loan_id,
  paymentIntentId: refund.payment_intent_id,
  kind: 'refund_failed' as const,
  about: `${refund.refund_id}:${refusals}`,
  detail: { refund_id: refund.refund_id, amount_paise: String(refund.amount_paise), payment: refund.provider_payment_id, reason },
})
