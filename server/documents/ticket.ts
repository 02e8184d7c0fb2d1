import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The content of a generated document's address: the document, the borrower's session, and the
 * expiry (decision 41).
 */
type Ticket = { documentId: string; borrowerId: string; actorId: string; sessionId: string; expiresAt: Date }

/**
 * Signs a ticket, so that nobody can forge or change it. It names a session, but no other call
 * accepts it.
 */
export function signTicket(key: string, { documentId, borrowerId, actorId, sessionId, expiresAt }: Ticket): string {
  const content = Buffer.from(JSON.stringify([documentId, borrowerId, actorId, sessionId, expiresAt.getTime()])).toString('base64url')
  return `${content}.${signature(key, content).toString('base64url')}`
}

/** Null for a malformed, forged or expired ticket. */
export function readTicket(key: string, text: string, now: Date): Ticket | null {
  const [content = '', given = '', ...rest] = text.split('.')
  // Compares the text, because several base64url texts decode to the same bytes.
  const expected = Buffer.from(signature(key, content).toString('base64url'))
  const received = Buffer.from(given)
  if (rest.length > 0 || received.length !== expected.length || !timingSafeEqual(received, expected)) return null
  const [documentId, borrowerId, actorId, sessionId, expiresAtMs] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [
    string,
    string,
    string,
    string,
    number,
  ]
  const expiresAt = new Date(expiresAtMs)
  return now < expiresAt ? { documentId, borrowerId, actorId, sessionId, expiresAt } : null
}

const signature = (key: string, content: string): Buffer => createHmac('sha256', key).update(`ticket\n${content}`).digest()

/** Omits letters that are easily confused in print. */
const codeLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The verification code of a document: sixteen letters and digits of its keyed content hash, which
 * cannot be forged.
 */
export function computeVerificationCode(key: string, contentHash: Buffer): string {
  const digest = createHmac('sha256', key).update('code\n').update(contentHash).digest()
  const letters = Array.from({ length: 16 }, (_, index) => codeLetters[(digest[index] ?? 0) % 32] ?? '0').join('')
  return letters.replace(/(.{4})(?=.)/g, '$1-')
}

/** Normalises a code that a person typed; null if it is not a code. */
export function parseVerificationCode(text: string): string | null {
  const letters = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(letters) ? letters.replace(/(.{4})(?=.)/g, '$1-') : null
}
