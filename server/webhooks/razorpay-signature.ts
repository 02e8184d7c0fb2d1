import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * True if the signature is the hex HMAC-SHA256 of the raw body with one of the secrets (Razorpay,
 * "Validate webhooks"). After a change of the secret, retries of older events still have the old
 * signature.
 */
export function isSignatureValid(body: Buffer, signature: unknown, secrets: readonly string[]): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false
  const given = Buffer.from(signature, 'hex')
  return secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given))
}
