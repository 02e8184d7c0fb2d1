import type { NoticeKind } from '#domain/notices.ts'
import type { Sql } from '../database/connect.ts'
import type { QueueName } from './queues.ts'

/**
 * The payload of each queue. The database stores it encrypted (encrypt-payload.ts), because a
 * message contains a phone and a code.
 */
export type JobData = {
  'send-sms': {
    /** With `+` and country code. */
    to: string
    text: string
    /** The one-time code in the text; the demo's outbox shows it separately. */
    code: string
    /** The DLT template of the text; null for the demo's outbox. Early versions queued none. */
    templateId?: string | null
    /**
     * The code's key in `sign_in_codes`, base64: there the outcome is recorded. Early versions
     * queued none.
     */
    tokenHash?: string
    /** RFC 3339. A message that is not sent by then is dropped. */
    expiresAt: string
  }
  /** The text message of a notice. */
  'send-notice': {
    kind: NoticeKind
    /** With `+` and country code. */
    to: string
    text: string
    /** The DLT template of the text; null for the demo's outbox. */
    templateId: string | null
    /** RFC 3339. A message that is not sent by then is dropped. */
    expiresAt: string
    /** How often the carrier may have sent it already. Absent at first. */
    uncertain?: number
  }
  /** A decided refund. */
  'send-refund': { borrowerId: string; refundId: string }
  /** An India day, as text. */
  reconcile: { day: string }
}

/**
 * Background work, enqueued in the transaction that causes it, so that both are committed or
 * neither.
 */
export type Jobs = {
  /**
   * @param options.delayMs the delay before the job starts; stored, so that it survives restarts.
   */
  enqueue<Q extends QueueName>(sql: Sql, queue: Q, data: JobData[Q], options?: { delayMs: number }): Promise<void>
}

/**
 * One handler per queue. A handler may run twice for one job (a crash can follow the work before it
 * is recorded); an error causes a retry.
 */
export type JobHandlers = { [Q in QueueName]: (data: JobData[Q], attempt: JobAttempt) => Promise<void> }

/** `isLast`: the job is not retried if this attempt fails. */
export type JobAttempt = { isLast: boolean }
