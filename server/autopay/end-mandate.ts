import { advanceMandate, canAdvanceMandate, type MandateEndReason } from '#domain/autopay.ts'
import { addNotice } from '../add-notice.ts'
import { closeReview } from '../payments/review-store.ts'
import type { MandateTransaction } from './collection-transaction.ts'
import { changeMandateRow, type MandateRow } from './mandate-store.ts'
import { skipOpenCollections } from './skip-collection.ts'

/**
 * Stores that a mandate is over, skips what it would have debited, and tells the borrower. The
 * caller holds the loan's row lock.
 */
export async function endMandate(step: MandateTransaction, reason: MandateEndReason): Promise<MandateRow> {
  const { sql, mandate, now } = step
  if (!canAdvanceMandate(mandate.status, 'ended')) return mandate
  const change = { status: advanceMandate(mandate.status, 'ended'), end_reason: mandate.end_reason ?? reason, ended_at: now }
  await changeMandateRow(sql, mandate, change)
  await closeReview(sql, { borrowerId: mandate.borrower_id, kind: 'mandate_end', about: mandate.mandate_id }, 'ended', now)
  await afterEnd(step, reason)
  return { ...mandate, ...change }
}

/**
 * Stores that a mandate is to end: from now on nothing is debited. The provider is asked after the
 * commit, by the sweep if not by the caller. The caller holds the loan's row lock.
 */
export async function requestMandateEnd(step: MandateTransaction, reason: MandateEndReason): Promise<MandateRow> {
  const { sql, mandate, now } = step
  if (!canAdvanceMandate(mandate.status, 'end_requested')) return mandate
  const status = advanceMandate(mandate.status, 'end_requested')
  const change = { status, end_reason: reason, end_requested_at: now, next_check_at: now, checks: 0 }
  await changeMandateRow(sql, mandate, change)
  await afterEnd(step, reason)
  return { ...mandate, ...change }
}

async function afterEnd(step: MandateTransaction, reason: MandateEndReason): Promise<void> {
  const { sql, own, mandate, now } = step
  await skipOpenCollections(step, reason === 'loan_closed' ? 'closed' : 'mandate')
  const { borrower_id: borrowerId, lan } = own.loan
  await addNotice(sql, { borrowerId, about: `autopay_ended:${mandate.mandate_id}`, kind: 'autopay_ended', lan, subject: reason }, now)
}
