import { paise, type Paise } from '#domain/money.ts'
import type { LinkRow, ProviderPaymentRow } from './payment-store.ts'
import type { RefundRow } from './refund-store.ts'

const isPosted = ({ transaction_id }: ProviderPaymentRow): boolean => transaction_id !== null

const sumAmounts = (rows: readonly { amount_paise: Paise }[]): Paise =>
  paise(rows.reduce((sum, { amount_paise }) => sum + amount_paise, 0n))

/** The captured amount of payments; payments that the provider returned uncaptured are left out. */
export const sumCaptured = (payments: readonly ProviderPaymentRow[]): Paise => sumAmounts(payments.filter(({ captured }) => captured))

/** The posted amount of a link's payments that counts for the loan: without held refunds. */
export function sumCounted(payments: readonly ProviderPaymentRow[], refunds: readonly RefundRow[]): bigint {
  const returned = refunds.filter(({ reason, status }) => reason !== 'excess' && !(reason === 'by_lender' && status === 'failed'))
  return sumAmounts(payments.filter(isPosted)) - sumAmounts(returned)
}

/**
 * True if all payments of the link are posted. A paid link must also have its whole amount, because
 * the provider can report `paid` before it lists every payment.
 */
export function isAllApplied(link: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  return payments.length > 0 && payments.every(isPosted) && (link.status !== 'paid' || sumCaptured(payments) >= link.amount_paise)
}
