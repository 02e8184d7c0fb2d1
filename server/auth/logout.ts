import type { logout as call } from '#contract/auth.ts'
import { logAccess } from '../access-log.ts'
import type { UseCase } from '../http/route.ts'
import { isAssuming } from '../caller.ts'
import { lockSessionWithOwn, revokeSessions } from './session-store.ts'

/**
 * Ends the session of the token; its next request gets 401. While staff act as a borrower, their
 * own session ends too.
 */
export const logout: UseCase<typeof call> = async (context, caller, { origin }) => {
  const { actorId, borrowerId, sessionId } = caller
  const at = context.clock.now()
  await context.database.asSystem(async (sql) => {
    const { own } = await lockSessionWithOwn(sql, actorId, sessionId)
    await revokeSessions(sql, actorId, [own.session_id, sessionId], at)
    await logAccess(sql, {
      at,
      subjectId: borrowerId ?? actorId,
      actorId,
      action: isAssuming(caller) ? 'assume_ended' : 'sign_out',
      outcome: 'done',
      origin,
      detail: { session_id: sessionId },
    })
  })
  return { success: true }
}
