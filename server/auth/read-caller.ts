import { assumeRole, permissions as knownPermissions, type Permission } from '#contract/permissions.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { Failure } from '../http/failure.ts'
import { findSession, touchSession, type SessionRow } from './session-store.ts'
import { verifyToken } from './token.ts'

/** A session nobody used for so long has ended (decision 48). */
const idleMsMax = 30 * 60_000
/** Being seen is written down at most this often. */
const touchIntervalMs = 60_000

/**
 * Who a request comes from. The token only names a session; whether it still stands, and what it may do, is asked of the
 * database each time, so that signing out, disabling and a lost role act at the next request (decision 4).
 *
 * @throws Failure AuthSessionExpired for anything that is not a living session, without saying what is wrong with it.
 */
export async function readCaller(context: Context, authorization: string | undefined): Promise<Caller> {
  const token = /^Bearer ([\w.-]{1,4096})$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw ended()
  const now = context.clock.now()
  const claims = await verifyToken(context.config.signIn.tokenKeyPem, token, now)
  if (!claims) throw ended()
  const { userId, sessionId, assumedUserId } = claims
  const session = await context.database.asSystem(async (sql) => {
    const row = await findSession(sql, userId, sessionId)
    if (!row || row.assumed_user_id !== assumedUserId || !isAlive(row, now)) throw ended()
    if (now.getTime() - row.last_seen_at.getTime() >= touchIntervalMs) await touchSession(sql, userId, sessionId, now)
    return row
  })
  const borrowerId = assumedUserId ?? (session.kind === 'borrower' ? userId : null)
  return { borrowerId, actorId: userId, sessionId, permissions: permissionsOf(session) }
}

const ended = () => new Failure('AuthSessionExpired', 'Your session has ended. Please sign in again.')

function isAlive(session: SessionRow, now: Date): boolean {
  if (session.revoked_at || session.disabled_at || now >= session.expires_at) return false
  if (now.getTime() - session.last_seen_at.getTime() > idleMsMax) return false
  return session.assumed_user_id === null || mayStillAssume(session)
}

/** Assuming ends with the staff member's role or permission, and with the borrower's account. */
function mayStillAssume(session: SessionRow): boolean {
  const staffMay = session.kind === 'staff' && session.roles.includes(assumeRole) && session.permissions.includes('user:assume')
  return staffMay && session.assumed_kind === 'borrower' && session.assumed_disabled_at === null
}

/** While assuming: the borrower's, and `user:assume` to go on to another (decision 31). No borrower ever has that one. */
function permissionsOf(session: SessionRow): Permission[] {
  if (session.kind === 'staff' && session.assumed_user_id === null) return known(session.permissions)
  const borrowers = known(session.assumed_permissions ?? session.permissions).filter((permission) => permission !== 'user:assume')
  return session.assumed_user_id === null ? borrowers : [...borrowers, 'user:assume']
}

function known(permissions: readonly string[]): Permission[] {
  return knownPermissions.filter((permission) => permissions.includes(permission))
}
