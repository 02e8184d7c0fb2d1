import type { endAssume as call } from '#contract/users.ts'
import { logAccess } from '../access-log.ts'
import { lockOpenSessionWithOwn } from '../auth/read-caller.ts'
import { revokeSessions, touchSession } from '../auth/session-store.ts'
import { signToken } from '../auth/token.ts'
import { findUserById, userOnWire } from '../auth/user-store.ts'
import type { UseCase } from '../http/route.ts'
import { notFound } from '../http/failure.ts'

/**
 * Ends an assumed session and returns a token of the staff member's own session (decision 16) with
 * its remaining lifetime, only while that session is open (decision 63). Without an assumed session
 * it answers the same. The access log records both.
 *
 * @throws Failure AuthSessionExpired if another request ended the calling session or the staff
 * member's own meanwhile.
 */
export const endAssume: UseCase<typeof call> = async (context, { actorId, sessionId }, { origin }) => {
  const { staff, own } = await context.database.asSystem(async (sql) => {
    const { session, own, now } = await lockOpenSessionWithOwn(context, sql, { actorId, sessionId })
    const staff = await findUserById(sql, actorId)
    if (!staff) throw notFound()
    const entry = { at: now, actorId, origin, outcome: 'done' } as const
    const detail = { session_id: sessionId, staff_session_id: own.session_id, staff_session_ends_at: own.expires_at.toISOString() }
    if (session.assumed_user_id === null) await logAccess(sql, { ...entry, subjectId: actorId, action: 'staff_session_resumed', detail })
    else {
      await revokeSessions(sql, actorId, [sessionId], now)
      // The own session had no requests, but its owner was active.
      await touchSession(sql, actorId, own.session_id, now)
      await logAccess(sql, { ...entry, subjectId: session.assumed_user_id, action: 'assume_ended', detail })
    }
    return { staff, own }
  })
  const token = await signToken(context.config.signIn.tokenKeys, {
    userId: actorId,
    sessionId: own.session_id,
    roles: staff.roles,
    assumedUserId: null,
    // The token of the sign-in once more, so that the limits of a session count one token.
    issuedAt: own.created_at,
    expiresAt: own.expires_at,
  })
  return { token, user: userOnWire(staff) }
}
