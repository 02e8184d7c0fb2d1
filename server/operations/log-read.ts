import { logAccess, logAction, type AccessEntry } from '../access-log.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Sql } from '../database/connect.ts'

type Read = { borrowerId: string; lan: string | null; call: string; reader: string; origin: Origin; now: Date }

/** Records that staff read a loan, with the reader's name (decision 62). */
export const logRead = (
  sql: Sql,
  { actorId, sessionId }: Pick<Caller, 'actorId' | 'sessionId'>,
  { borrowerId, lan, call, reader, origin, now }: Read,
): Promise<void> => logAction(sql, { borrowerId, actorId, origin: { ...origin, sessionId }, now }, 'profile_viewed', { call, lan, reader })

type Page = { detail: NonNullable<AccessEntry['detail']>; origin: Origin; now: Date }

/** Records in the reader's own log that staff read a page of a list, and which (decision 62). */
export const logPage = (
  sql: Sql,
  { actorId, sessionId }: Pick<Caller, 'actorId' | 'sessionId'>,
  { detail, origin, now }: Page,
): Promise<void> =>
  logAccess(sql, {
    at: now,
    subjectId: actorId,
    actorId,
    action: 'operations_listed',
    outcome: 'done',
    origin: { ...origin, sessionId },
    detail,
  })
