import { logAccess } from '../access-log.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Sql } from '../database/connect.ts'

type Read = { borrowerId: string; lan: string | null; call: string; reader: string; origin: Origin; now: Date }

/** Records that staff read a loan, with the reader's name (decision 62). */
export const logRead = (
  sql: Sql,
  { actorId, sessionId }: Pick<Caller, 'actorId' | 'sessionId'>,
  { borrowerId, lan, call, reader, origin, now }: Read,
): Promise<void> =>
  logAccess(sql, {
    at: now,
    subjectId: borrowerId,
    actorId,
    action: 'profile_viewed',
    outcome: 'done',
    origin: { ...origin, sessionId },
    detail: { call, lan, reader },
  })
