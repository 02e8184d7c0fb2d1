import type { endAssume as call } from '#contract/staff.ts'
import { logAccess } from '../access-log.ts'
import { sessionEnded } from '../auth/read-caller.ts'
import { lockSessionWithOwn, revokeSessions, touchSession } from '../auth/session-store.ts'
import { signToken } from '../auth/token.ts'
import { findUserById, userOnWire } from '../auth/user-store.ts'
import type { UseCase } from '../http/route.ts'
import { notFound } from '../http/failure.ts'

/**
 * Ends the session that acts as a borrower and gives the staff member's own back (decision 16): a
 * token of the same sign-in, with what is left of its life, only while that sign-in is alive
 * (decision 63). Asked for while nobody is acted for, it answers the same. Both are entries of the
 * access log.
 *
 * @throws Failure AuthSessionExpired where another request ended the session that asks, or the
 * sign-in behind it, meanwhile.
 */
export const endAssume: UseCase<typeof call> = async (context, { actorId, sessionId }, { origin }) => {
  const now = context.clock.now()
  const { staff, own } = await context.database.asSystem(async (sql) => {
    const { session, own } = await lockSessionWithOwn(sql, actorId, sessionId)
    if (session.revoked_at || own.revoked_at || now >= own.expires_at) throw sessionEnded()
    const staff = await findUserById(sql, actorId)
    if (!staff) throw notFound()
    const entry = { at: now, actorId, origin, outcome: 'done' } as const
    const detail = { session_id: sessionId, staff_session_id: own.session_id, staff_session_ends_at: own.expires_at.toISOString() }
    if (session.assumed_user_id === null) await logAccess(sql, { ...entry, subjectId: actorId, action: 'staff_session_resumed', detail })
    else {
      await revokeSessions(sql, actorId, [sessionId], now)
      // It rested meanwhile, but its holder did not.
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
    issuedAt: now,
    expiresAt: own.expires_at,
  })
  return { token, user: userOnWire(staff) }
}
