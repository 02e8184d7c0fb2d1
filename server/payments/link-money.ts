import { paise, type Paise } from '#domain/money.ts'
import type { LinkRow, ProviderPaymentRow } from './payment-store.ts'
import type { RefundRow } from './refund-store.ts'

const isPosted = ({ transaction_id }: ProviderPaymentRow): boolean => transaction_id !== null

const sumOf = (rows: readonly { amount_paise: Paise }[]): Paise => paise(rows.reduce((sum, { amount_paise }) => sum + amount_paise, 0n))

/** What a link's payments brought; what the provider sent back without taking it brought nothing. */
export const capturedOf = (payments: readonly ProviderPaymentRow[]): Paise => sumOf(payments.filter(({ captured }) => captured))

/** What counts for the loan of what is in the ledger of a link's money. */
export function countedOf(payments: readonly ProviderPaymentRow[], refunds: readonly RefundRow[]): bigint {
  const returned = refunds.filter(({ reason, status }) => reason !== 'excess' && !(reason === 'by_lender' && status === 'failed'))
  return sumOf(payments.filter(isPosted)) - sumOf(returned)
}

/** Everything the link took is in the ledger; of a paid link that is its whole amount, even while the provider shows only a part. */
export function isAllApplied(link: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  return payments.length > 0 && payments.every(isPosted) && (link.status !== 'paid' || capturedOf(payments) >= link.amount_paise)
}
