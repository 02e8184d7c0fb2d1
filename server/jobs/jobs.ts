import type { Sql } from '../database/connect.ts'
import type { QueueName } from './queues.ts'

/** What each queue carries. Kept sealed in the database (seal.ts): a message holds a phone and a code. */
export type JobData = {
  'send-sms': {
    /** With `+` and country code. */
    to: string
    text: string
    /** The one-time code in the text, where there is one; the demo's outbox shows it by itself. */
    code: string | null
    /** The DLT template of the text; null for the demo's outbox. Absent in jobs of the version before. */
    templateId?: string | null
    /** RFC 3339. A message that has not left by then is of no use any more and is dropped. */
    expiresAt: string
  }
  /** Names a refund that was decided. */
  'send-refund': { borrowerId: string; refundId: string }
  /** An India day, as text. */
  reconcile: { day: string }
}

/** Background work, asked for in the same transaction as what causes it: both happen, or neither. */
export type Jobs = {
  /** @param options.delayMs how long the job must wait before it may begin; kept in the database, so that no restart forgets it. */
  enqueue<Q extends QueueName>(sql: Sql, queue: Q, data: JobData[Q], options?: { delayMs: number }): Promise<void>
}

/** The work itself, one function a queue. It may run twice for one job (a crash comes between doing and saying so); throwing has it tried again. */
export type JobHandlers = { [Q in QueueName]: (data: JobData[Q]) => Promise<void> }
