import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'

/** What is remembered of an address for an hour. */
export type AddressHistory = { sentAt: Date[]; unknownAt: Date[] }

/** Locks what is remembered of an address until the transaction ends, making the row at first. */
export async function lockAddress(sql: Sql, address: string, now: Date): Promise<AddressHistory> {
  await sql
    .insertInto('sign_in_addresses')
    .values({ address, used_at: now })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
  const row = await sql.selectFrom('sign_in_addresses').selectAll().where('address', '=', address).forUpdate().executeTakeFirstOrThrow()
  return { sentAt: row.sent_at, unknownAt: row.unknown_at }
}

export async function saveAddress(sql: Sql, address: string, { sentAt, unknownAt }: AddressHistory, now: Date): Promise<void> {
  await sql
    .updateTable('sign_in_addresses')
    .set({ sent_at: sentAt, unknown_at: unknownAt, used_at: now })
    .where('address', '=', address)
    .execute()
}

/** @returns how many were forgotten. */
export async function forgetAddressesBefore(sql: Sql, before: Date): Promise<number> {
  const { numDeletedRows } = await sql.deleteFrom('sign_in_addresses').where('used_at', '<', before).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Counts one message into a budget. False when it is spent: then nothing was counted. */
export async function spendBudget(sql: Sql, period: 'minute' | 'day', startsAt: Date, sendsMax: number): Promise<boolean> {
  const { rows } = await raw`
    insert into sign_in_budgets as budget (period, starts_at, sends) values (${period}, ${startsAt}, 1)
    on conflict (period, starts_at) do update set sends = budget.sends + 1 where budget.sends < ${sendsMax}
    returning sends`.execute(sql)
  return rows.length > 0
}

/** Of the codes sent in a span of time: how many, and how many were used. */
export async function countCodes(sql: Sql, from: Date, to: Date): Promise<{ sent: number; used: number }> {
  const row = await sql
    .selectFrom('sign_in_codes')
    .select(({ fn }) => [fn.countAll().as('sent'), fn.count('consumed_at').as('used')])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .executeTakeFirstOrThrow()
  return { sent: Number(row.sent), used: Number(row.used) }
}

/** Whether a person has been signed in from an address before. */
export async function hasSignedInFrom(sql: Sql, userId: string, remoteAddress: string): Promise<boolean> {
  const row = await sql
    .selectFrom('sessions')
    .select('session_id')
    .where('user_id', '=', userId)
    .where('remote_address', '=', remoteAddress)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
