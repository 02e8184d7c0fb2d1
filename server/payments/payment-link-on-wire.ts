import type { PaymentLink, PaymentRefund } from '#contract/payments.ts'
import type { PaymentLinkStatus } from '#domain/payments.ts'
import { isTakenByBank } from '../loans/refund-facts-store.ts'
import { sumHeld } from './link-money.ts'
import type { LinkRow } from '../ledger/open-links-store.ts'
import type { ProviderPaymentRow } from './provider-payment-store.ts'
import type { RefundRow } from './refund-store.ts'

/**
 * A link in the API's form, with its newest payment; a payment that is not fully refunded comes
 * first. Only links that exist at the provider are shown.
 */
export function paymentLinkOnWire(link: LinkRow, payments: readonly ProviderPaymentRow[], refunds: readonly RefundRow[] = []): PaymentLink {
  const own = payments.filter((candidate) => candidate.payment_intent_id === link.payment_intent_id)
  const linkRefunds = refunds.filter((refund) => refund.payment_intent_id === link.payment_intent_id)
  const payment = own.findLast((candidate) => !isFullyRefunded(candidate, linkRefunds)) ?? own.at(-1)
  return {
    payment_link_id: link.payment_link_id ?? '',
    payment_id: payment?.provider_payment_id ?? null,
    amount: link.amount_paise,
    purpose: link.purpose,
    status: shownStatus(link.status),
    created_at: link.created_at,
    redirect_url: link.redirect_url ?? '',
    rps_updated: link.rps_updated,
    expires_at: link.expires_at,
    paid_at: payment?.paid_at ?? null,
    method: payment?.method ?? null,
    bank_reference: payment?.bank_reference ?? null,
    ...(linkRefunds.length > 0 && { refunds: linkRefunds.map(refundOnWire) }),
  }
}

const isFullyRefunded = (payment: ProviderPaymentRow, refunds: readonly RefundRow[]): boolean =>
  sumHeld(refunds.filter(({ provider_payment_id }) => provider_payment_id === payment.provider_payment_id)) === payment.amount_paise

const refundOnWire = (refund: RefundRow): PaymentRefund => ({
  amount: refund.amount_paise,
  status: refund.status,
  asked_at: refund.asked_at,
  processed_at: refund.processed_at,
  bank_reference: refund.bank_reference,
  ...(isTakenByBank(refund) && { taken_by_bank: true }),
})

/**
 * @throws Error for a link that does not exist at the provider: it is never shown (decision 38).
 */
export function shownStatus(status: LinkRow['status']): PaymentLinkStatus {
  if (status === 'creating' || status === 'refused') throw new Error(`A ${status} link has no status to show`)
  return status
}
