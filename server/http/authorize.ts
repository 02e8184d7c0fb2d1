import { accessTable, type AccessRow } from '#contract/access.ts'
import type { ErrorCode } from '#contract/errors.ts'
import type * as contract from '#contract/index.ts'
import { entryStatement, logAccess, type AccessEntry } from '../access-log.ts'
import type { Context, LimitConcurrency } from '../context.ts'
import type { Row as DatabaseRow } from '../database/pipeline.ts'
import type { Bound } from '../database/statement.ts'
import { isAssuming, type Caller, type ClaimedSession, type Origin } from '../caller.ts'
import { Failure, notFound } from './failure.ts'

export type CallName = keyof typeof contract
export type Row = AccessRow<(typeof contract)[CallName]['access']>

/**
 * Authorizes a request by the access table. A request of staff who act as a borrower is written to
 * the access log in the transaction that reads the session, so no answer is sent without its log
 * entry.
 *
 * @param note receives the caller as soon as it is known, authorized or not.
 * @returns null for a public call.
 * @throws Failure AuthSessionExpired, PermissionDenied, or NotFound if the caller has no borrower.
 */
export async function authorize(
  context: Context,
  { name, method }: { name: CallName; method: string },
  authorization: string | undefined,
  origin: Origin,
  note: (caller: Caller) => void,
): Promise<Caller | null> {
  const row = getAccessRow(name)
  if (row.needs === 'public') return null
  const { caller, refusal } = await context.callers.readCaller(context, authorization, async (sql, caller, at) => {
    note(caller)
    const refusal = refuse(row, caller)
    if (refusal?.code === 'PermissionDenied' || (isAssuming(caller) && !row.writesAccessLogEntry))
      await logAccess(sql, createEntry(row, { name, method }, { ...caller, now: at }, refusal, origin))
    return { caller, refusal }
  })
  if (refusal) throw refusal
  return caller
}

/**
 * Authorizes a request once more, after its form has arrived: that can take minutes, in which the
 * session can end or lose its permission. Writes no entry.
 *
 * @throws Failure as {@link authorize} does.
 */
export async function reauthorize(context: Context, { name }: { name: CallName }, authorization: string | undefined): Promise<void> {
  const refusal = await context.callers.readCaller(context, authorization, (_sql, caller) =>
    Promise.resolve(refuse(getAccessRow(name), caller)),
  )
  if (refusal) throw refusal
}

/** Who asks: `note` receives the caller as soon as it is known, authorized or not. */
export type Asker = { authorization: string | undefined; origin: Origin; note: (caller: Caller) => void; limit?: LimitConcurrency }

/**
 * Authorizes a call that only reads, and runs its statements in the same round trip. The entry of
 * staff who act as a borrower is one of them: all of them commit together or none does.
 *
 * @returns the caller and the rows of the call's own statements.
 * @throws Failure as {@link authorize} does.
 */
export async function authorizeRead(
  context: Context,
  { name, method }: { name: CallName; method: string },
  { authorization, origin, note, limit }: Asker,
  readsOf: (ownerId: string, session: ClaimedSession) => readonly Bound<unknown>[],
): Promise<{ caller: Caller; rows: DatabaseRow[][] }> {
  const row = getAccessRow(name)
  const { scope } = row
  if (scope === 'nobody') throw new Error(`${name} reads with a session but is public`)
  let entryIndex = -1
  const { caller, rows, now } = await context.callers.readCallerWith(
    context,
    { authorization, scope, ...(limit && { limit }) },
    (session) => {
      const { actorId, borrowerId } = session
      const reads = [...readsOf(scope === 'borrower' ? (borrowerId ?? actorId) : actorId, session)]
      if (borrowerId === null || row.isRefusedWhileAssuming || row.writesAccessLogEntry) return reads
      // A read may write an entry about the actor itself; entries are written in one order of their
      // subjects, as in logAccesses.
      entryIndex = borrowerId < actorId ? 0 : reads.length
      return reads.toSpliced(entryIndex, 0, entryStatement(createEntry(row, { name, method }, session, null, origin)))
    },
  )
  note(caller)
  const refusal = refuse(row, caller)
  if (refusal?.code === 'PermissionDenied') {
    const entry = createEntry(row, { name, method }, { ...caller, now }, refusal, origin)
    await context.database.asSystem((sql) => logAccess(sql, entry))
  }
  if (refusal) throw refusal
  if (entryIndex === -1) return { caller, rows }
  if (rows[entryIndex]?.length !== 1) throw new Error(`The access log has no entry of ${name}`)
  return { caller, rows: rows.toSpliced(entryIndex, 1) }
}

/**
 * Whether a call was refused to the person who made it: without the permission, or because another
 * person has to decide. Each such refusal is an entry of the access log.
 */
export const isRefusedPerson = (code: ErrorCode): boolean => code === 'PermissionDenied' || code === 'FourEyes'

/**
 * Writes the entry of an authorized request that its use case refused to the person. Without the
 * entry there is no answer but that of the failure, as in {@link authorize}.
 */
export async function logRefusedPerson(
  { database, clock }: Context,
  call: { name: CallName; method: string },
  caller: Caller | null,
  error: unknown,
  origin: Origin,
): Promise<void> {
  if (caller === null || !(error instanceof Failure) || !isRefusedPerson(error.code)) return
  const entry = createEntry(getAccessRow(call.name), call, { ...caller, now: clock.now() }, error, origin)
  await database.asSystem((sql) => logAccess(sql, entry))
}

/** The entry of a denied request, or of one that staff make for a borrower. */
function createEntry(
  { staffAct }: Row,
  { name, method }: { name: CallName; method: string },
  { borrowerId, actorId, sessionId, now }: ClaimedSession,
  refusal: Failure | null,
  origin: Origin,
): AccessEntry {
  return {
    at: now,
    subjectId: borrowerId ?? actorId,
    actorId,
    action: refusal ? 'access_refused' : method === 'GET' && staffAct !== null ? staffAct : 'staff_request',
    outcome: refusal ? 'refused' : 'done',
    origin: { ...origin, sessionId },
    detail: { call: name },
  }
}

/** Denies by default: a call without a row is refused, even if it compiles. */
function getAccessRow(name: CallName): Row {
  const row: Row | undefined = Object.hasOwn(accessTable, name) ? accessTable[name] : undefined
  if (!row) throw new Failure('PermissionDenied')
  return row
}

/** Decides whether a caller may make the call of a row. Pure, so that tests cover every caller. */
export function refuse(row: Row, caller: Caller): Failure | null {
  if (row.scope === 'staff' && !caller.isStaff) return new Failure('PermissionDenied', 'This call is for staff only.')
  if (row.scope === 'borrower' && caller.borrowerId === null && !row.isEmptyForNobody) return notFound()
  if (row.isRefusedWhileAssuming && isAssuming(caller))
    return new Failure('PermissionDenied', 'This cannot be done while acting as a borrower.')
  if (row.needs !== 'public' && row.needs !== 'session' && !caller.permissions.includes(row.needs))
    return new Failure('PermissionDenied', `This needs the permission ${row.needs}.`)
  return null
}
