import type { Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { IdempotentRequests } from '../database/schema.generated.ts'

type IdempotentRow = Selectable<IdempotentRequests>
export type IdempotentKey = Pick<IdempotentRow, 'borrower_id' | 'actor_id' | 'call' | 'idempotency_key'>
type Run = Pick<IdempotentRow, 'request_hash' | 'begun_at' | 'run_id' | 'running_until'>

/** @returns false if the key was used before. */
export async function insertRequest(sql: Sql, key: IdempotentKey, run: Run): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('idempotent_requests')
    .values({ ...key, ...run })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Locks the row; undefined if it was deleted meanwhile. */
export function lockRequest(sql: Sql, key: IdempotentKey): Promise<IdempotentRow | undefined> {
  return filterByKey(sql.selectFrom('idempotent_requests').selectAll(), key).forUpdate().executeTakeFirst()
}

/**
 * Updates the row on behalf of one run.
 *
 * @returns false if another run has taken it over.
 */
export async function changeRequest(
  sql: Sql,
  key: IdempotentKey,
  runId: string,
  change: Partial<Pick<IdempotentRow, 'running_until' | 'made_id' | 'status' | 'answer'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await filterByKey(sql.updateTable('idempotent_requests').set(change), key)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Resets a row whose 24 hours are over, under a new run. */
export async function restartRequest(sql: Sql, key: IdempotentKey, run: Run): Promise<void> {
  await filterByKey(sql.updateTable('idempotent_requests').set({ ...run, made_id: null, status: null, answer: null }), key).execute()
}

/** Gives the row to another run and keeps what the previous run made. */
export async function takeOverRequest(sql: Sql, key: IdempotentKey, run: Pick<Run, 'run_id' | 'running_until'>): Promise<void> {
  await filterByKey(sql.updateTable('idempotent_requests').set(run), key).execute()
}

export async function deleteRequest(sql: Sql, key: IdempotentKey, runId: string): Promise<void> {
  await filterByKey(sql.deleteFrom('idempotent_requests'), key).where('run_id', '=', runId).execute()
}

type Filtered<Q> = { where(column: keyof IdempotentKey, operator: '=', value: string): Q }

function filterByKey<Q extends Filtered<Q>>(query: Q, { borrower_id, actor_id, call, idempotency_key }: IdempotentKey): Q {
  return query
    .where('borrower_id', '=', borrower_id)
    .where('actor_id', '=', actor_id)
    .where('call', '=', call)
    .where('idempotency_key', '=', idempotency_key)
}
