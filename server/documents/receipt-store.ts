import type { RefundStatus } from '#domain/refunds.ts'
import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'

/** The provider's details of a received payment. */
export type Capture = {
  provider_payment_id: string
  method: string | null
  instrument: string | null
  paid_at: Date
  /** The payment link's id, which the screens call the payment reference; null of a debit. */
  payment_link_id: string | null
  /** The reference of the payment link, or of the debit. */
  reference: string
}

/**
 * Reads the provider's details of the payment that a ledger transaction posts; null if it came
 * another way.
 */
export async function readCapture(sql: Sql, borrowerId: string, transactionId: string): Promise<Capture | null> {
  const row = await sql
    .selectFrom('provider_payments as payment')
    .leftJoin('payment_links as link', (join) =>
      join.onRef('link.borrower_id', '=', 'payment.borrower_id').onRef('link.payment_intent_id', '=', 'payment.payment_intent_id'),
    )
    .leftJoin('collections as debit', (join) =>
      join.onRef('debit.borrower_id', '=', 'payment.borrower_id').onRef('debit.collection_id', '=', 'payment.payment_intent_id'),
    )
    .select(['payment.provider_payment_id', 'payment.method', 'payment.instrument', 'payment.paid_at', 'link.payment_link_id'])
    .select(({ fn }) => fn.coalesce('link.reference', 'debit.reference').as('reference'))
    .where('payment.borrower_id', '=', borrowerId)
    .where('payment.transaction_id', '=', transactionId)
    .executeTakeFirst()
  return row ? { ...row, reference: row.reference ?? '' } : null
}

/** A refund of a payment, pending or done, or what the payer's bank took back. */
export type ReceiptRefund = {
  amount_paise: Paise
  status: RefundStatus
  /** `isTakenByBank` tells by it what the payer's bank took back. */
  provider_refund_id: string | null
  processed_at: Date | null
  bank_reference: string | null
}

/** Reads the refunds of the payment that a ledger transaction posts, oldest first. */
export async function readReceiptRefunds(sql: Sql, borrowerId: string, transactionId: string): Promise<ReceiptRefund[]> {
  return sql
    .selectFrom('refunds')
    .innerJoin('provider_payments as payment', (join) =>
      join
        .onRef('payment.borrower_id', '=', 'refunds.borrower_id')
        .onRef('payment.provider', '=', 'refunds.provider')
        .onRef('payment.provider_payment_id', '=', 'refunds.provider_payment_id'),
    )
    .select(['refunds.amount_paise', 'refunds.status', 'refunds.provider_refund_id', 'refunds.processed_at', 'refunds.bank_reference'])
    .where('refunds.borrower_id', '=', borrowerId)
    .where('payment.transaction_id', '=', transactionId)
    .orderBy('refunds.asked_at')
    .orderBy('refunds.refund_id')
    .execute()
}
