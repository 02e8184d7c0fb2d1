import type { listSessions as call } from '#contract/sessions.ts'
import { defineReading } from '../http/reading.ts'
import { idleMsMax } from './read-caller.ts'
import { openSessions } from './session-store.ts'

/** Lists the sessions of the caller. */
export const listSessions = defineReading<typeof call>()(
  (userId, _request, { now }) => [openSessions.with({ userId, now, seenSince: new Date(now.getTime() - idleMsMax) })],
  (_context, { sessionId }, _request, [sessions]) => ({
    sessions: sessions.map((row) => ({
      session_id: row.session_id,
      created_at: row.created_at,
      last_seen_at: row.last_seen_at,
      user_agent: row.user_agent ?? '',
      is_current: row.session_id === sessionId,
    })),
  }),
)
