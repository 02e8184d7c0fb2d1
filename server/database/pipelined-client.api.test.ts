import { sql as raw } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { testDistribution } from '#testkit/citus.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { columnTypes, connect, type Database, type Sql } from './connect.ts'
import { withPipelines } from './pipelined-client.ts'

const borrowerId = '01900000-0000-7000-8000-000000000001'
let clone: Awaited<ReturnType<typeof cloneDatabase>>
let database: Database
beforeEach(async () => {
  clone = await cloneDatabase(inject('cluster'))
  database = connect(clone.appUrl, { connectionsMax: 1, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, ...testDistribution })
})
afterEach(async () => {
  await database.close()
  await clone.drop()
})

const preparedIn = async (sql: Sql) =>
  (await raw<{ statement: string }>`select statement from pg_prepared_statements order by prepare_time`.execute(sql)).rows.map(
    ({ statement }) => statement,
  )
const prepared = () => database.asSystem(preparedIn)

async function addNotePreference(language: 'en' | 'hi'): Promise<void> {
  await database.asBorrower(borrowerId, (sql) =>
    sql
      .insertInto('notice_preferences')
      .values({ borrower_id: borrowerId, language, sms_due_soon: true, sms_payments: true, sms_tranches: true })
      .onConflict((conflict) => conflict.column('borrower_id').doUpdateSet({ language }))
      .execute(),
  )
}
const readAll = () => database.asBorrower(borrowerId, (sql) => sql.selectFrom('notice_preferences').selectAll().execute())

it('a statement of a borrower is prepared from its second use on, and answers the same', async () => {
  await addNotePreference('en')
  expect((await prepared()).filter((text) => text.includes('notice_preferences'))).toEqual([])
  for (const language of ['hi', 'en', 'hi'] as const) {
    await addNotePreference(language)
    expect(await readAll()).toMatchObject([{ borrower_id: borrowerId, language }])
  }
  expect((await prepared()).filter((text) => text.includes('insert into "notice_preferences"'))).toHaveLength(1)
})

it('a statement that selects all columns is not prepared, so that a migration may add one', async () => {
  await addNotePreference('en')
  for (let time = 0; time < 3; time += 1)
    await database.asBorrower(borrowerId, (sql) =>
      sql.selectFrom('notice_preferences').selectAll().where('borrower_id', '=', borrowerId).execute(),
    )
  const owner = new pg.Client({ connectionString: clone.ownerUrl })
  await owner.connect()
  await owner.query("alter table notice_preferences add column colour text default 'red'")
  await owner.end()
  const rows = await database.asBorrower(borrowerId, (sql) =>
    sql.selectFrom('notice_preferences').selectAll().where('borrower_id', '=', borrowerId).execute(),
  )
  expect(rows).toMatchObject([{ language: 'en', colour: 'red' }])
})

it('statements of the system are planned for their own values each time', async () => {
  for (let time = 0; time < 3; time += 1)
    await database.asSystem((sql) => sql.selectFrom('users').select('user_id').where('user_id', '=', borrowerId).execute())
  expect((await prepared()).filter((text) => text.includes('from "users"'))).toEqual([])
})

it('a statement that fails does not spoil its connection', async () => {
  const addTwice = () =>
    database.asBorrower(borrowerId, async (sql) => {
      for (let time = 0; time < 2; time += 1)
        await sql
          .insertInto('notice_preferences')
          .values({ borrower_id: borrowerId, language: 'en', sms_due_soon: true, sms_payments: true, sms_tranches: true })
          .execute()
    })
  for (let time = 0; time < 3; time += 1) await expect(addTwice()).rejects.toMatchObject({ code: '23505' })
  await addNotePreference('hi')
  expect(await readAll()).toMatchObject([{ language: 'hi' }])
})

it('nothing is prepared where the process id is not that of the backend, as with a pooler', async () => {
  const pool = new pg.Pool({ connectionString: clone.appUrl, max: 1 })
  pool.on('connect', (client) => Object.assign(client, { processID: 1 }))
  const client = await withPipelines(pool, columnTypes, { isNamed: true }).connect()
  for (let time = 0; time < 3; time += 1) await client.query('select $1::int as n', [time])
  const { rows } = await client.query<{ statement: string }>('select statement from pg_prepared_statements where $1', [true])
  expect(rows).toEqual([])
  client.release()
  await pool.end()
})

it('a connection that breaks before its first statement is given back', async () => {
  const pool = new pg.Pool({ connectionString: clone.appUrl, max: 1 })
  // The broken one may still be closing when its database is dropped; as in connect.ts.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.once('connect', (client) => Object.assign(client, { query: () => Promise.reject(new Error('broken')) }))
  const named = withPipelines(pool, columnTypes, { isNamed: true })
  await expect(named.connect()).rejects.toThrow('broken')
  const client = await named.connect()
  expect((await client.query<{ n: number }>('select $1::int as n', [7])).rows).toEqual([{ n: 7 }])
  client.release()
  await pool.end()
})

it('at most two hundred texts have names', async () => {
  await database.asBorrower(borrowerId, async (sql) => {
    for (let width = 1; width <= 210; width += 1)
      for (let time = 0; time < 2; time += 1)
        await raw`select ${raw.join(Array.from({ length: width }, () => raw`${'x'}::text`))}`.execute(sql)
    expect((await preparedIn(sql)).length).toBeLessThanOrEqual(200)
  })
})

it('a statement whose columns changed their type while serving fails once, not for good', async () => {
  const readLanguage = () =>
    database.asBorrower(borrowerId, (sql) =>
      sql.selectFrom('notice_preferences').select('language').where('borrower_id', '=', borrowerId).execute(),
    )
  await addNotePreference('en')
  for (let time = 0; time < 3; time += 1) await readLanguage()
  const owner = new pg.Client({ connectionString: clone.ownerUrl })
  await owner.connect()
  await owner.query('alter table notice_preferences drop constraint if exists notice_preferences_language_check')
  await owner.query('alter table notice_preferences alter column language type varchar(20)')
  await owner.end()
  await expect(readLanguage()).rejects.toThrow('cached plan must not change result type')
  expect(await readLanguage()).toEqual([{ language: 'en' }])
})
