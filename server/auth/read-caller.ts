import { assumeRole, permissions as allPermissions, type Permission } from '#contract/permissions.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Row } from '../database/pipeline.ts'
import type { Bound } from '../database/statement.ts'
import type { Caller } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import {
  findSession,
  sessionOwner,
  revokeAllSessions,
  revokeSessions,
  touchSession,
  type OwnSessionRow,
  type SessionRow,
} from './session-store.ts'
import { verifyToken } from './token.ts'

/** A session ends after this time without a request (decision 48). */
export const idleMsMax = 30 * 60_000
/** `last_seen_at` is updated at most this often. */
const touchIntervalMs = 60_000

/**
 * Reads the caller of a request. The token only names a session; the database decides each time
 * whether the session is open and what it may do, so that sign-out, disabling and a lost role apply
 * to the next request (decision 4). `then` runs in the transaction that reads the session.
 *
 * @throws Failure AuthSessionExpired for any token without an open session, without a reason.
 */
export async function readCaller<T>(
  context: Context,
  authorization: string | undefined,
  then: (sql: Sql, caller: Caller, now: Date) => Promise<T>,
): Promise<T> {
  const now = context.clock.now()
  const claims = await readClaims(context, authorization, now)
  const answer = await context.database.asSystem(async (sql) => {
    const caller = await findCallerOfSession(context, sql, claims, now)
    // Does not throw here: a revocation must be committed.
    return caller && { value: await then(sql, caller, now) }
  })
  if (!answer) throw sessionEnded()
  return answer.value
}

/**
 * Reads the caller and the borrower's rows in one round trip. The database itself limits the rows
 * to the borrower of an open session (`sessionOwner`); this function then decides whether the
 * session is open before the rows are used.
 *
 * @returns null for a session that acts for a borrower, because staff reads are logged in their own
 * transaction.
 * @throws Failure AuthSessionExpired as readCaller does.
 */
export async function readCallerWith(
  context: Context,
  authorization: string | undefined,
  readsOf: (userId: string) => readonly Bound<unknown>[],
): Promise<{ caller: Caller; rows: Row[][] } | null> {
  const { clock, config, database } = context
  const now = clock.now()
  const { userId, sessionId, assumedUserId } = await readClaims(context, authorization, now)
  if (assumedUserId !== null) return null
  const seenSince = new Date(now.getTime() - idleMsMax)
  const { owner, rows } = await database.readAsSessionOwner(
    (timeoutMs) => sessionOwner.with({ userId, sessionId, now, seenSince, timeoutMs }),
    readsOf(userId),
  )
  const ownSession = owner as OwnSessionRow | { expires_at: null }
  if (ownSession.expires_at === null || ownSession.assumed_user_id !== null) throw sessionEnded()
  const session: SessionRow = { ...ownSession, ...withoutAssumedBorrower }
  if (!isAlive(session, now)) {
    if (session.disabled_at && !session.revoked_at) await database.asSystem((sql) => revokeAllSessions(sql, userId, now))
    throw sessionEnded()
  }
  if (needsTouch(session, now)) await database.asSystem((sql) => touchSession(sql, userId, sessionId, now))
  return { caller: toCaller(session, { userId, sessionId, assumedUserId }, config), rows }
}

