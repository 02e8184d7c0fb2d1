import * as z from 'zod/mini'
import { tokenClaims, type User } from '#contract/auth.ts'
import { assumeRole } from '#contract/permissions.ts'

/** The claims of a bearer token, with its time of issue if it has one. */
const claimsSchema = z.extend(tokenClaims, { iat: z.optional(z.number()) })
export type Claims = z.output<typeof claimsSchema>

/** Who is signed in (spec §4 'Auth state'); permissions are a query (permissions.ts). */
export type AuthState = {
  token: string | null
  claims: Claims | null
  user: User | null
  /** The server has refused the token: the session-expired dialog is open. */
  expired: boolean
}

export type Stored = { token: string | null; user: User | null; receivedAtMs: number | null }

export type AuthEvent = { type: 'init' | 'refresh' | 'reset'; stored: Stored; nowMs: number } | { type: 'expired' }

export const signedOut: AuthState = {
  token: null,
  claims: null,
  user: null,
  expired: false,
}

export function authReducer(state: AuthState, event: AuthEvent): AuthState {
  if (event.type === 'expired') return state.token === null ? state : { ...state, expired: true }
  return { ...signedOut, ...readStoredState(event.stored, event.nowMs) }
}

function readStoredState(stored: Stored, nowMs: number): Pick<AuthState, 'token' | 'claims' | 'user'> {
  const claims = readClaims(stored.token)
  if (stored.token === null || claims === null || isExpired(claims, stored.receivedAtMs, nowMs)) {
    return { token: null, claims: null, user: null }
  }
  return { token: stored.token, claims, user: stored.user }
}

/**
 * The person and the assumed borrower of a session. Two tokens with the same identity show the same
 * data; null is nobody.
 */
export const getIdentity = (claims: Claims | null): string | null =>
  claims === null ? null : `${claims.sub} ${claims.assumed_user_id ?? ''}`

/** The claims of a token; null if it is not one. The server verifies the signature. */
export function readClaims(token: string | null): Claims | null {
  const payload = token?.split('.')[1]
  if (payload === undefined) return null
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0))
    const read = z.safeParse(claimsSchema, JSON.parse(new TextDecoder().decode(bytes)))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

/**
 * Whether a token has expired. Cheap phones have wrong clocks: if the arrival of the token is
 * known, its lifetime is counted from then and not compared with the server's clock.
 */
export const isExpired = (claims: Claims, receivedAtMs: number | null, nowMs: number): boolean =>
  nowMs >= computeEndsAtMs(claims, receivedAtMs)

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
