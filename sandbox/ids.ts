import { createHmac, randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** `length` letters and digits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += ALPHABET[randomInt(ALPHABET.length)] ?? ''
  return text
}

/** A provider id: `<prefix>_` and 14 letters and digits. */
export function newId(prefix: 'plink' | 'order' | 'pay' | 'rfnd' | 'card' | 'evt'): string {
  return `${prefix}_${randomText(14)}`
}

/** A bank's 12-digit retrieval reference number; never starts with 0, so it survives as a number. */
export function newRrn(): string {
  return `${randomInt(1, 10)}${String(randomInt(0, 1e11)).padStart(11, '0')}`
}

/** A UPI transaction id as NPCI writes them: 32 hex digits. */
export function newUpiTransactionId(): string {
  return randomBytes(16).toString('hex').toUpperCase()
}

/** Lower-case hex HMAC-SHA256, the form of all of the provider's signatures. */
export function hmacHex(secret: string, message: string): string {
  return createHmac('sha256', secret).update(message).digest('hex')
}
