import { createHmac, timingSafeEqual } from 'node:crypto'

/** What an address of a document we wrote stands for: this document, for this borrower's session, until then (decision 41). */
export type Ticket = { documentId: string; borrowerId: string; actorId: string; sessionId: string; expiresAt: Date }

/** The ticket as text that nobody can make or change without the key. It names a session, but is none: nothing else takes it. */
export function signTicket(key: string, { documentId, borrowerId, actorId, sessionId, expiresAt }: Ticket): string {
  const content = Buffer.from(JSON.stringify([documentId, borrowerId, actorId, sessionId, expiresAt.getTime()])).toString('base64url')
  return `${content}.${signature(key, content).toString('base64url')}`
}

/** Null for what is broken, forged or past its time. */
export function readTicket(key: string, text: string, now: Date): Ticket | null {
  const [content = '', given = '', ...rest] = text.split('.')
  // Compared as text: several texts stand for the same bytes.
  const expected = Buffer.from(signature(key, content).toString('base64url'))
  const said = Buffer.from(given)
  if (rest.length > 0 || said.length !== expected.length || !timingSafeEqual(said, expected)) return null
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

/** Without letters that are taken for one another on paper. */
const codeLetters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The code printed in a document: sixteen letters and digits of what it says, under a key, so that none can be made up. */
export function codeOf(key: string, contentHash: Buffer): string {
  const digest = createHmac('sha256', key).update('code\n').update(contentHash).digest()
  const letters = Array.from({ length: 16 }, (_, index) => codeLetters[(digest[index] ?? 0) % 32] ?? '0').join('')
  return letters.replace(/(.{4})(?=.)/g, '$1-')
}

/** A code as somebody read it from paper, as it is kept; null when it is none. */
export function readCode(text: string): string | null {
  const letters = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(letters) ? letters.replace(/(.{4})(?=.)/g, '$1-') : null
}
