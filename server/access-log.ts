import { sql as raw } from 'kysely'
import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { StaffAct } from '#contract/staff.ts'
import type { Sql } from './database/connect.ts'
import type { Origin } from './caller.ts'

/** The actions of the access log. */
export type AccessAction =
  | 'sign_in'
  | 'sign_in_lock'
  | 'sign_out'
  | 'other_sessions_ended'
  | 'access_refused'
  | 'users_searched'
  | 'assume_started'
  | 'assume_ended'
  | 'staff_request'
  | 'staff_session_resumed'
  | StaffAct
  | OperatorAction

/** The actions of the operator's tool. */
type OperatorAction =
  | 'payment_recorded'
  | 'payment_reversed'
  | 'credit_refunded'
  | 'refund_retried'
  | 'review_resolved'
  | 'jobs_retried'
  | 'bucket_claimed'
  | 'day_reconciled'
  | 'charge_added'
  | 'charge_waived'
  | 'foreclosure_waived'
  | 'product_loaded'
  | 'staff_added'
  | 'staff_disabled'
  | 'sign_in_unlocked'
  | 'book_imported'
  | 'tranche_approved'
  | 'tranche_released'
  | 'tranche_rejected'
  | 'person_exported'
  | 'person_erased'

export type AccessEntry = {
  at: Date
  /** The person whose data or account is concerned. */
  subjectId: string
  /** The person who acted; while staff assume a borrower, the staff member. */
  actorId: string
  action: AccessAction
  outcome: 'done' | 'refused'
  /** Null if no request caused the entry. */
  origin: Origin | null
  /** Details for a later reader. Never a code, a token, a phone or a document. */
  detail?: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Appends to the access log in the transaction of the logged change, so that both are committed or
 * neither. This is the only function that writes the table; the serving login can neither change
 * nor delete entries. The entries of a subject form a hash chain, which reveals changed or deleted
 * entries (server/audit/verify-audit.ts). The subject's chain head stays locked until the
 * transaction ends: log last, and log several subjects with {@link logAccesses}.
 */
export async function logAccess(sql: Sql, entry: AccessEntry): Promise<void> {
  const row = toRow(entry)
  const { subjectId } = entry
  const content = encodeContent(row)
  await raw`
    with head as (
      insert into access_log_heads as head (subject_id, sequence, hash) values (${subjectId}, 1, sha256(${content}))
      on conflict (subject_id) do update set sequence = head.sequence + 1, hash = sha256(head.hash || ${content})
      returning sequence, hash
    )
    insert into access_log (subject_id, entry_id, at, actor_id, action, outcome, request_id, session_id, remote_address, user_agent, detail, sequence, hash)
    select ${row.subject_id}, ${row.entry_id}, ${row.at}, ${row.actor_id}, ${row.action}, ${row.outcome}, ${row.request_id},
      ${row.session_id}, ${row.remote_address}, ${row.user_agent}, ${JSON.stringify(row.detail)}, head.sequence, head.hash
    from head`.execute(sql)
}

/**
 * Appends several entries. The chain heads are locked in one order, so that two transactions about
 * the same persons cannot deadlock.
 */
export async function logAccesses(sql: Sql, entries: readonly AccessEntry[]): Promise<void> {
  for (const entry of entries.toSorted((one, other) => (one.subjectId < other.subjectId ? -1 : one.subjectId > other.subjectId ? 1 : 0)))
    await logAccess(sql, entry)
}

function toRow({ at, subjectId, actorId, action, outcome, origin, detail = {} }: AccessEntry): AccessLogRow {
  return {
    subject_id: subjectId,
    entry_id: uuidv7(),
    at,
    actor_id: actorId,
    action,
    outcome,
    request_id: origin?.requestId ?? null,
    session_id: origin?.sessionId ?? null,
    remote_address: origin?.remoteAddress ?? null,
    user_agent: origin?.userAgent ?? null,
    detail: { ...detail },
  }
}

/** The first entry of a new subject's chain with its hash, for imports that insert many at once. */
export function createFirstEntry(entry: AccessEntry): AccessLogRow & { sequence: 1; hash: Buffer } {
  const row = toRow(entry)
  return { ...row, sequence: 1, hash: hash('sha256', encodeContent(row), 'buffer') }
}

/** An entry in the columns of the table. */
export type AccessLogRow = {
  subject_id: string
  entry_id: string
  at: Date
  actor_id: string
  action: string
  outcome: string
  request_id: string | null
  session_id: string | null
  remote_address: string | null
  user_agent: string | null
  detail: Readonly<Record<string, unknown>>
}

/**
 * The hashed bytes of an entry: every column in a fixed order, so that a stored entry gives the
 * same bytes.
 */
export function encodeContent(row: AccessLogRow): Buffer {
  const detail = Object.entries(row.detail).sort(([one], [other]) => (one < other ? -1 : 1))
  return Buffer.from(
    JSON.stringify([
      row.subject_id,
      row.entry_id,
      row.at.toISOString(),
      row.actor_id,
      row.action,
      row.outcome,
      row.request_id,
      row.session_id,
      row.remote_address,
      row.user_agent,
      detail,
    ]),
  )
}
