import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** What a stored code is bound to: it verifies with this session token and this phone, and nowhere else. */
export type CodeBinding = { tokenHash: Buffer; phone: string }

/** Six digits, each of the million equally likely, leading zeros kept. */
export function newCode(): string {
  return String(randomInt(0, 1_000_000)).padStart(6, '0')
}

/** 256 random bits. The database only ever has its hash. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The session token as the database knows it. A plain hash will do: nobody guesses 256 bits. */
export function hashSessionToken(sessionToken: string): Buffer {
  return createHash('sha256').update(sessionToken).digest()
}

/**
 * The code as the database knows it. Keyed, since a million codes are tried against a plain hash in a second
 * (facts/security §3.6). The hash has a fixed length and the phone only digits, so no two inputs run together.
 */
export function hashCode(key: string, { tokenHash, phone }: CodeBinding, code: string): Buffer {
  return createHmac('sha256', key).update(tokenHash).update(`${phone} ${code}`).digest()
}

/** Whether a code is the stored one, in the same time either way. */
export function codeMatches(key: string, binding: CodeBinding, code: string, stored: Buffer): boolean {
  const given = hashCode(key, binding, code)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
