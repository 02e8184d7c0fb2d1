import { razorpayHost } from '../../config/production.ts'

/** The origins of Razorpay's payment pages: short links and the pages they redirect to. */
const razorpayOrigins = ['https://rzp.io', 'https://pages.razorpay.com', 'https://checkout.razorpay.com', razorpayHost]

/**
 * The origins to which a browser may be redirected for payment: Razorpay's, and those of the
 * sandbox at `baseUrl`, which may answer with links like Razorpay's. A sandbox on the local machine
 * has three names.
 */
export function listPaymentOrigins(baseUrl: string): string[] {
  if (baseUrl === razorpayHost) return razorpayOrigins
  const { protocol, hostname, port, origin } = new URL(baseUrl)
  const own = ['localhost', '127.0.0.1', '[::1]']
  return [...(own.includes(hostname) ? own.map((name) => new URL(`${protocol}//${name}:${port}`).origin) : [origin]), ...razorpayOrigins]
}
