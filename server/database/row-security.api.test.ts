import { sql as raw } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { findUserById } from '../auth/user-store.ts'
import { findLoan } from '../loans/loan-store.ts'

let app: App
let client: pg.Client
let guarded: { table: string; column: string }[]
const ids = new Map<number, string>()

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
  for (const number of [1, 2]) {
    await app.signIn(demoPhone(number))
    const row = await app.database.asSystem((sql) =>
      sql.selectFrom('user_phones').select('user_id').where('phone', '=', demoPhone(number)).executeTakeFirstOrThrow(),
    )
    ids.set(number, row.user_id)
  }
  client = new pg.Client({ connectionString: app.databaseUrls.appUrl })
  await client.connect()
  const { rows } = await client.query<{ table: string; column: string }>(`
    select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not a.attisdropped
      and (a.attname = 'borrower_id' or (c.relname, a.attname) in (('users', 'user_id'), ('user_phones', 'user_id'), ('access_log', 'subject_id')))
    order by 1`)
  guarded = rows
})
afterAll(async () => {
  await client.end()
  await app.close()
})

const own = () => ids.get(1) ?? ''
const other = () => ids.get(2) ?? ''
const inScope = async (settings: Record<string, string>, statement: string): Promise<Record<string, unknown>[]> => {
  await client.query('begin')
  try {
    for (const [name, value] of Object.entries(settings)) await client.query(`set local ${name} = '${value}'`)
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.query('rollback')
  }
}

describe('row-level security', () => {
  it('protects every table with a borrower', async () => {
    const rows = await inScope(
      {},
      `select distinct c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity and not a.attisdropped
         and a.attname in ('borrower_id', 'user_id', 'subject_id', 'phone', 'assumed_user_id')`,
    )
    expect(rows).toEqual([])
    expect(guarded.length).toBeGreaterThan(14)
  })

  it('Z12: a query without a borrower reads no row of these tables', async () => {
    for (const { table } of guarded) expect([table, await inScope({}, `select 1 from ${table}`)]).toEqual([table, []])
    for (const table of ['sessions', 'sign_in_codes', 'sign_in_phones', 'webhook_inbox', 'borrower_search', 'audit_anchors'])
      expect([table, await inScope({}, `select 1 from ${table}`)]).toEqual([table, []])
  })

  it('a query without a borrower filter reads only the borrower’s own rows', async () => {
    for (const { table, column } of guarded) {
      const rows = await inScope({ 'app.borrower_id': own() }, `select distinct ${column}::text as whose from ${table}`)
      expect([table, rows.filter(({ whose }) => whose !== own())]).toEqual([table, []])
    }
    expect(await inScope({ 'app.borrower_id': own() }, 'select 1 from loans')).toHaveLength(1)
    expect(await inScope({ 'app.system': 'on' }, 'select distinct borrower_id from loans')).not.toHaveLength(1)
  })

  it('applies without the first check: the store asks for another borrower by id', async () => {
    const { lan } = await app.database.asBorrower(other(), (sql) =>
      sql.selectFrom('loans').select('lan').limit(1).executeTakeFirstOrThrow(),
    )
    expect(await app.database.asBorrower(other(), (sql) => findLoan(sql, other(), lan))).toBeDefined()
    expect(await app.database.asBorrower(own(), (sql) => findLoan(sql, other(), lan))).toBeUndefined()
    expect(await app.database.asBorrower(own(), (sql) => findUserById(sql, other()))).toBeUndefined()
  })

  it('prevents writes and changes for another borrower', async () => {
    const insert = `insert into loan_applications (borrower_id, application_id, submitted_at) values ('${other()}', 'APP-1', now())`
    await expect(inScope({ 'app.borrower_id': own() }, insert)).rejects.toThrow(/row-level security/)
    const changed = await inScope(
      { 'app.borrower_id': own() },
      `update loans set title = 'mine' where borrower_id = '${other()}' returning 1`,
    )
    expect(changed).toEqual([])
    await expect(inScope({ 'app.borrower_id': own() }, `update loans set borrower_id = '${other()}' returning 1`)).rejects.toThrow(
      // Citus refuses the change before row-level security is asked.
      /row-level security|modifying the partition value/,
    )
  })

  it('a scope ends with its transaction', async () => {
    await app.database.asSystem(async () => {})
    await app.database.asBorrower(own(), async (sql) => {
      const rows = await sql.selectFrom('loans').select('borrower_id').execute()
      expect(new Set(rows.map((row) => row.borrower_id))).toEqual(new Set([own()]))
    })
    expect((await client.query('select 1 from loans')).rows).toEqual([])
  })

  it('so do the time limits: nothing is set on a connection, which a pooler shares', async () => {
    const limitsIn = (work: typeof app.database.asSystem) =>
      work(
        async (sql) =>
          (
            await raw<{ a: string; b: string }>`select current_setting('statement_timeout') as a,
        current_setting('idle_in_transaction_session_timeout') as b`.execute(sql)
          ).rows[0],
      )
    const { statementTimeoutMs } = app.context.config.database
    const limit = `${statementTimeoutMs / 1_000}s`
    expect(await limitsIn(app.database.asSystem)).toEqual({ a: limit, b: limit })
    expect(await limitsIn((work) => app.database.asBorrower(own(), work))).toEqual({ a: limit, b: limit })
    expect(await limitsIn(app.database.asSnapshot)).toEqual({ a: '0', b: '0' })
  })

  it('Z13: the serving login can neither disable it nor become another login', async () => {
    for (const statement of [
      'alter table loans disable row level security',
      'drop policy own_rows on loans',
      'create policy mine on loans using (true)',
      'set role kist_owner',
      'set session authorization kist_owner',
      'alter role kist_app bypassrls',
      'select guard_borrower_tables()',
      'drop table access_log',
      'update access_log_heads set sequence = 0, hash = null',
      "select pg_read_file('/etc/hostname')",
    ])
      await expect(inScope({ 'app.system': 'on' }, statement), statement).rejects.toThrow(
        /permission denied|must be (owner|superuser)|not-null/,
      )
    const [role] = await inScope({}, `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user`)
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false })
    await expect(inScope({}, 'set row_security = off; select 1 from loans'), 'asking for an error instead of no rows').rejects.toThrow(
      /row-level security/,
    )
  })
})
