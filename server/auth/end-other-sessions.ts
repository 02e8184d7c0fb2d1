import type { endOtherSessions as call } from '#contract/sessions.ts'
import { logAccesses } from '../access-log.ts'
import { addNotice } from '../add-notice.ts'
import { executeTogether } from '../database/statement.ts'
import type { UseCase } from '../http/route.ts'
import { readDeviceHash } from './device-cookie.ts'
import { forgetDevices } from './device-store.ts'
import { endAssumedSessions } from './end-sessions.ts'
import { idleMsMax } from './read-caller.ts'
import { openSessions, revokeSessions } from './session-store.ts'

/**
 * Ends one or every other session of the caller, with the sessions in which staff act as a borrower
 * from there. If all end, every other device becomes unknown; which device one session runs on is
 * not known.
 */
export const endOtherSessions: UseCase<typeof call> = async (
  { clock, config, database },
  { actorId, borrowerId, sessionId },
  { query, origin, deviceCookie },
) => {
  const at = clock.now()
  const one = query.session_id?.toLowerCase()
  const ownDevice = readDeviceHash(config.signIn.deviceKey, deviceCookie.value, actorId)
  const ended = await database.asSystem(async (sql) => {
    const seenSince = new Date(at.getTime() - idleMsMax)
    // The devices before the sessions, as everywhere.
    const forgotten = one === undefined ? await forgetDevices(sql, actorId, { except: ownDevice }, at) : { devices: 0, codes: 0 }
    const [open] = await executeTogether(sql, [openSessions.with({ userId: actorId, now: at, seenSince })])
    const others = open.map((row) => row.session_id).filter((id) => id !== sessionId && (one === undefined || id === one))
    const count = others.length === 0 ? 0 : await revokeSessions(sql, actorId, others, at)
    const assumed = count === 0 ? [] : await endAssumedSessions(sql, { userId: actorId, of: 'signIns', ids: others }, { at, origin })
    const entry = { at, subjectId: actorId, actorId, outcome: 'done', origin } as const
    if (count + forgotten.devices + forgotten.codes > 0)
      await logAccesses(sql, [...assumed, { ...entry, action: 'other_sessions_ended', detail: { ended: count, ...forgotten } }])
    if (count > 0 && borrowerId === actorId)
      await addNotice(sql, { borrowerId, about: `sessions_ended:${sessionId}:${at.getTime()}`, kind: 'sessions_ended' }, at)
    return count
  })
  return { success: true, ended }
}
