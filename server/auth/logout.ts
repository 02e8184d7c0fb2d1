import type { logout as call } from '#contract/auth.ts'
import { logAccess } from '../access-log.ts'
import type { UseCase } from '../http/route.ts'
import { revokeSession } from './session-store.ts'

/** Ends the session of the token: its next request, from wherever, is a 401. */
export const logout: UseCase<typeof call> = async (context, { actorId, borrowerId, sessionId }, { origin }) => {
  const at = context.clock.now()
  await context.database.asSystem(async (sql) => {
    await revokeSession(sql, actorId, sessionId, at)
    await logAccess(sql, {
      at,
      subjectId: borrowerId ?? actorId,
      actorId,
      action: 'sign_out',
      outcome: 'done',
      origin,
      detail: { session_id: sessionId },
    })
  })
  return { success: true }
}
