import { sumPaise, type Paise } from '#domain/money.ts'
import type { RefundStatus } from '#domain/refunds.ts'
import { isTakenByBank } from '../loans/refund-facts-store.ts'
import type { LinkRow } from '../ledger/open-links-store.ts'
import type { ProviderPaymentRow } from './provider-payment-store.ts'
import type { RefundRow } from './refund-store.ts'

const isPosted = ({ transaction_id }: ProviderPaymentRow): boolean => transaction_id !== null

export const sumAmounts = (rows: readonly { amount_paise: Paise }[]): Paise => sumPaise(rows.map(({ amount_paise }) => amount_paise))

/** The captured amount of payments; payments that the provider returned uncaptured are left out. */
export const sumCaptured = (payments: readonly ProviderPaymentRow[]): Paise => sumAmounts(payments.filter(({ captured }) => captured))

/**
 * What refunds take from their payments. One that the lender made at the provider and that failed
 * takes nothing: the lender makes another there. Kist's own is tried again.
 */
export const sumRefunded = (refunds: readonly RefundRow[]): Paise =>
  sumAmounts(refunds.filter(({ reason, status }) => reason !== 'by_lender' || status !== 'failed'))

/** Whether a refund is of money that never counted, or counts no more; not of credit. */
export const isOfHeldMoney = ({ reason }: RefundRow): boolean => reason !== 'excess'

/** What refunds take from the money that counts. */
export const sumHeld = (refunds: readonly RefundRow[]): Paise => sumRefunded(refunds.filter(isOfHeldMoney))

/** The posted amount of a link's payments that counts for the loan: without held refunds. */
export const sumCounted = (payments: readonly ProviderPaymentRow[], refunds: readonly RefundRow[]): bigint =>
  sumAmounts(payments.filter(isPosted)) - sumHeld(refunds)

/**
 * The state of the refund that sends payments back; null unless refunds send back all of them.
 */
export function findReturnStatus(payments: readonly ProviderPaymentRow[], refunds: readonly RefundRow[]): RefundStatus | null {
  const sentBack = refunds.filter((refund) => isOfHeldMoney(refund) && !isTakenByBank(refund))
  const isWhole = sumRefunded(sentBack) >= sumAmounts(payments)
  return isWhole ? (sentBack.at(-1)?.status ?? null) : null
}

/**
 * True if all payments of the link are posted. A paid link must also have its whole amount, because
 * the provider can report `paid` before it lists every payment.
 */
export function isAllApplied(link: LinkRow, payments: readonly ProviderPaymentRow[]): boolean {
  return payments.length > 0 && payments.every(isPosted) && (link.status !== 'paid' || sumCaptured(payments) >= link.amount_paise)
}
