import { createHmac } from 'node:crypto'

/** Lower-case hex HMAC-SHA256, the form of all signatures of the provider. */
export function hmacHex(secret: string, message: string): string {
  return createHmac('sha256', secret).update(message).digest('hex')
}
