import type { endAssume as call } from '#contract/staff.ts'
import { logAccess } from '../access-log.ts'
import { lockSession, revokeSessions, touchSession } from '../auth/session-store.ts'
import { signToken } from '../auth/token.ts'
import { findUserById, userOnWire } from '../auth/user-store.ts'
import type { UseCase } from '../http/route.ts'
import { notFound } from '../http/failure.ts'

/**
 * Ends the session that acts as a borrower and gives the staff member's own back (decision 16): the same one, with its own end. A
 * second press finds nobody acted for and gets the same answer.
 */
export const endAssume: UseCase<typeof call> = async (context, { actorId, sessionId }, { origin }) => {
  const now = context.clock.now()
  const { staff, own } = await context.database.asSystem(async (sql) => {
    const current = await lockSession(sql, actorId, sessionId)
    const own = await lockSession(sql, actorId, current.parent_session_id ?? sessionId)
    const staff = await findUserById(sql, actorId)
    if (!staff) throw notFound()
    if (current.assumed_user_id !== null) {
      await revokeSessions(sql, actorId, [sessionId], now)
      // It rested meanwhile, but its holder did not.
      await touchSession(sql, actorId, own.session_id, now)
      const entry = { at: now, subjectId: current.assumed_user_id, actorId, origin } as const
      await logAccess(sql, { ...entry, action: 'assume_ended', outcome: 'done', detail: { session_id: sessionId } })
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
