import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'

/** Rows per statement, so that no statement holds many locks and servers can take turns. */
const rowsPerBatch = 2_000

/** The key of a table, and the condition of its rows that expired. */
const expired = {
  sign_in_codes: [['token_hash'], (before: Date) => raw`created_at < ${before}`],
  sign_in_budgets: [['period', 'starts_at'], (before: Date) => raw`starts_at < ${before}`],
  sign_in_devices: [['user_id', 'device_hash'], (before: Date) => raw`issued_at < ${before}`],
  sessions: [['user_id', 'session_id'], (before: Date) => raw`expires_at < ${before}`],
  staff_searches: [['user_id', 'search_id'], (before: Date) => raw`searched_at < ${before}`],
  // Never proposed, or not approved. The sweep removes the bytes.
  loan_papers: [
    ['borrower_id', 'paper_id'],
    (before: Date, now: Date) => raw`published_at is null and uploaded_at < ${before} and not exists (
      select from operation_proposals proposal where proposal.borrower_id = loan_papers.borrower_id and proposal.kind = 'paper_publish'
        and proposal.state = 'proposed' and proposal.expires_at > ${now} and lower(proposal.input ->> 'paper_id') = loan_papers.paper_id::text
    )`,
  ],
  notices: [['borrower_id', 'notice_id'], (before: Date) => raw`created_at < ${before}`],
  idempotent_requests: [['borrower_id', 'actor_id', 'call', 'idempotency_key'], (before: Date) => raw`begun_at < ${before}`],
  // The provider retries an event for a day; later its content is no longer needed.
  webhook_inbox: [['provider', 'event_id'], (before: Date) => raw`processed_at is not null and received_at < ${before}`],
} as const
export type RetainedTable = keyof typeof expired
export const retainedTables = Object.keys(expired) as RetainedTable[]

/**
 * Deletes up to `rowsPerBatch` rows older than `before`, by the clock's `now`.
 *
 * @returns the number of deleted rows.
 */
export async function deleteExpired(sql: Sql, table: RetainedTable, before: Date, now: Date): Promise<number> {
  const [columns, hasExpired] = expired[table]
  const key = raw.join(columns.map((column) => raw.ref(column)))
  // By key: on distributed tables a row has no address of its own, and no lock spans nodes.
  const { numAffectedRows } = await raw`
    delete from ${raw.table(table)} where ${hasExpired(before, now)} and (${key}) in (
      select ${key} from ${raw.table(table)} where ${hasExpired(before, now)} limit ${rowsPerBatch}
    )`.execute(sql)
  return Number(numAffectedRows ?? 0n)
}
