import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { uuidv7 } from 'uuidv7'
import { citusNodes } from '#testkit/citus.ts'
import { openTestContext, type TestContext } from '#testkit/test-context.ts'
import { saveFollowUp, selectDueFollowUps } from '../ledger/follow-up-store.ts'
import type { Sql } from './connect.ts'
import { findOnShards, writeShardCommand, type Findable } from './find-on-shards.ts'

/** What the sweeps ask while a node is away: `npm run lab -- citus away` kills one. */

let app: TestContext
const now = new Date()
const loans = Array.from({ length: 12 }, () => ({ borrower_id: uuidv7(), loan_id: uuidv7() }))

beforeAll(async () => {
  app = await openTestContext(inject('cluster'))
  await app.database.asSystem(async (sql) => {
    for (const loan of loans) await saveFollowUp(sql, loan, now)
    await saveFollowUp(sql, { borrower_id: uuidv7(), loan_id: uuidv7() }, new Date(now.getTime() + 1_000))
  })
})
afterAll(() => app.close())

/** On one PostgreSQL the table is its only shard. */
async function find<Row extends Record<string, string>>(query: (sql: Sql) => Findable<Row>): Promise<Row[]> {
  if (citusNodes.length > 0) return app.database.asSystem((sql) => findOnShards(sql, query(sql)))
  const { table, command } = await app.database.asSystem((sql) => Promise.resolve(writeShardCommand(query(sql).compile())))
  const client = new pg.Client({ connectionString: app.databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ command: string }>('select format($1, $2::text) as command', [command, table])
  const answer = await client.query<{ coalesce: Row[] }>(rows[0]?.command ?? '')
  await client.end()
  return answer.rows[0]?.coalesce ?? []
}

const byLoan = (one: { loan_id: string }, other: { loan_id: string }) => (one.loan_id < other.loan_id ? -1 : 1)

describe('asking each shard by itself', () => {
  it('finds the rows that the query finds, with system access', async () => {
    const query = (sql: Sql) => selectDueFollowUps(sql, now, 50)
    expect((await find(query)).sort(byLoan)).toEqual(loans)
    expect((await app.database.findAvailable(50, query)).sort(byLoan)).toEqual(loans)
  })

  it('writes every value as the text that it is', async () => {
    const words = ["100 % of o'clock", '%s', '$1', String.raw`back\slash`, '"users"']
    const query = (sql: Sql) =>
      sql
        .selectFrom('users')
        .select('last_name')
        .where('last_name', 'in', [...words])
        .where('kind', '=', 'borrower')
    await app.database.asSystem(async (sql) => {
      for (const [index, last_name] of words.entries())
        await sql
          .insertInto('users')
          .values({
            user_id: uuidv7(),
            phone: `+91910000000${index}`,
            first_name: 'Odd',
            last_name,
            kind: 'borrower',
            roles: [],
            permissions: [],
            created_at: now,
          })
          .execute()
    })
    expect((await find(query)).map(({ last_name }) => last_name).sort()).toEqual([...words].sort())
  })

  it('refuses a select of several tables: a command has the shard of one', () => {
    const of = (sql: string) => () => writeShardCommand({ sql, parameters: [] })
    expect(of('select "a" from "loans" inner join "users" on true')).toThrow('one table')
    expect(of('select "a" from "loans" where "b" in (select "b" from "loans")')).toThrow('one table')
    expect(of('select 1')).toThrow('one table')
  })
})
