import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { type User, user as userSchema } from '#contract/auth.ts'
import { maskPan } from '#domain/pan.ts'
import { paths } from '#web/app/paths.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { bearer } from '#web/api/call.ts'
import {
  type AuthEvent,
  authReducer,
  type AuthState,
  endsAtMs,
  identityOf,
  isExpired,
  isStaff,
  readClaims,
  signedOut,
  type Stored,
} from './auth-state.ts'

let state: AuthState = signedOut
type Listener = (event: AuthEvent['type']) => void
const listeners = new Set<Listener>()

function dispatch(event: AuthEvent): void {
  state = authReducer(state, event)
  bearer.token = state.token
  for (const listener of listeners) listener(event.type)
}

export const getSession = (): AuthState => state

/** Calls the listener after each change, with what changed it; the returned function stops that. */
export function subscribeSession(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The session as it stands; the component renders again when it changes. */
export const useSession = (): AuthState => useSyncExternalStore(subscribeSession, getSession)

/** Reads what is stored. If a token is there, its permissions are loaded (permissions.ts). */
export function initSession(): void {
  maskStoredPan()
  dispatch({ type: 'init', stored: readStoredSession(), nowMs: Date.now() })
}

/** Reads the token and the person again and keeps the permissions. */
export const refreshSession = (): void => dispatch({ type: 'refresh', stored: readStoredSession(), nowMs: Date.now() })

/** Reads everything again and clears the permissions. */
export const resetSession = (): void => dispatch({ type: 'reset', stored: readStoredSession(), nowMs: Date.now() })

/**
 * Takes over what another tab has stored: a new token of the same person is a refresh, another person's an init, none a reset.
 *
 * @returns whether another person, or nobody, is signed in now.
 */
export function rereadSession(): boolean {
  const before = state
  const token = readStored(storageKeys.token)
  if (token !== before.token) {
    if (token === null) resetSession()
    else if (before.claims !== null && identityOf(readClaims(token)) === identityOf(before.claims)) refreshSession()
    else initSession()
  } else if (token !== null && !isSignedIn()) expireSession()
  return identityOf(state.claims) !== identityOf(before.claims)
}

/** Stores a new session and starts with it; `actor` is the staff member behind one that acts for a borrower. */
export function startSession(token: string, user: User, actor: Actor | null = null): void {
  rememberActor(actor)
  writeStored(storageKeys.shownLead, null)
  writeStored(storageKeys.tokenReceivedAt, String(Date.now()))
  writeStored(storageKeys.userData, JSON.stringify(withMaskedPan(user)))
  // Last: other tabs read all of it when they hear of the token.
  writeStored(storageKeys.token, token)
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
  if (stored === null) return
  const masked = withMaskedPan(stored)
  // Only what has to be changed is written: another tab may be storing somebody else's.
  if (masked.pan !== stored.pan || masked.metadata.pan !== stored.metadata.pan) writeStored(storageKeys.userData, JSON.stringify(masked))
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

/** The name of whose loans are shown, and its initials. */
export function personName(user: User | null): { name: string; initials: string } {
  const names = [user?.metadata.first_name, user?.metadata.last_name].map((part) => part?.trim() ?? '').filter((part) => part !== '')
  return { name: names.join(' '), initials: names.map((part) => Array.from(part)[0]?.toUpperCase() ?? '').join('') }
}

export const usePersonName = () => personName(useSession().user)

/** The staff member behind an assumed session, whose token shows the borrower's person: what is needed to name them, and no more. */
const actor = z.object({ user_id: z.string(), first_name: z.string(), last_name: z.string(), email: z.nullable(z.string()) })
export type Actor = z.output<typeof actor>

export const actorOf = ({ user_id, metadata: { first_name, last_name }, email }: User): Actor => ({ user_id, first_name, last_name, email })

export function rememberActor(kept: Actor | null): void {
  writeStored(storageKeys.actor, kept && JSON.stringify(kept))
}

export function readActor(): Actor | null {
  try {
    const read = z.safeParse(actor, JSON.parse(readStored(storageKeys.actor) ?? 'null'))
    return read.success ? read.data : null
  } catch {
    return null
  }
}
