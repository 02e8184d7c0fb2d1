import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Whether one of our secrets signed these exact bytes: hex HMAC-SHA256 of the raw body (Razorpay, "Validate webhooks").
 * Two secrets are tried because retries of older events stay signed with the old one after a change.
 */
export function isSignedByUs(body: Buffer, signature: unknown, secrets: readonly string[]): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false
  const given = Buffer.from(signature, 'hex')
  return secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given))
}
