import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { readPermissions, user as userSchema, type User } from '#contract/auth.ts'
import type { Permission } from '#contract/permissions.ts'
import { maskPan } from '#domain/pan.ts'
import { paths } from '#web/paths.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { rememberActor, type Actor } from './actor.ts'
import { bearer } from './bearer.ts'
import { call } from './call.ts'
import {
  authReducer,
  endsAtMs,
  isExpired,
  isStaff,
  readClaims,
  signedOut,
  type AuthEvent,
  type AuthState,
  type Stored,
} from './auth-state.ts'

let state: AuthState = signedOut
const listeners = new Set<() => void>()

function dispatch(event: AuthEvent): void {
  state = authReducer(state, event)
  bearer.token = state.token
  for (const listener of listeners) listener()
}

export const getSession = (): AuthState => state

export function subscribeSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The session as it stands; the component renders again when it changes. */
export const useSession = (): AuthState => useSyncExternalStore(subscribeSession, getSession)

/** 'allowed', 'denied', or 'loading' while the list has not come yet: pass it to ActionButton. */
export type PermissionAnswer = 'allowed' | 'denied' | 'loading'

export function usePermission(permission: Permission): PermissionAnswer {
  const { permissions, permissionsLoading } = useSession()
  if (permissions.includes(permission)) return 'allowed'
  return permissionsLoading ? 'loading' : 'denied'
}

/** Reads what is stored, and asks what the person may do if a token is there. */
export function initSession(): void {
  maskStoredPan()
  dispatch({ type: 'init', stored: readStoredSession(), nowMs: Date.now() })
  if (state.token !== null) void loadPermissions()
}

/** Reads the token and the person again and keeps the permissions. */
export const refreshSession = (): void => dispatch({ type: 'refresh', stored: readStoredSession(), nowMs: Date.now() })

/** Reads everything again and clears the permissions. */
export const resetSession = (): void => dispatch({ type: 'reset', stored: readStoredSession(), nowMs: Date.now() })

/** Stores a new session and starts with it; `actor` is the staff member behind one that acts for a borrower. */
export function startSession(token: string, user: User, actor: Actor | null = null): void {
  rememberActor(actor)
  writeStored(storageKeys.token, token)
  writeStored(storageKeys.shownLead, null)
  writeStored(storageKeys.tokenReceivedAt, String(Date.now()))
  writeStored(storageKeys.userData, JSON.stringify(withMaskedPan(user)))
  initSession()
}

/** Forgets the session on this device. Ask `loginPath()` before: afterwards nobody knows who it was. */
export function clearSession(): void {
  writeStored(storageKeys.token, null)
  writeStored(storageKeys.tokenReceivedAt, null)
  writeStored(storageKeys.userData, null)
  writeStored(storageKeys.shownLead, null)
  rememberActor(null)
  resetSession()
}

/** Called when the server refuses the token: opens the session-expired modal. */
export const expireSession = (): void => dispatch({ type: 'expired' })
bearer.onRefused = expireSession

/** Whether there is a token that has not run out; looks at the clock, so ask at the moment of need. */
export function isSignedIn(): boolean {
  const { claims } = state
  return claims !== null && !isExpired(claims, readStoredSession().receivedAtMs, Date.now())
}

/** When the token runs out by this device's clock; null without one. */
export function sessionEndsAtMs(): number | null {
  const { claims } = state
  return claims === null ? null : endsAtMs(claims, readStoredSession().receivedAtMs)
}

/** The login page of whoever was last here: the token's roles decide, even an expired one's; without a token the borrower's (decision 47). */
export function loginPath(): string {
  return isStaff(state.claims ?? readClaims(readStored(storageKeys.token))) ? paths.adminLogin : paths.login
}

export async function loadPermissions(): Promise<void> {
  const { token } = state
  dispatch({ type: 'permissions_requested' })
  try {
    const { permissions } = await call(readPermissions, {})
    if (state.token === token) dispatch({ type: 'permissions_loaded', permissions })
  } catch {
    // Without the list nothing is permitted, which is the safe reading; the pages say so at each button.
    if (state.token === token) dispatch({ type: 'permissions_failed' })
  }
}

function readStoredSession(): Stored {
  const receivedAtMs = Number(readStored(storageKeys.tokenReceivedAt) ?? Number.NaN)
  return {
    token: readStored(storageKeys.token),
    user: readUser(readStored(storageKeys.userData)),
    receivedAtMs: Number.isFinite(receivedAtMs) ? receivedAtMs : null,
  }
}

/** An earlier version of the portal stored the whole PAN. */
function maskStoredPan(): void {
  const stored = readUser(readStored(storageKeys.userData))
  if (stored !== null) writeStored(storageKeys.userData, JSON.stringify(withMaskedPan(stored)))
}

/** What is stored on the device names no whole PAN; the profile page reads it when it opens (decision 61). */
function withMaskedPan(user: User): User {
  const pan = user.pan && maskPan(user.pan)
  return { ...user, pan, metadata: { ...user.metadata, pan: user.metadata.pan && maskPan(user.metadata.pan) } }
}

function readUser(text: string | null): User | null {
  try {
    const read = z.safeParse(userSchema, JSON.parse(text ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
