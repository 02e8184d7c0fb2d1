import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { type User, user as userSchema } from '#contract/auth.ts'
import { maskPan } from '#domain/pan.ts'
import { bearer } from '#web/api/call.ts'
import { paths } from '#web/app/paths.ts'
import { forgetSentCode, forgetTyped, readStored, readTokenReceivedAtMs, storageKeys, writeStored } from '#web/storage.ts'
import { readStoredJson } from '#web/stored-json.ts'
import { type AuthEvent, authReducer, type AuthState, readClaims, signedOut, type Stored } from './auth-state.ts'
import { computeEndsAtMs, getIdentity, isExpired, isStaff, type Claims } from './claims.ts'
import { getPersonName } from './person-name.ts'
import { forgetStaffList } from './staff-list.ts'

/** A logout waits so long for the server: the session of this device ends whatever it answers. */
export const logoutTimeoutMs = 5000

let state: AuthState = signedOut
type Listener = (event: AuthEvent['type']) => void
const listeners = new Set<Listener>()

function dispatch(event: AuthEvent): void {
  state = authReducer(state, event)
  bearer.token = state.token
  for (const listener of listeners) listener(event.type)
}

export const getSession = (): AuthState => state

/** Calls the listener after each change with its type; the returned function unsubscribes. */
export function subscribeSession(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The current session; the component renders again when it changes. */
export const useSession = (): AuthState => useSyncExternalStore(subscribeSession, getSession, getSession)

/** Reads the stored session. With a token, follow-session.ts loads the permissions. */
export function initSession(): void {
  maskStoredPan()
  dispatch({ type: 'init', stored: readStoredSession(), nowMs: Date.now() })
  // Also if another tab has signed in.
  if (!isSignedIn()) return
  forgetSentCode()
  // It is the first line; nobody but its person shall find it.
  if (readStored(storageKeys.typed, 'sessionStorage')?.split('\n')[0] !== getIdentity(state.claims)) forgetTyped()
}

/** Reads the token and the person again and keeps the permissions. */
const refreshSession = (): void => dispatch({ type: 'refresh', stored: readStoredSession(), nowMs: Date.now() })

/** Reads everything again and clears the permissions. */
function resetSession(): void {
  // Who is asked to sign in again goes on with it.
  if (!state.expired) forgetTyped()
  dispatch({ type: 'reset', stored: readStoredSession(), nowMs: Date.now() })
}

/**
 * Takes over what another tab has stored: a new token of the same person is a refresh, another
 * person's an init, none a reset.
 *
 * @returns whether another person, or nobody, is signed in now.
 */
export function rereadSession(): boolean {
  const before = state
  const token = readStored(storageKeys.token)
  if (token !== before.token) {
    if (token === null) resetSession()
    else if (before.claims !== null && getIdentity(readClaims(token)) === getIdentity(before.claims)) refreshSession()
    else initSession()
  } else if (token !== null && !isSignedIn()) expireSession()
  // Also when another tab signed out: the next staff member must not see this one's search.
  if (state.claims?.sub !== before.claims?.sub) forgetStaffList()
  return getIdentity(state.claims) !== getIdentity(before.claims)
}

/**
 * Stores a new session and starts it; `actor` is the staff member of an assumed session.
 * `receivedAtMs`: when this device received the token; staff get their earlier one back.
 */
export function startSession(token: string, user: User, actor: Actor | null = null, receivedAtMs = Date.now()): void {
  rememberActor(actor)
  writeStored(storageKeys.shownLead, null)
  writeStored(storageKeys.tokenReceivedAt, String(receivedAtMs))
  writeStored(storageKeys.userData, JSON.stringify(maskUserPan(user)))
  // Last: other tabs read everything when the token changes.
  writeStored(storageKeys.token, token)
  initSession()
}

/**
 * Deletes the session from this device. Call `getLoginPath()` before: it depends on the session.
 */
export function clearSession(): void {
  writeStored(storageKeys.token, null)
  writeStored(storageKeys.tokenReceivedAt, null)
  writeStored(storageKeys.userData, null)
  writeStored(storageKeys.shownLead, null)
  rememberActor(null)
  forgetSentCode()
  forgetStaffList()
  resetSession()
}

/** Called when the server refuses the token: opens the session-expired dialog. */
export const expireSession = (): void => dispatch({ type: 'expired' })
bearer.onRefused = expireSession

/** Whether there is a token that has not expired; depends on the clock, so call it when needed. */
export function isSignedIn(): boolean {
  const { claims } = state
  return claims !== null && !isExpired(claims, readStoredSession().receivedAtMs, Date.now())
}

/** When the token expires, by this device's clock; null without one. */
export function getSessionEndsAtMs(): number | null {
  const { claims } = state
  return claims === null ? null : computeEndsAtMs(claims, readStoredSession().receivedAtMs)
}

/**
 * The login page for the last person here: the token's roles decide, also an expired token's;
 * without a token it is the borrower's (decision 47).
 */
export function getLoginPath(): string {
  return isStaff(getLastClaims()) ? paths.adminLogin : paths.login
}

/** The identity of the last person here, also by an expired token; null without a token. */
export const getLastIdentity = (): string | null => getIdentity(getLastClaims())

const getLastClaims = (): Claims | null => state.claims ?? readClaims(readStored(storageKeys.token))

function readStoredSession(): Stored {
  return {
    token: readStored(storageKeys.token),
    user: readStoredUser(),
    receivedAtMs: readTokenReceivedAtMs(),
  }
}

/** An earlier version of the portal stored the whole PAN. */
function maskStoredPan(): void {
  const stored = readStoredUser()
  if (stored === null) return
  const masked = maskUserPan(stored)
  // Writes only if needed: another tab may be storing another session.
  if (masked.pan !== stored.pan || masked.metadata.pan !== stored.metadata.pan) writeStored(storageKeys.userData, JSON.stringify(masked))
}

/** The whole PAN is never stored on the device; the profile page reads it (decision 61). */
function maskUserPan(user: User): User {
  const pan = user.pan && maskPan(user.pan)
  return { ...user, pan, metadata: { ...user.metadata, pan: user.metadata.pan && maskPan(user.metadata.pan) } }
}

const readStoredUser = (): User | null => readStoredJson(userSchema, storageKeys.userData)

export const usePersonName = () => getPersonName(useSession().user)

/** The staff member of an assumed session, whose token shows the borrower's person. */
const actor = z.object({
  user_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.nullable(z.string()),
  /** When this device received their own token, which they get back. Absent, null: not known. */
  received_at_ms: z.optional(z.nullable(z.number())),
})
export type Actor = z.output<typeof actor>

export const toActor = ({ user_id, metadata: { first_name, last_name }, email }: User): Actor => ({ user_id, first_name, last_name, email })

function rememberActor(kept: Actor | null): void {
  writeStored(storageKeys.actor, kept && JSON.stringify(kept))
}

export const readActor = (): Actor | null => readStoredJson(actor, storageKeys.actor)
