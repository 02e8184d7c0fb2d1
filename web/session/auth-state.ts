import * as z from 'zod/mini'
import { tokenClaims, type User } from '#contract/auth.ts'
import { type Claims, decodePayload, isExpired } from './claims.ts'

const claimsSchema: z.ZodMiniType<Claims> = z.extend(tokenClaims, { iat: z.optional(z.number()) })

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

/** The claims of a token; null if it is not one. The server verifies the signature. */
export function readClaims(token: string | null): Claims | null {
  try {
    const read = z.safeParse(claimsSchema, decodePayload(token ?? ''))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
