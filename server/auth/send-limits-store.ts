import { sql as raw } from 'kysely'
import { hourMs } from '#domain/durations.ts'
import type { Sql } from '../database/connect.ts'

/** An answer further in the future was counted before the clock was set back; it is ignored. */
const clockSkewMaxMs = 60_000

/**
 * Counts one answer for a network in the hour before `now`. Exact over all servers, because the row
 * stays locked until the transaction ends.
 *
 * @returns null; or, if the network has had `answersMax` answers, the time of the oldest one that
 * counts, and nothing is counted.
 */
export async function addAnswer(sql: Sql, network: string, answersMax: number, now: Date): Promise<Date | null> {
  await sql
    .insertInto('sign_in_networks')
    .values({ network, used_at: now })
    .onConflict((conflict) => conflict.column('network').doNothing())
    .execute()
  const row = await sql
    .selectFrom('sign_in_networks')
    .select('answered_at')
    .where('network', '=', network)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const counted = row.answered_at.filter((at) => at.getTime() > now.getTime() - hourMs && at.getTime() <= now.getTime() + clockSkewMaxMs)
  const oldestCounted = counted.at(-answersMax)
  if (oldestCounted !== undefined) return oldestCounted
  await sql
    .updateTable('sign_in_networks')
    .set({ answered_at: [...counted, now], used_at: now })
    .where('network', '=', network)
    .execute()
  return null
}

/** Removes the latest answer of a network from the count, because a sign-in followed it. */
export async function removeAnswer(sql: Sql, network: string): Promise<void> {
  await sql
    .updateTable('sign_in_networks')
    .set({ answered_at: raw<Date[]>`trim_array(answered_at, 1)` })
    .where('network', '=', network)
    .where(raw<boolean>`cardinality(answered_at) > 0`)
    .execute()
}

/**
 * Deletes networks unused since `before`.
 *
 * @returns the number of deleted rows.
 */
export async function forgetNetworksBefore(sql: Sql, before: Date): Promise<number> {
  const { numDeletedRows } = await sql.deleteFrom('sign_in_networks').where('used_at', '<', before).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Counts one message against a budget.
 *
 * @param sendsMax null: counts without a limit.
 * @returns false if the budget is spent; nothing is counted then.
 */
export async function spendBudget(sql: Sql, period: 'minute' | 'day', startsAt: Date, sendsMax: number | null): Promise<boolean> {
  const { rows } = await raw`
    insert into sign_in_budgets as budget (period, starts_at, sends) values (${period}, ${startsAt}, 1)
    on conflict (period, starts_at) do update set sends = budget.sends + 1
    where ${sendsMax}::integer is null or budget.sends < ${sendsMax}::integer
    returning sends`.execute(sql)
  return rows.length > 0
}

/** The breaker's state. `monthSignIns`: sign-ins of the 30 days before the last count. */
type BreakerRow = { fullAt: Date; monthSignIns: number; countedAt: Date | null }

const selectBreaker = (sql: Sql) => sql.selectFrom('sign_in_breaker').select(['full_at', 'month_sign_ins', 'counted_at'])
const toBreaker = (row: { full_at: Date; month_sign_ins: bigint; counted_at: Date | null }): BreakerRow => ({
  fullAt: row.full_at,
  monthSignIns: Number(row.month_sign_ins),
  countedAt: row.counted_at,
})

export async function readBreaker(sql: Sql): Promise<BreakerRow> {
  return toBreaker(await selectBreaker(sql).executeTakeFirstOrThrow())
}

/** As {@link readBreaker}, and locks the row until the transaction ends. */
export async function lockBreaker(sql: Sql): Promise<BreakerRow> {
  return toBreaker(await selectBreaker(sql).forUpdate().executeTakeFirstOrThrow())
}

export async function saveBreaker(sql: Sql, fullAt: Date): Promise<void> {
  await sql.updateTable('sign_in_breaker').set({ full_at: fullAt }).execute()
}

export async function saveMonthSignIns(sql: Sql, signIns: number, now: Date): Promise<void> {
  await sql
    .updateTable('sign_in_breaker')
    .set({ month_sign_ins: BigInt(signIns), counted_at: now })
    .execute()
}

/** Counts the codes of a period that were used. */
export async function countUsedCodes(sql: Sql, from: Date, to: Date): Promise<number> {
  const { used } = await sql
    .selectFrom('sign_in_codes')
    .select(({ fn }) => fn.count('consumed_at').as('used'))
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .executeTakeFirstOrThrow()
  return Number(used)
}
