import { hash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/**
 * What a code is for: signing in, or an act of a signed-in person. Nobody can sign in with the code
 * of an act.
 */
export type CodePurpose = 'sign_in' | 'own_act'

/** A stored code verifies only with this session token, this phone and for this purpose. */
type CodeBinding = { tokenHash: Buffer; phone: string; purpose: CodePurpose }

/** Six digits with leading zeros, uniformly distributed. */
export function generateCode(): string {
  return String(randomInt(0, 1_000_000)).padStart(6, '0')
}

/** 256 random bits. The database stores only the hash. */
export function generateSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a session token for storage. A plain hash suffices for 256 random bits. */
export function hashSessionToken(sessionToken: string): Buffer {
  return hash('sha256', sessionToken, 'buffer')
}

/**
 * Hashes a code for storage. The hash is keyed, because a million codes can be tried against a
 * plain hash in a second. The token hash has a fixed length and the phone
 * only digits, so no two inputs collide.
 */
export function hashCode(key: string, { tokenHash, phone, purpose }: CodeBinding, code: string): Buffer {
  const forPurpose = purpose === 'sign_in' ? '' : `${purpose} `
  return createHmac('sha256', key).update(tokenHash).update(`${forPurpose}${phone} ${code}`).digest()
}

/** Compares a code with the stored one in constant time. */
export function codeMatches(key: string, binding: CodeBinding, code: string, stored: Buffer): boolean {
  const given = hashCode(key, binding, code)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
