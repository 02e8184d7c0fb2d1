import type { Sql } from '../database/connect.ts'

/** One time that staff acted as a borrower, as the access log tells it. */
export type Assumption = {
  sessionId: string
  startedAt: Date
  endedAt: Date | null
  expiresAt: Date
  reason: string
  acts: { action: string; firstAt: Date; times: number }[]
}

/** The latest of them, newest first. */
export async function assumptionsOf(sql: Sql, borrowerId: string, limit: number): Promise<Assumption[]> {
  const started = await sql
    .selectFrom('access_log')
    .select(['session_id', 'at', 'detail'])
    .where('subject_id', '=', borrowerId)
    .where('action', '=', 'assume_started')
    .where('session_id', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
  const sessionIds = started.flatMap((row) => row.session_id ?? [])
  if (sessionIds.length === 0) return []
  const acts = await sql
    .selectFrom('access_log')
    .select(({ fn }) => ['session_id', 'action', fn.min('at').as('first_at'), fn.countAll().as('times')])
    .where('subject_id', '=', borrowerId)
    .where('session_id', 'in', sessionIds)
    .where('outcome', '=', 'done')
    .groupBy(['session_id', 'action'])
    .orderBy('first_at')
    .execute()
  return started.map(({ session_id: sessionId, at, detail }) => {
    const own = acts.filter((act) => act.session_id === sessionId)
    const { reason, expires_at: expiresAt } = detail as { reason: string; expires_at: string }
    return {
      sessionId: sessionId ?? '',
      startedAt: at,
      endedAt: own.find(({ action }) => action === 'assume_ended')?.first_at ?? null,
      expiresAt: new Date(expiresAt),
      reason,
      acts: own.map(({ action, first_at: firstAt, times }) => ({ action, firstAt, times: Number(times) })),
    }
  })
}
