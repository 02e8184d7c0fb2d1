import type { logout as call } from '#contract/auth.ts'
import { logAccesses } from '../access-log.ts'
import type { UseCase } from '../http/route.ts'
import { endAssumedSessions } from './end-sessions.ts'
import { lockSessionWithOwn, revokeSessions } from './session-store.ts'

/**
 * Ends the session of the token; its next request gets 401. Of staff, their own session and the one
 * in which they act as a borrower end together.
 */
export const logout: UseCase<typeof call> = async (context, caller, { origin }) => {
  const { actorId, sessionId } = caller
  await context.database.asSystem(async (sql) => {
    const { own } = await lockSessionWithOwn(sql, actorId, sessionId)
    const at = context.clock.now()
    await revokeSessions(sql, actorId, [own.session_id], at)
    const which = { userId: actorId, of: 'signIns', ids: [own.session_id] } as const
    const ended = caller.isStaff ? await endAssumedSessions(sql, which, { at, origin }) : []
    const entry = { at, subjectId: actorId, actorId, action: 'sign_out', outcome: 'done' } as const
    const ofOwn = { origin: { ...origin, sessionId: own.session_id }, detail: { session_id: own.session_id } }
    await logAccesses(sql, [...ended, { ...entry, ...ofOwn }])
  })
  return { success: true }
}
