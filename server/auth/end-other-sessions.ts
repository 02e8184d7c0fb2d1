import type { endOtherSessions as call } from '#contract/staff.ts'
import { logAccess } from '../access-log.ts'
import type { UseCase } from '../http/route.ts'
import { deviceHashOf } from './device-cookie.ts'
import { forgetDevices } from './device-store.ts'
import { idleMsMax } from './read-caller.ts'
import { livingSessions, revokeSessions } from './session-store.ts'

/**
 * Ends every other sign-in of the caller, and with a staff member's what acts as a borrower from there. Every other device becomes an
 * unknown one.
 */
export const endOtherSessions: UseCase<typeof call> = async (
  { clock, config, database },
  { actorId, sessionId },
  { origin, deviceCookie },
) => {
  const at = clock.now()
  const ownDevice = deviceHashOf(config.signIn.deviceKey, deviceCookie.value, actorId)
  const ended = await database.asSystem(async (sql) => {
    const living = await livingSessions(sql, actorId, { now: at, idleMsMax })
    const others = living.map((row) => row.session_id).filter((id) => id !== sessionId)
    const count = others.length === 0 ? 0 : await revokeSessions(sql, actorId, others, at)
    await forgetDevices(sql, actorId, { except: ownDevice })
    const entry = { at, subjectId: actorId, actorId, outcome: 'done', origin } as const
    if (count > 0) await logAccess(sql, { ...entry, action: 'other_sessions_ended', detail: { ended: count } })
    return count
  })
  return { success: true, ended }
}
