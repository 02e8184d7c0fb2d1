import { sql as raw } from 'kysely'
import { hash, randomUUID } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { StaffAct } from '#contract/staff-access.ts'
import { isUuid } from '#contract/uuid.ts'
import type { Sql } from './database/connect.ts'
import { executeTogether, statement, type Bound } from './database/statement.ts'
import type { Origin } from './caller.ts'

/** The actions of the access log. */
export type AccessAction =
  | 'sign_in'
  | 'sign_in_lock'
  | 'sign_out'
  | 'other_sessions_ended'
  | 'access_refused'
  | 'users_searched'
  | 'operations_listed'
  | 'assume_started'
  | 'assume_ended'
  | 'staff_request'
  | 'staff_session_resumed'
  | 'proposal_made'
  | 'proposal_rejected'
  | 'proposal_withdrawn'
  | 'proposal_failed'
  | 'proposal_expired'
  | 'paper_uploaded'
  | 'rate_reset_defaulted'
  | 'rate_reset_recomputed'
  | 'mandate_created'
  | 'mandate_paused'
  | 'mandate_resumed'
  | 'mandate_cancelled'
  | 'debit_skipped'
  | 'debit_retried'
  | StaffAct
  | OperatorAction

/** The actions of the operator's tool only. */
type OperatorAction =
  | 'refund_retried'
  | 'jobs_retried'
  | 'bucket_claimed'
  | 'database_migrated'
  | 'database_distributed'
  | 'database_restored'
  | 'day_reconciled'
  | 'product_loaded'
  | 'staff_added'
  | 'staff_changed'
  | 'staff_disabled'
  | 'staff_enabled'
  | 'sign_in_unlocked'
  | 'book_imported'
  | 'person_exported'
  | 'person_signed_out'
  | 'person_erased'

export type AccessEntry = {
  at: Date
  /** The person whose data or account is concerned. */
  subjectId: string
  /** The person who acted; while staff assume a borrower, the staff member. */
  actorId: string
  action: AccessAction
  outcome: 'done' | 'refused'
  /** Null if no request caused the entry; without a request, the session alone. */
  origin: (Pick<Origin, 'sessionId'> & Partial<Origin>) | null
  /** Details for a later reader. Never a code, a token, a phone or a document. */
  detail?: Readonly<Record<string, string | number | boolean | null>>
}

/**
 * Appends an entry, if the session may write about its subject; returns no row otherwise. The
 * content is `before` and `after`. If `countName` is given, the number in the setting `app.count`
 * is between them. A database function, because the entry needs the chain's new end and both are
 * sent in one statement (0051_access_log_subjects.sql).
 */
const appendEntry = statement<{
  subjectId: string
  subjectName: string | null
  entryId: string
  at: Date
  actorId: string
  action: string
  outcome: string
  requestId: string | null
  sessionId: string | null
  remoteAddress: string | null
  userAgent: string | null
  detail: string
  countName: string | null
  before: string
  after: string
}>()((sql, given) => ({
  compile: () =>
    raw<{ entry_id: string }>`
    select entry_id from append_access_entry(${given.subjectId}, ${given.subjectName}, ${given.entryId}, ${given.at}, ${given.actorId},
      ${given.action}, ${given.outcome}, ${given.requestId}, ${given.sessionId}, ${given.remoteAddress}, ${given.userAgent},
      ${given.detail}, ${given.countName}, ${given.before}, ${given.after}) as entry_id`.compile(sql),
}))

/**
 * The statement that appends an entry, for a pipeline. It returns one row, or none if the
 * pipeline's session may not write about the subject: then nothing may be answered.
 *
 * @param countName the field of the detail whose number the pipeline itself counts; an earlier
 * statement stores it in the setting `app.count`.
 */
export function entryStatement(entry: AccessEntry, countName: string | null = null): Bound<{ entry_id: string }> {
  // Marks the place of the number; random, so that no text of a request contains it.
  const place = randomUUID()
  const row = toRow(countName === null ? entry : { ...entry, detail: { ...entry.detail, [countName]: place } })
  const [before = '', after = ''] = encodeContent(row).toString().split(JSON.stringify(place))
  return appendEntry.with({
    subjectId: row.subject_id,
    subjectName: row.subject_name,
    entryId: row.entry_id,
    at: row.at,
    actorId: row.actor_id,
    action: row.action,
    outcome: row.outcome,
    requestId: row.request_id,
    sessionId: row.session_id,
    remoteAddress: row.remote_address,
    userAgent: row.user_agent,
    detail: JSON.stringify(row.detail),
    countName,
    before,
    after,
  })
}

/**
 * Appends to the access log in the transaction of the logged change, so that both are committed or
 * neither. The table is otherwise written by {@link entryStatement} in pipelines and by
 * `kist import` with {@link createFirstEntry}; the serving login can neither change nor delete
 * entries. The entries of a subject form a hash chain, which reveals changed or deleted entries
 * (server/audit/verify-audit.ts). The subject's chain head stays locked until the transaction ends:
 * log last, and log several subjects with {@link logAccesses}.
 */
export async function logAccess(sql: Sql, entry: AccessEntry): Promise<void> {
  const [rows] = await executeTogether(sql, [entryStatement(entry)])
  if (rows.length !== 1) throw new Error(`The access log has no entry of ${entry.action}`)
}

/** Who acted on whose data, and when; null as the origin if no request caused it. */
type Act = { borrowerId: string; actorId: string; origin: AccessEntry['origin']; now: Date }

/** Appends the entry of an action that was done on a borrower's data. */
export const logAction = (
  sql: Sql,
  { borrowerId, actorId, origin, now }: Act,
  action: AccessAction,
  detail: NonNullable<AccessEntry['detail']>,
): Promise<void> => logAccess(sql, { at: now, subjectId: borrowerId, actorId, action, outcome: 'done', origin, detail })

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
    ...identifySubject(subjectId),
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

/**
 * The id of a subject, and its name if that is a word: `product:…`, `jobs:…`. The log is kept with
 * the rows of the person it is about, by UUID, so a word gets an id made of its hash.
 */
function identifySubject(subject: string): { subject_id: string; subject_name: string | null } {
  if (isUuid(subject)) return { subject_id: subject, subject_name: null }
  const digits = hash('sha256', subject, 'hex')
  const parts = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20, 32)]
  return { subject_id: parts.join('-'), subject_name: subject }
}

/** The first entry of a new subject's chain with its hash, for imports that insert many at once. */
export function createFirstEntry(entry: AccessEntry): AccessLogRow & { sequence: 1; hash: Buffer } {
  const row = toRow(entry)
  return { ...row, sequence: 1, hash: hash('sha256', encodeContent(row), 'buffer') }
}

/** An entry in the columns of the table. */
export type AccessLogRow = {
  subject_id: string
  /** Null for a person, whom the id names. */
  subject_name: string | null
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
      row.subject_name ?? row.subject_id,
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
