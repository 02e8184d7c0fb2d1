import { assumeRole, permissions as knownPermissions, type Permission } from '#contract/permissions.ts'
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

/** A session nobody used for so long has ended (decision 48). */
export const idleMsMax = 30 * 60_000
/** Being seen is written down at most this often. */
const touchIntervalMs = 60_000

/**
 * Who a request comes from. The token only names a session; whether it still stands, and what it may do, is asked of the
 * database each time, so that signing out, disabling and a lost role act at the next request (decision 4). `then` runs
 * in the transaction that reads the session.
 *
 * @throws Failure AuthSessionExpired for anything that is not a living session, without saying what is wrong with it.
 */
export async function readCaller<T>(
  context: Context,
  authorization: string | undefined,
  then: (sql: Sql, caller: Caller, now: Date) => Promise<T>,
): Promise<T> {
  const now = context.clock.now()
  const claims = await readClaims(context, authorization, now)
  const answer = await context.database.asSystem(async (sql) => {
    const caller = await callerOfSession(context, sql, claims, now)
    // Not thrown here: that a session was ended for good must stay.
    return caller && { value: await then(sql, caller, now) }
  })
  if (!answer) throw sessionEnded()
  return answer.value
}

/**
 * As {@link readCaller}, with what the borrower reads in the same journey to the database. What is read is that of the session's own
 * borrower, found alive by the database itself (`sessionOwner`); whether it stands is still decided here, before anybody sees it.
 *
 * @returns null for a session that acts for a borrower: what staff ask for is written down in the transaction that reads it.
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
  const { holder, rows } = await database.readAsSessionOwner(
    (timeoutMs) => sessionOwner.with({ userId, sessionId, now, seenSince, timeoutMs }),
    readsOf(userId),
  )
  const own = holder as OwnSessionRow | { expires_at: null }
  if (own.expires_at === null || own.assumed_user_id !== null) throw sessionEnded()
  const session: SessionRow = { ...own, ...nobodyAssumed }
  if (!isAlive(session, now)) {
    if (session.disabled_at && !session.revoked_at) await database.asSystem((sql) => revokeAllSessions(sql, userId, now))
    throw sessionEnded()
  }
  if (isToBeTouched(session, now)) await database.asSystem((sql) => touchSession(sql, userId, sessionId, now))
  return { caller: callerOf(session, { userId, sessionId, assumedUserId }, config), rows }
}

/** @throws Failure AuthSessionExpired for what is no token of ours, or not any more. */
async function readClaims({ config }: Context, authorization: string | undefined, now: Date): Promise<Claims> {
  const token = /^Bearer ([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
  const claims = token === undefined ? null : await verifyToken(config.signIn.tokenKeys, token, now)
  if (!claims) throw sessionEnded()
  return claims
}

type Claims = { userId: string; sessionId: string; assumedUserId: string | null; roles?: readonly string[] }

/** Who stands behind a session now; null when it has ended. */
export async function callerOfSession({ config }: Context, sql: Sql, claims: Claims, now: Date): Promise<Caller | null> {
  const { userId, sessionId, assumedUserId } = claims
  const session = await findSession(sql, userId, sessionId)
  if (!session || session.assumed_user_id !== assumedUserId) return null
  if (!session.revoked_at && (await endLostSessions(sql, session, claims, now))) return null
  if (!isAlive(session, now)) return null
  if (isToBeTouched(session, now)) await touchSession(sql, userId, sessionId, now)
  return callerOf(session, claims, config)
}

/**
 * Ends for good what stands on something that was taken away: an enabled account, a role, the right to assume, a borrower's account. Without
 * this the same token would work again as soon as it is given back.
 *
 * @returns whether the session was one of those: it answers nothing more, this request included.
 */
async function endLostSessions(sql: Sql, session: SessionRow, { userId, sessionId, roles = [] }: Claims, now: Date): Promise<boolean> {
  const hasLostRole = session.kind === 'staff' && roles.includes(assumeRole) && !isStaff(session)
  const hasLostAssuming = session.assumed_user_id !== null && !mayStillAssume(session, now)
  if (session.disabled_at || hasLostRole) await revokeAllSessions(sql, userId, now)
  else if (hasLostAssuming) await revokeSessions(sql, userId, [sessionId], now)
  return session.disabled_at !== null || hasLostRole || hasLostAssuming
}

const isToBeTouched = ({ last_seen_at }: SessionRow, now: Date): boolean => now.getTime() - last_seen_at.getTime() >= touchIntervalMs

const callerOf = (session: SessionRow, { userId, sessionId, assumedUserId }: Claims, { staff }: Config): Caller => ({
  borrowerId: assumedUserId ?? (session.kind === 'borrower' ? userId : null),
  actorId: userId,
  sessionId,
  isStaff: isStaff(session),
  permissions: permissionsOf(session, staff.assumeProfile),
})

const nobodyAssumed = {
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
  return session.assumed_user_id === null || mayStillAssume(session, now)
}

/** Assuming ends with the staff member's own session, role or permission, and with the borrower's account. */
function mayStillAssume(session: SessionRow, now: Date): boolean {
  const parentStands = session.parent_expires_at !== null && now < session.parent_expires_at && session.parent_revoked_at === null
  const borrowerStands = session.assumed_kind === 'borrower' && session.assumed_disabled_at === null
  return parentStands && isStaff(session) && session.permissions.includes('user:assume') && borrowerStands
}

const isStaff = ({ kind, roles }: Pick<SessionRow, 'kind' | 'roles'>): boolean => kind === 'staff' && roles.includes(assumeRole)

/** What staff keep of a borrower's permissions while they act for one. */
const viewable: readonly Permission[] = ['document:read']

/** While assuming: the borrower's, cut to the profile, and `user:assume` to go on to another (decision 31). No borrower ever has that one. */
function permissionsOf(session: SessionRow, profile: 'act' | 'view'): Permission[] {
  if (session.kind === 'staff' && session.assumed_user_id === null) return known(session.permissions)
  const borrowers = known(session.assumed_permissions ?? session.permissions).filter((permission) => permission !== 'user:assume')
  if (session.assumed_user_id === null) return borrowers
  return [...(profile === 'act' ? borrowers : borrowers.filter((permission) => viewable.includes(permission))), 'user:assume']
}

function known(permissions: readonly string[]): Permission[] {
  return knownPermissions.filter((permission) => permissions.includes(permission))
}
