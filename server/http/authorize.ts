import { accessTable, type AccessRow } from '#contract/access.ts'
import type * as contract from '#contract/index.ts'
import { logAccess } from '../access-log.ts'
import type { Context } from '../context.ts'
import type { Row as DatabaseRow } from '../database/pipeline.ts'
import type { Bound } from '../database/statement.ts'
import { isAssuming, type Caller, type Origin } from '../caller.ts'
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
      await logAccess(sql, {
        at,
        subjectId: caller.borrowerId ?? caller.actorId,
        actorId: caller.actorId,
        action: refusal ? 'access_refused' : method === 'GET' && row.staffAct !== null ? row.staffAct : 'staff_request',
        outcome: refusal ? 'refused' : 'done',
        origin: { ...origin, sessionId: caller.sessionId },
        detail: { call: name },
      })
    return { caller, refusal }
  })
  if (refusal) throw refusal
  return caller
}

/**
 * Authorizes a call that only reads and runs its reads in the same round trip. Serves only
 * authorized borrowers who act for themselves.
 *
 * @returns null for every other caller; {@link authorize} then decides and writes the access log.
 * @throws Failure AuthSessionExpired.
 */
export async function authorizeRead(
  context: Context,
  { name }: { name: CallName },
  authorization: string | undefined,
  note: (caller: Caller) => void,
  readsOf: (userId: string) => readonly Bound<unknown>[],
): Promise<{ caller: Caller; rows: DatabaseRow[][] } | null> {
  const row = getAccessRow(name)
  const read = await context.callers.readCallerWith(context, authorization, readsOf)
  if (!read || read.caller.borrowerId === null || refuse(row, read.caller)) return null
  note(read.caller)
  return read
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
