import type { Paise } from '#domain/money.ts'
import type { RefundReason } from '#domain/refunds.ts'
import type { Sql } from '../../database/connect.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { LoanRow } from '../../loans/loan-store.ts'
import type { ProviderPaymentRow } from '../provider-payment-store.ts'
import { addRefund, type RefundRow } from '../refund-store.ts'
import { addRefundNotice } from './refund-notice.ts'
import type { RefundPart } from './refund-parts.ts'

/** The job submits a refund at once. If not, the sweeper does it after this. */
export const firstCheckDelayMs = 120_000

type NewRefund = {
  loan: Pick<LoanRow, 'borrower_id' | 'loan_id' | 'lan'>
  payment: ProviderPaymentRow
  amountPaise: Paise
  reason: RefundReason
  askedBy: string
  note: string | null
  /** False if another notice tells of it, because the money is still due. */
  isTold?: boolean
}

/**
 * Stores a refund with its job and its notice, in the caller's transaction. From then on the
 * money does not count for the loan. The caller holds the loan's row lock.
 *
 * @returns the refund's id.
 */
export async function requestRefund(sql: Sql, jobs: Jobs, refund: NewRefund, now: Date): Promise<RefundRow['refund_id']> {
  const { loan, payment, amountPaise, reason, askedBy, note, isTold = true } = refund
  const next_check_at = new Date(now.getTime() + firstCheckDelayMs)
  const asked = { amount_paise: amountPaise, reason, asked_at: now, asked_by: askedBy, note, next_check_at }
  const row = await addRefund(sql, payment, asked)
  await jobs.enqueue(sql, 'send-refund', { borrowerId: loan.borrower_id, refundId: row.refund_id })
  if (isTold) await addRefundNotice(sql, loan, row, 'refund_asked', now)
  return row.refund_id
}

/** Requests the refunds of a loan's credit. The caller holds the loan's row lock. */
export async function requestCreditRefunds(
  sql: Sql,
  jobs: Jobs,
  parts: readonly RefundPart[],
  request: Pick<NewRefund, 'loan' | 'askedBy' | 'note'>,
  now: Date,
): Promise<string[]> {
  const refundIds: string[] = []
  for (const part of parts) refundIds.push(await requestRefund(sql, jobs, { ...request, ...part, reason: 'excess' }, now))
  return refundIds
}
