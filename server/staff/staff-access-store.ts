import type { Sql } from '../database/connect.ts'

/** One assumed session, as recorded in the access log. */
export type Assumption = {
  sessionId: string
  startedAt: Date
  endedAt: Date | null
  expiresAt: Date
  reason: string
  acts: { action: string; firstAt: Date; times: number }[]
}

/** Finds the latest assumed sessions of a borrower, newest first. */
export async function findAssumptions(sql: Sql, borrowerId: string, limit: number): Promise<Assumption[]> {
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

/** Reads of a borrower's profile in one staff session that did not act for that borrower. */
export type ProfileRead = { firstAt: Date; lastAt: Date; times: number }

/** Finds the latest staff reads of a borrower's profile, newest first. */
export async function findProfileReads(sql: Sql, borrowerId: string, limit: number): Promise<ProfileRead[]> {
  const reads = await sql
    .selectFrom('access_log as read')
    .select(({ fn }) => [fn.min('read.at').as('first_at'), fn.max('read.at').as('last_at'), fn.countAll().as('times')])
    .where('read.subject_id', '=', borrowerId)
    .where('read.action', '=', 'profile_viewed')
    .where('read.outcome', '=', 'done')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('access_log as started')
            .select('started.entry_id')
            .where('started.subject_id', '=', borrowerId)
            .where('started.action', '=', 'assume_started')
            .whereRef('started.session_id', '=', 'read.session_id'),
        ),
      ),
    )
    .groupBy('read.session_id')
    .orderBy('last_at', 'desc')
    .limit(limit)
    .execute()
  return reads.map(({ first_at: firstAt, last_at: lastAt, times }) => ({ firstAt, lastAt, times: Number(times) }))
}

/** Counts the borrowers whose profiles a staff member has read since a time. */
export async function countProfilesRead(sql: Sql, actorId: string, since: Date): Promise<number> {
  const { count } = await sql
    .selectFrom('access_log')
    .select(({ fn }) => fn.count<bigint>('subject_id').distinct().as('count'))
    .where('actor_id', '=', actorId)
    .where('action', '=', 'profile_viewed')
    .where('at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}
