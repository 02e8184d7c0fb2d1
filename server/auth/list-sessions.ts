import type { listSessions as call } from '#contract/staff.ts'
import type { UseCase } from '../http/route.ts'
import { idleMsMax } from './read-caller.ts'
import { findOpenSessions } from './session-store.ts'

/** Lists the sessions of the caller. */
export const listSessions: UseCase<typeof call> = async ({ clock, database }, { actorId, sessionId }) => {
  const rows = await database.asSystem((sql) => findOpenSessions(sql, actorId, { now: clock.now(), idleMsMax }))
  return {
    sessions: rows.map((row) => ({
      session_id: row.session_id,
      created_at: row.created_at,
      last_seen_at: row.last_seen_at,
      user_agent: row.user_agent ?? '',
      is_current: row.session_id === sessionId,
    })),
  }
}
