import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'

/** Rows per statement, so that no statement holds many locks and servers can take turns. */
const rowsPerBatch = 2_000

const expired = {
  sign_in_codes: (before: Date) => raw`sign_in_codes where created_at < ${before}`,
  sign_in_budgets: (before: Date) => raw`sign_in_budgets where starts_at < ${before}`,
  sign_in_devices: (before: Date) => raw`sign_in_devices where issued_at < ${before}`,
  sessions: (before: Date) => raw`sessions where expires_at < ${before}`,
  staff_searches: (before: Date) => raw`staff_searches where searched_at < ${before}`,
  // Never proposed, or not approved. The sweep removes the bytes.
  loan_papers: (before: Date) => raw`loan_papers where published_at is null and uploaded_at < ${before}`,
  notices: (before: Date) => raw`notices where created_at < ${before}`,
  idempotent_requests: (before: Date) => raw`idempotent_requests where begun_at < ${before}`,
  // The provider retries an event for a day; later its content is no longer needed.
  webhook_inbox: (before: Date) => raw`webhook_inbox where processed_at is not null and received_at < ${before}`,
}
export type RetainedTable = keyof typeof expired
export const retainedTables = Object.keys(expired) as RetainedTable[]

/**
 * Deletes up to `rowsPerBatch` rows older than `before`.
 *
 * @returns the number of deleted rows.
 */
export async function deleteExpired(sql: Sql, table: RetainedTable, before: Date): Promise<number> {
  const { numAffectedRows } = await raw`
    delete from ${raw.table(table)} where ctid in (
      select ctid from ${expired[table](before)} limit ${rowsPerBatch} for update skip locked
    )`.execute(sql)
  return Number(numAffectedRows ?? 0n)
}
