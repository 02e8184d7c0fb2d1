import type { Insertable, Selectable } from 'kysely'
import type { RefundReason, RefundStatus } from '#domain/refunds.ts'
import type { Sql } from '../database/connect.ts'
import type { Refunds } from '../database/schema.generated.ts'

export type RefundRow = Omit<Selectable<Refunds>, 'reason' | 'status'> & { reason: RefundReason; status: RefundStatus }

/** Names one refund for good. */
export type RefundKey = { borrowerId: string; refundId: string }

export async function addRefund(sql: Sql, refund: Insertable<Refunds> & { reason: RefundReason; status: RefundStatus }): Promise<void> {
  await sql.insertInto('refunds').values(refund).execute()
}

/** The refunds of some links, oldest first. */
export async function refundsOfLinks(sql: Sql, borrowerId: string, paymentIntentIds: readonly string[]): Promise<RefundRow[]> {
  if (paymentIntentIds.length === 0) return []
  const rows = await sql
    .selectFrom('refunds')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', 'in', [...paymentIntentIds])
    .orderBy('asked_at')
    .orderBy('refund_id')
    .execute()
  return rows as RefundRow[]
}
