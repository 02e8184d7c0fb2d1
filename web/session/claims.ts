import type * as z from 'zod/mini'
import type { tokenClaims } from '#contract/auth.ts'
import { assumeRole } from '#contract/permissions.ts'

// Without the schemas: the script in the page's head reads the token with these functions too.

/** The claims of a bearer token, with its time of issue if it has one. */
export type Claims = z.output<typeof tokenClaims> & { iat?: number | undefined }

/**
 * Decodes the payload of a token, unchecked.
 *
 * @throws if it is none.
 */
export function decodePayload(token: string): unknown {
  const payload = token.split('.')[1] ?? ''
  const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

/**
 * The person and the assumed borrower of a session. Two tokens with the same identity show the same
 * data; null is nobody.
 */
export const getIdentity = (claims: Claims | null): string | null =>
  claims === null ? null : `${claims.sub} ${claims.assumed_user_id ?? ''}`

/**
 * Whether a token has expired. Cheap phones have wrong clocks: if the arrival of the token is
 * known, its lifetime is counted from then and not compared with the server's clock. Unchecked
 * claims without a time have expired.
 */
export const isExpired = (claims: Claims, receivedAtMs: number | null, nowMs: number): boolean =>
  !(nowMs < computeEndsAtMs(claims, receivedAtMs))

/** When a token expires, by this device's clock. */
export function computeEndsAtMs(claims: Claims, receivedAtMs: number | null): number {
  return receivedAtMs !== null && claims.iat !== undefined ? receivedAtMs + (claims.exp - claims.iat) * 1000 : claims.exp * 1000
}

/** The roles of a token, which may be a list or a comma-separated text (decision 4). */
export function getRoles(claims: Claims | null): string[] {
  const roles = claims?.roles ?? []
  return (typeof roles === 'string' ? roles.split(',') : roles).map((role) => role.trim()).filter((role) => role !== '')
}

export const isStaff = (claims: Claims | null): boolean => getRoles(claims).includes(assumeRole)

export const isAssuming = (claims: Claims | null): boolean => Boolean(claims?.assumed_user_id)

/** Staff without an assumed borrower: there is no borrower's data to show (decision 32). */
export const isStaffAlone = (claims: Claims | null): boolean => isStaff(claims) && !isAssuming(claims)
