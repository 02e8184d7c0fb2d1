import { sql as raw, type QueryCreator } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { DB } from '../database/schema.generated.ts'
import { statement, type RowsOf } from '../database/statement.ts'

/** One assumed session, as recorded in the access log. */
export type Assumption = {
  sessionId: string
  startedAt: Date
  endedAt: Date | null
  expiresAt: Date
  reason: string
  acts: { action: string; firstAt: Date; times: number }[]
}

/** The number of assumed sessions, and of staff sessions that read the profile, that are shown. */
export const accessesMax = 100

/** The starts of a borrower's latest assumed sessions, newest first. */
const selectStarts = (sql: QueryCreator<DB>, borrowerId: string) =>
  sql
    .selectFrom('access_log')
    .select(['session_id', 'at', 'detail'])
    .where('subject_id', '=', borrowerId)
    .where('action', '=', 'assume_started')
    .where('session_id', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(accessesMax)

export const assumptionStarts = statement<{ borrowerId: string }>()((sql, { borrowerId }) => selectStarts(sql, borrowerId))

/** What staff did in the sessions of {@link assumptionStarts}. */
export const assumptionActs = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('access_log')
    .select(({ fn }) => ['session_id', 'action', fn.min('at').as('first_at'), fn.countAll().as('times')])
    .where('subject_id', '=', borrowerId)
    .where('session_id', 'in', sql.selectFrom(selectStarts(sql, borrowerId).as('started')).select('started.session_id'))
    .where('outcome', '=', 'done')
    .groupBy(['session_id', 'action'])
    .orderBy('first_at'),
)

/** Builds the assumed sessions from the rows of both statements. */
export const buildAssumptions = (
  starts: RowsOf<[ReturnType<typeof assumptionStarts.with>]>[0],
  acts: RowsOf<[ReturnType<typeof assumptionActs.with>]>[0],
): Assumption[] =>
  starts.map(({ session_id: sessionId, at, detail }) => {
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

/** The support team reads the profile; everything else is read for operations. */
const isSupportRead = raw<boolean>`read.detail ->> 'call' = 'readUser'`

/**
 * The latest reads of a borrower's profile by staff sessions that did not act for that borrower,
 * newest first.
 */
export const profileReads = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('access_log as read')
    .select(({ fn }) => [
      fn.min('read.at').as('first_at'),
      fn.max('read.at').as('last_at'),
      fn.countAll().as('times'),
      isSupportRead.as('is_support'),
    ])
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
    .groupBy(['read.session_id', isSupportRead])
    .orderBy('last_at', 'desc')
    .limit(accessesMax),
)

/** The latest operations on the borrower's loans, newest first. */
export const executedOperations = statement<{ borrowerId: string }>()((sql, { borrowerId }) =>
  sql
    .selectFrom('operation_proposals')
    .select(['kind', 'lan', 'amount_paise', 'reason', 'decided_at'])
    .where('borrower_id', '=', borrowerId)
    .where('state', '=', 'executed')
    .orderBy('decided_at', 'desc')
    .limit(accessesMax),
)

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
