import type { Sql } from '../database/connect.ts'

/** How money came through the provider. */
export type Capture = {
  provider_payment_id: string
  method: string | null
  instrument: string | null
  paid_at: Date
  /** Our name for the payment link. */
  reference: string
}

/** What the provider told of the payment that a ledger transaction posts; null when it came another way. */
export async function readCapture(sql: Sql, borrowerId: string, transactionId: string): Promise<Capture | null> {
  const row = await sql
    .selectFrom('provider_payments as payment')
    .innerJoin('payment_links as link', (join) =>
      join.onRef('link.borrower_id', '=', 'payment.borrower_id').onRef('link.payment_intent_id', '=', 'payment.payment_intent_id'),
    )
    .select(['payment.provider_payment_id', 'payment.method', 'payment.instrument', 'payment.paid_at', 'link.reference'])
    .where('payment.borrower_id', '=', borrowerId)
    .where('payment.transaction_id', '=', transactionId)
    .executeTakeFirst()
  return row ?? null
}
