import { sql as raw, type Selectable } from 'kysely'
import type { LinkStatus } from '#domain/payment-links.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import type { PaymentLinks } from '../database/schema.generated.ts'

/** The one definition of an open payment link in SQL; `isOpenLink` in domain/payment-links.ts says the same of a row. */

export type LinkRow = Omit<Selectable<PaymentLinks>, 'status' | 'purpose'> & { status: LinkStatus; purpose: PaymentPurpose }

/** The provider can still change the link: `payableStatuses` in SQL. Constants, not parameters: PostgreSQL then uses the partial indexes. */
export const isPayableCondition = raw<boolean>`status in ('creating', 'created', 'partially_paid')`

/** The link can still be paid, or it is paid and the loan does not show its money yet. */
export const isOpenCondition = raw<boolean>`(${isPayableCondition} or (status = 'paid' and not rps_updated))`

/** The open link of a loan; the newest, because money that came late on a closed link can wait beside it. */
export async function openLinkOf(sql: Sql, borrowerId: string, loanId: string): Promise<LinkRow | undefined> {
  const row = await sql
    .selectFrom('payment_links')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('loan_id', '=', loanId)
    .where(isOpenCondition)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row as LinkRow | undefined
}

/**
 * Marks an open link as one that must be cancelled, in the transaction of the fact that its amount does not contain. The sweeper
 * cancels it at `nextCheckAt` where the caller has not done so by then.
 */
export async function requestLinkCancel(
  sql: Sql,
  link: Pick<LinkRow, 'borrower_id' | 'payment_intent_id'>,
  request: { at: Date; by: string; nextCheckAt: Date },
): Promise<void> {
  await sql
    .updateTable('payment_links')
    .set({ cancel_requested_at: request.at, cancel_requested_by: request.by, next_check_at: request.nextCheckAt })
    .where('borrower_id', '=', link.borrower_id)
    .where('payment_intent_id', '=', link.payment_intent_id)
    .execute()
}
