import { uuidv7 } from 'uuidv7'
import type { Sql } from './database/connect.ts'
import type { Origin } from './http/caller.ts'

/** What the access log knows how to say. */
export type AccessAction = 'sign_in' | 'sign_in_lock' | 'sign_out' | 'payment_link_created' | 'payment_link_cancelled' | OperatorAction

/** What the operator's tool does. */
export type OperatorAction =
  | 'payment_recorded'
  | 'payment_reversed'
  | 'charge_added'
  | 'charge_waived'
  | 'product_loaded'
  | 'staff_added'
  | 'staff_disabled'
  | 'sign_in_unlocked'
  | 'book_imported'

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
 * the serving login may neither change nor remove a line.
 */
export async function logAccess(sql: Sql, { at, subjectId, actorId, action, outcome, origin, detail = {} }: AccessEntry): Promise<void> {
  await sql
    .insertInto('access_log')
    .values({
      subject_id: subjectId,
      entry_id: uuidv7(),
      at,
      actor_id: actorId,
      action,
      outcome,
      request_id: origin?.requestId ?? null,
      remote_address: origin?.remoteAddress ?? null,
      detail: { ...detail },
    })
    .execute()
}
