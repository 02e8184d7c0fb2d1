import type { Sql } from '../database/connect.ts'

/** What each queue carries. */
export type JobData = {
  'send-sms': { to: string; text: string; code: string | null }
}

/** Background work, asked for in the same transaction as what causes it: both happen, or neither. */
export type Jobs = {
  enqueue<Q extends keyof JobData>(sql: Sql, queue: Q, data: JobData[Q]): Promise<void>
}