/** @throws Failure AuthSessionExpired for a missing, foreign or expired token. */
async function readClaims({ config }: Context, authorization: string | undefined, now: Date): Promise<Claims> {
  const token = /^Bearer ([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
  const claims = token === undefined ? null : await verifyToken(config.signIn.tokenKeys, token, now)
  if (!claims) throw sessionEnded()
  return claims
}

type Claims = { userId: string; sessionId: string; assumedUserId: string | null; roles?: readonly string[] }

/** The caller of a session; null if it has ended. */
export async function findCallerOfSession({ config }: Context, sql: Sql, claims: Claims, now: Date): Promise<Caller | null> {
  const { userId, sessionId, assumedUserId } = claims
  const session = await findSession(sql, userId, sessionId)
  if (!session || session.assumed_user_id !== assumedUserId) return null
  if (!session.revoked_at && (await revokeUnentitledSessions(sql, session, claims, now))) return null
  if (!isAlive(session, now)) return null
  if (needsTouch(session, now)) await touchSession(sql, userId, sessionId, now)
  return toCaller(session, claims, config)
}

/**
 * Revokes the sessions whose basis is gone: the account, a role, the right to assume, or the
 * borrower's account. Otherwise the same token would work again once it is restored.
 *
 * @returns whether the session is revoked, which also refuses this request.
 */
async function revokeUnentitledSessions(
  sql: Sql,
  session: SessionRow,
  { userId, sessionId, roles = [] }: Claims,
  now: Date,
): Promise<boolean> {
  const hasLostRole = session.kind === 'staff' && roles.includes(assumeRole) && !isStaff(session)
  const hasLostAssuming = session.assumed_user_id !== null && !canStillAssume(session, now)
  if (session.disabled_at || hasLostRole) await revokeAllSessions(sql, userId, now)
  else if (hasLostAssuming) await revokeSessions(sql, userId, [sessionId], now)
  return session.disabled_at !== null || hasLostRole || hasLostAssuming
}

const needsTouch = ({ last_seen_at }: SessionRow, now: Date): boolean => now.getTime() - last_seen_at.getTime() >= touchIntervalMs

const toCaller = (session: SessionRow, { userId, sessionId, assumedUserId }: Claims, { staff }: Config): Caller => ({
  borrowerId: assumedUserId ?? (session.kind === 'borrower' ? userId : null),
  actorId: userId,
  sessionId,
  isStaff: isStaff(session),
  permissions: selectPermissions(session, staff.assumeProfile),
})

const withoutAssumedBorrower = {
  assumed_kind: null,
  assumed_permissions: null,
  assumed_disabled_at: null,
  parent_expires_at: null,
  parent_revoked_at: null,
}

export const sessionEnded = () => new Failure('AuthSessionExpired', 'Your session has ended. Please sign in again.')

function isAlive(session: SessionRow, now: Date): boolean {
  if (session.revoked_at || session.disabled_at || now >= session.expires_at) return false
  if (now.getTime() - session.last_seen_at.getTime() > idleMsMax) return false
  return session.assumed_user_id === null || canStillAssume(session, now)
}

/**
 * Assuming ends with the staff member's own session, role or permission, and with the borrower's
 * account.
 */
function canStillAssume(session: SessionRow, now: Date): boolean {
  const isParentOpen = session.parent_expires_at !== null && now < session.parent_expires_at && session.parent_revoked_at === null
  const isBorrowerEnabled = session.assumed_kind === 'borrower' && session.assumed_disabled_at === null
  return isParentOpen && isStaff(session) && session.permissions.includes('user:assume') && isBorrowerEnabled
}

const isStaff = ({ kind, roles }: Pick<SessionRow, 'kind' | 'roles'>): boolean => kind === 'staff' && roles.includes(assumeRole)

/** The borrower's permissions that staff keep in the view profile. */
const viewable: readonly Permission[] = ['document:read']

/**
 * While assuming: the borrower's permissions limited by the profile, and `user:assume` to switch to
 * another borrower (decision 31), which no borrower has.
 */
function selectPermissions(session: SessionRow, profile: 'act' | 'view'): Permission[] {
  if (session.kind === 'staff' && session.assumed_user_id === null) return filterKnown(session.permissions)
  const borrowers = filterKnown(session.assumed_permissions ?? session.permissions).filter((permission) => permission !== 'user:assume')
  if (session.assumed_user_id === null) return borrowers
  return [...(profile === 'act' ? borrowers : borrowers.filter((permission) => viewable.includes(permission))), 'user:assume']
}

function filterKnown(permissions: readonly string[]): Permission[] {
  return allPermissions.filter((permission) => permissions.includes(permission))
}
