import type { LinkStatus } from '#domain/payment-links.ts'
import type { Sql } from '../../database/connect.ts'
import type { PostedTransaction } from '../../ledger/plan.ts'
import { readLedger } from '../../ledger/ledger-store.ts'
import type { LoanRow } from '../../loans/loan-store.ts'
import type { LinkKey } from '../links/link-store.ts'

export type LinkStep = { at: Date; to: LinkStatus }

/** The status changes of a link, by time. */
export async function listLinkSteps(sql: Sql, { borrowerId, paymentIntentId }: LinkKey): Promise<LinkStep[]> {
  return sql
    .selectFrom('payment_link_history')
    .select(['at', 'to_status as to'])
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
    .orderBy('at')
    .orderBy('step_id')
    .execute()
}

/** The times at which the open reviews of a link were added. */
export async function listOpenReviewTimes(sql: Sql, { borrowerId, paymentIntentId }: LinkKey): Promise<Date[]> {
  const rows = await sql
    .selectFrom('payment_reviews')
    .select('found_at')
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', '=', paymentIntentId)
    .where('resolved_at', 'is', null)
    .orderBy('found_at')
    .execute()
  return rows.map((row) => row.found_at)
}

/** A posted payment with its reallocations and its reversal. */
export type Posting = { root: PostedTransaction; follow: readonly PostedTransaction[] }

/** Reads posted payments of a loan, by transaction id. */
export async function readPostingsById(sql: Sql, loan: LoanRow, transactionIds: readonly string[]): Promise<Map<string, Posting>> {
  if (transactionIds.length === 0) return new Map()
  const { transactions: ledger } = await readLedger(sql, loan)
  return new Map(
    ledger
      .filter(({ transactionId }) => transactionIds.includes(transactionId))
      .map((root) => [
        root.transactionId,
        { root, follow: ledger.filter(({ reverses, reallocates }) => (reverses ?? reallocates) === root.transactionId) },
      ]),
  )
}
