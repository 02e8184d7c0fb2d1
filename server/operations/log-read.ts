import { logAccess, logAction, type AccessEntry } from '../access-log.ts'
import { findUserById, nameOf, type UserRow } from '../auth/user-store.ts'
import type { Caller, Origin } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { noBorrowerId } from '../payments/review-store.ts'
import { alertOfManyReads } from '../staff/read-user.ts'

/** `about`: the loan; null if nothing was read. `reader`: the caller, if `read` has found them. */
type Read<T> = { answer: T; about: { borrower_id: string; lan: string | null } | null; reader?: UserRow }

/**
 * Runs a read of a loan by staff. The borrower's access log gets an entry with the reader's name in
 * the same transaction, and a reader of many raises an alert (decision 62).
 */
export async function readAndLog<T>(
  context: Context,
  { actorId, sessionId }: Pick<Caller, 'actorId' | 'sessionId'>,
  { call, origin }: { call: string; origin: Origin },
  read: (sql: Sql, now: Date) => Promise<Read<T>>,
): Promise<T> {
  const now = context.clock.now()
  const { answer, about } = await context.database.asSystem(async (sql) => {
    const done = await read(sql, now)
    const reader = done.reader ?? (await findUserById(sql, actorId))
    if (!reader) throw notFound()
    if (done.about === null || done.about.borrower_id === noBorrowerId) return done
    const { borrower_id: borrowerId, lan } = done.about
    const act = { borrowerId, actorId, origin: { ...origin, sessionId }, now }
    await logAction(sql, act, 'profile_viewed', { call, lan, reader: nameOf(reader) })
    return done
  })
  if (about !== null) await alertOfManyReads(context, actorId, now)
  return answer
}

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
