import { sql as raw, type Kysely, type Selectable } from 'kysely'
import type { Paise } from '#domain/money.ts'
import type { CapturedOrRefundedPayment } from '../adapters/payment-gateway/payment-gateway.ts'
import type { Sql } from '../database/connect.ts'
import { executeDeferred, executeTogether, statement } from '../database/statement.ts'
import type { DB, ProviderPayments } from '../database/schema.generated.ts'
import type { LinkRow } from '../ledger/open-links-store.ts'
import type { LinkKey } from './links/link-store.ts'
import { reviewClosing } from './review-store.ts'

export type ProviderPaymentRow = Selectable<ProviderPayments>

/** All columns by name, as in open-links-store.ts. */
export const paymentColumns = [
  'amount_paise',
  'bank_reference',
  'borrower_id',
  'captured',
  'fee_paise',
  'instrument',
  'loan_id',
  'method',
  'paid_at',
  'payment_intent_id',
  'provider',
  'provider_payment_id',
  'refunded_paise',
  'seen_at',
  'tax_paise',
  'transaction_id',
] as const satisfies readonly (keyof ProviderPaymentRow)[]

const selectPayments = (sql: Kysely<DB>, borrowerId: string, paymentIntentIds: readonly string[]) =>
  sql
    .selectFrom('provider_payments')
    .select(paymentColumns)
    .where('borrower_id', '=', borrowerId)
    .where('payment_intent_id', 'in', [...paymentIntentIds])
    .orderBy('paid_at')
    .orderBy('provider_payment_id')

// Compiled once: a posting runs them for each payment.
export const paymentsOfLink = statement<LinkKey>()((sql, { borrowerId, paymentIntentId }) =>
  selectPayments(sql, borrowerId, [paymentIntentId]),
)

/**
 * Stores a payment. For a known payment, updates only `refunded_paise`, which never decreases,
 * `captured`, which stays true, and `bank_reference` if there was none.
 */
export function addProviderPayment(
  sql: Sql,
  link: Pick<LinkRow, 'borrower_id' | 'loan_id' | 'provider' | 'payment_intent_id'>,
  payment: CapturedOrRefundedPayment,
  seenAt: Date,
): Promise<void> {
  const query = sql
    .insertInto('provider_payments')
    .values({
      borrower_id: link.borrower_id,
      loan_id: link.loan_id,
      provider: link.provider,
      provider_payment_id: payment.providerPaymentId,
      payment_intent_id: link.payment_intent_id,
      amount_paise: payment.amountPaise,
      method: payment.method,
      instrument: payment.instrument,
      bank_reference: payment.bankReference,
      fee_paise: payment.feePaise,
      tax_paise: payment.taxPaise,
      paid_at: payment.paidAt,
      seen_at: seenAt,
      captured: payment.captured,
      refunded_paise: payment.refundedPaise,
    })
    .onConflict((conflict) =>
      conflict.columns(['borrower_id', 'provider', 'provider_payment_id']).doUpdateSet({
        refunded_paise: raw<Paise>`greatest(provider_payments.refunded_paise, excluded.refunded_paise)`,
        captured: raw<boolean>`provider_payments.captured or excluded.captured`,
        // The bank's reference can come after the capture. It shows who records the same money.
        bank_reference: raw<string | null>`coalesce(provider_payments.bank_reference, excluded.bank_reference)`,
      }),
    )
  return executeDeferred(sql, query)
}

/** Lists all payments of a loan that were made through the provider. */
export function listLoanPayments(sql: Sql, borrowerId: string, loanId: string): Promise<ProviderPaymentRow[]> {
  return sql.selectFrom('provider_payments').selectAll().where('borrower_id', '=', borrowerId).where('loan_id', '=', loanId).execute()
}

/** Lists those of a borrower's payments that have one of the provider's ids. */
export function listPaymentsById(sql: Sql, borrowerId: string, ids: readonly string[]): Promise<ProviderPaymentRow[]> {
  return sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('provider_payment_id', 'in', ids)
    .execute()
}

/** Finds a borrower's payment by the provider's id. */
export function findProviderPayment(
  sql: Sql,
  { borrower_id, provider, provider_payment_id }: Pick<ProviderPaymentRow, 'borrower_id' | 'provider' | 'provider_payment_id'>,
): Promise<ProviderPaymentRow | undefined> {
  return sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('borrower_id', '=', borrower_id)
    .where('provider', '=', provider)
    .where('provider_payment_id', '=', provider_payment_id)
    .executeTakeFirst()
}

/** A payment that was made through the provider, if there is any: its money can be taken back. */
export const selectAnyPayment = (sql: Sql) => sql.selectFrom('provider_payments').select('provider_payment_id').limit(1)

/** Those of the provider's payments that are known, over all borrowers. */
export const selectKnownPayments = (sql: Sql, provider: string, providerPaymentIds: readonly string[]) =>
  sql
    .selectFrom('provider_payments')
    .select(['borrower_id', 'provider', 'provider_payment_id'])
    .where('provider', '=', provider)
    .where('provider_payment_id', 'in', providerPaymentIds)

/** Finds a payment of any borrower by the provider's id. */
export function findPaymentById(sql: Sql, provider: string, providerPaymentId: string): Promise<ProviderPaymentRow | undefined> {
  return sql
    .selectFrom('provider_payments')
    .selectAll()
    .where('provider', '=', provider)
    .where('provider_payment_id', '=', providerPaymentId)
    .executeTakeFirst()
}

/** Lists the payments of the given links, oldest first. */
export async function listLinkPayments(sql: Sql, borrowerId: string, paymentIntentIds: readonly string[]): Promise<ProviderPaymentRow[]> {
  const [paymentIntentId, ...others] = paymentIntentIds
  if (paymentIntentId === undefined) return []
  if (others.length > 0) return selectPayments(sql, borrowerId, paymentIntentIds).execute()
  const [payments] = await executeTogether(sql, [paymentsOfLink.with({ borrowerId, paymentIntentId })])
  return payments
}

/** Stores the payment's ledger transaction, and closes the review of a failed posting. */
export function markPosted(sql: Sql, payment: ProviderPaymentRow, transactionId: string, now: Date): Promise<void> {
  const failedPosting = { borrowerId: payment.borrower_id, kind: 'not_posted', about: payment.provider_payment_id } as const
  const query = sql
    .with('closed_review', (query) => reviewClosing(query, failedPosting, 'posted at a later attempt', now))
    .updateTable('provider_payments')
    .set({ transaction_id: transactionId })
    .where('borrower_id', '=', payment.borrower_id)
    .where('provider', '=', payment.provider)
    .where('provider_payment_id', '=', payment.provider_payment_id)
  return executeDeferred(sql, query)
}
