import type { Link, LinkStatus, Payment } from './entities.ts'
import { hmacHex } from './hmac.ts'
import type { SandboxContext } from './context.ts'

/** The fields that the provider signs in the return address. */
type ReturnParameters = {
  readonly linkId: string
  readonly referenceId: string
  readonly status: LinkStatus
  readonly paymentId: string
}

/**
 * HMAC-SHA256 of `link|reference|status|payment` under the API key's secret (not the webhook's).
 */
export function returnSignature(keySecret: string, parameters: ReturnParameters): string {
  const { linkId, referenceId, status, paymentId } = parameters
  return hmacHex(keySecret, [linkId, referenceId, status, paymentId].join('|'))
}

/**
 * Where the customer goes after a successful payment; null when the link has no callback, or is
 * paid in a UPI app.
 */
export function returnUrl(context: SandboxContext, link: Link, payment: Payment): string | null {
  if (!link.callback_url || link.upi_link) return null
  const parameters: ReturnParameters = {
    linkId: link.id,
    referenceId: link.reference_id,
    status: link.status,
    paymentId: payment.id,
  }
  const url = new URL(link.callback_url)
  url.searchParams.set('razorpay_payment_id', parameters.paymentId)
  url.searchParams.set('razorpay_payment_link_id', parameters.linkId)
  url.searchParams.set('razorpay_payment_link_reference_id', parameters.referenceId)
  url.searchParams.set('razorpay_payment_link_status', parameters.status)
  url.searchParams.set('razorpay_signature', returnSignature(context.config.keySecret, parameters))
  return url.href
}
