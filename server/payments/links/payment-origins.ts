import { razorpayHost } from '../../config/production.ts'

/** Where Razorpay's payment pages are: the short addresses of payment links, and what they may lead to. */
const razorpayOrigins = ['https://rzp.io', 'https://pages.razorpay.com', 'https://checkout.razorpay.com', razorpayHost]

/**
 * The origins a browser may be sent to for paying: the provider's own, or those of the stand-in that answers at `baseUrl`, whose
 * machine has three names where it is this one.
 */
export function paymentOriginsOf(baseUrl: string): string[] {
  if (baseUrl === razorpayHost) return razorpayOrigins
  const { protocol, hostname, port, origin } = new URL(baseUrl)
  const own = ['localhost', '127.0.0.1', '[::1]']
  return own.includes(hostname) ? own.map((name) => new URL(`${protocol}//${name}:${port}`).origin) : [origin]
}
