import { sql as raw } from 'kysely'
import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { StaffAct } from '#contract/staff.ts'
import type { Sql } from './database/connect.ts'
import type { Origin } from './caller.ts'

/** What the access log knows how to say. */
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

/** What the operator's tool does. */
export type OperatorAction =
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
  /** Whose data or account it is about. */
  subjectId: string
  /** Whose hands did it; while staff assume a borrower, the staff member. */
  actorId: string
  action: AccessAction
  outcome: 'done' | 'refused'
  /** Null for what no request caused. */
  origin: Origin | null
  /** What helps to understand it later. Never a code, a token, a phone or a document. */
  detail?: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Appends to the access log, in the transaction of what it tells: both stand, or neither. The one way into the table;
 * the serving login may neither change nor remove a line. The lines of a subject are a chain of hashes, so that one
 * that was changed or removed all the same is found (server/audit/verify-audit.ts). The subject's head is locked until
 * the transaction ends: log last, and entries of several subjects with {@link logAccesses}.
 */
export async function logAccess(sql: Sql, entry: AccessEntry): Promise<void> {
  const line = lineOf(entry)
  const { subjectId } = entry
  const content = contentOf(line)
  await raw`
    with head as (
      insert into access_log_heads as head (subject_id, sequence, hash) values (${subjectId}, 1, sha256(${content}))
      on conflict (subject_id) do update set sequence = head.sequence + 1, hash = sha256(head.hash || ${content})
      returning sequence, hash
    )
    insert into access_log (subject_id, entry_id, at, actor_id, action, outcome, request_id, session_id, remote_address, user_agent, detail, sequence, hash)
    select ${line.subject_id}, ${line.entry_id}, ${line.at}, ${line.actor_id}, ${line.action}, ${line.outcome}, ${line.request_id},
      ${line.session_id}, ${line.remote_address}, ${line.user_agent}, ${JSON.stringify(line.detail)}, head.sequence, head.hash
    from head`.execute(sql)
}

/**
 * Appends several entries. The heads of their subjects are locked in one order, so that two transactions that concern the same two persons
 * wait for each other and never in a circle.
 */
export async function logAccesses(sql: Sql, entries: readonly AccessEntry[]): Promise<void> {
  for (const entry of entries.toSorted((one, other) => (one.subjectId < other.subjectId ? -1 : one.subjectId > other.subjectId ? 1 : 0)))
    await logAccess(sql, entry)
}

function lineOf({ at, subjectId, actorId, action, outcome, origin, detail = {} }: AccessEntry): AccessLine {
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

/** The line that begins the chain of somebody who was not there before, with its hash: for a book that brings in many at once. */
export function firstLineOf(entry: AccessEntry): AccessLine & { sequence: 1; hash: Buffer } {
  const line = lineOf(entry)
  return { ...line, sequence: 1, hash: hash('sha256', contentOf(line), 'buffer') }
}

/** A line's content as the table has it. */
export type AccessLine = {
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

/** What is hashed of a line: every column, in one order, so that the line as it is read later gives the same bytes. */
export function contentOf(line: AccessLine): Buffer {
  const detail = Object.entries(line.detail).sort(([one], [other]) => (one < other ? -1 : 1))
  return Buffer.from(
    JSON.stringify([
      line.subject_id,
      line.entry_id,
      line.at.toISOString(),
      line.actor_id,
      line.action,
      line.outcome,
      line.request_id,
      line.session_id,
      line.remote_address,
      line.user_agent,
      detail,
    ]),
  )
}
