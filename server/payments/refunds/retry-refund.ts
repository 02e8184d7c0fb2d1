import type { Sql } from '../../database/connect.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { LedgerRefusal } from '../../ledger/ledger-refusal.ts'
import { lockOwnLoan } from '../../loans/own-loan.ts'
import { firstCheckDelayMs } from './request-refund.ts'
import { changeRefund, findRefundById, type RefundRow } from '../refund-store.ts'
import { closeReview } from '../review-store.ts'
import { refuseTakenBack } from './taken-back.ts'

/**
 * Submits a failed refund again under a new idempotency key, because the provider answers a known
 * key with the same refusal.
 *
 * @throws LedgerRefusal if no refund has the id, the refund has not failed, or the bank has taken
 * back its money.
 */
export async function retryRefund(sql: Sql, jobs: Jobs, refundId: string, now: Date): Promise<RefundRow> {
  const named = await findRefundById(sql, refundId)
  if (!named) throw new LedgerRefusal(`There is no refund ${refundId}`)
  const own = await lockOwnLoan(sql, named.borrower_id, named.loan_id)
  const refund = await findRefundById(sql, refundId)
  if (refund?.status !== 'failed') throw new LedgerRefusal(`Refund ${refundId} is ${refund?.status}; only one that failed is tried again`)
  if (refund.reason === 'by_lender') throw new LedgerRefusal(`Refund ${refundId} was made at the provider by hand; make it there again`)
  await refuseTakenBack(sql, own, refund, now)
  const again = {
    status: 'asked',
    provider_refund_id: null,
    next_check_at: new Date(now.getTime() + firstCheckDelayMs),
    attempts: 0,
  } as const
  await changeRefund(sql, refund, again)
  if (refund.provider_refund_id !== null) {
    const review = { borrowerId: refund.borrower_id, kind: 'refund_failed', about: refund.provider_refund_id } as const
    await closeReview(sql, review, 'requested again', now)
  }
  await jobs.enqueue(sql, 'send-refund', { borrowerId: refund.borrower_id, refundId })
  return { ...refund, ...again }
}
