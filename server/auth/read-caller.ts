import { assumeRole, permissions as knownPermissions, type Permission } from '#contract/permissions.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Caller } from '../http/caller.ts'
import { Failure } from '../http/failure.ts'
import { findSession, touchSession, type SessionRow } from './session-store.ts'
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
  const token = /^Bearer ([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw ended()
  const now = context.clock.now()
  const claims = await verifyToken(context.config.signIn.tokenKeys, token, now)
  if (!claims) throw ended()
  return context.database.asSystem(async (sql) => {
    const caller = await callerOfSession(context, sql, claims, now)
    if (!caller) throw ended()
    return then(sql, caller, now)
  })
}

/** Who stands behind a session now; null when it has ended. */
export async function callerOfSession(
  { config }: Context,
  sql: Sql,
  { userId, sessionId, assumedUserId }: { userId: string; sessionId: string; assumedUserId: string | null },
  now: Date,
): Promise<Caller | null> {
  const session = await findSession(sql, userId, sessionId)
  if (!session || session.assumed_user_id !== assumedUserId || !isAlive(session, now)) return null
  if (now.getTime() - session.last_seen_at.getTime() >= touchIntervalMs) await touchSession(sql, userId, sessionId, now)
  return {
    borrowerId: assumedUserId ?? (session.kind === 'borrower' ? userId : null),
    actorId: userId,
    sessionId,
    isStaff: isStaff(session),
    permissions: permissionsOf(session, config.staff.assumeProfile),
  }
}

const ended = () => new Failure('AuthSessionExpired', 'Your session has ended. Please sign in again.')

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
