import { logAccesses, type AccessEntry } from '../access-log.ts'
import type { Origin } from '../caller.ts'
import type { Sql } from '../database/connect.ts'
import { lockAssumedSessions, lockOpenSessions, revokeSessions, type AssumedSessions } from './session-store.ts'

/**
 * Revokes open sessions in which a staff member acts for a borrower; they also end with the staff
 * member's sign-in. The caller logs the returned entries: from them the borrower sees when the
 * staff session ended.
 *
 * @param origin the request that ends them; absent if no request does.
 */
export async function endAssumedSessions(
  sql: Sql,
  which: AssumedSessions,
  { at, origin }: { at: Date; origin?: Origin },
): Promise<AccessEntry[]> {
  const { userId: actorId } = which
  const ended = await lockAssumedSessions(sql, which, at)
  const ids = ended.map(({ sessionId }) => sessionId)
  if (ids.length > 0) await revokeSessions(sql, actorId, ids, at)
  return ended.map(({ sessionId, borrowerId }) => ({
    at,
    subjectId: borrowerId,
    actorId,
    action: 'assume_ended',
    outcome: 'done',
    origin: { ...origin, sessionId },
    detail: { session_id: sessionId },
  }))
}

/** Revokes every session of a person. @returns the number of those that were open. */
export async function revokeAllSessions(sql: Sql, userId: string, at: Date): Promise<number> {
  const open = await lockOpenSessions(sql, userId)
  if (open.length === 0) return 0
  const ended = await endAssumedSessions(sql, { userId, of: 'person' }, { at })
  await revokeSessions(sql, userId, open, at)
  await logAccesses(sql, ended)
  return open.length
}

/** Revokes a session in which a staff member may no longer act for the borrower. */
export async function revokeAssumedSession(sql: Sql, userId: string, sessionId: string, at: Date): Promise<void> {
  await logAccesses(sql, await endAssumedSessions(sql, { userId, of: 'session', id: sessionId }, { at }))
}
