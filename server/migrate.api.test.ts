import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { withClient } from '#testkit/query-once.ts'
import { until } from '#testkit/start-app.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { migrate, migrationNames } from './migrate.ts'

let urls: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  urls = await cloneDatabase(inject('cluster'))
})
afterAll(() => urls.drop())

describe('migrating', () => {
  it('an up-to-date database changes nothing, however many processes start at once', async () => {
    expect(await Promise.all(Array.from({ length: 5 }, () => migrate(urls.ownerUrl)))).toEqual([[], [], [], [], []])
  })
  it('an empty database migrated by five processes runs each file once', async () => {
    await withClient(urls.ownerUrl, async (client) => {
      await client.query('drop schema public cascade; create schema public; drop schema pgboss cascade')
    })
    const ran = (await Promise.all(Array.from({ length: 5 }, () => migrate(urls.ownerUrl)))).flat()
    expect(ran.length).toBeGreaterThan(0)
    expect(new Set(ran).size).toBe(ran.length)
  })
})

describe('a migration of a table that is in use', () => {
  it('lets others read the table meanwhile, and is done once it is free', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kist-migrations-'))
    try {
      for (const name of migrationNames()) cpSync(join(import.meta.dirname, 'database', 'migrations', name), join(directory, name))
      writeFileSync(join(directory, '9001_a_column.sql'), 'alter table loans add column a_column integer;\n')
      await withClient(urls.ownerUrl, async (dump) => {
        await dump.query('begin; lock table loans in access share mode')
        const waits: string[] = []
        const steps: [number, number][] = []
        const migrated = migrate(urls.ownerUrl, directory, {
          onWait: (name) => waits.push(name),
          onProgress: (done, all) => steps.push([done, all]),
        })
        await until(() => waits.length > 0)
        await withClient(urls.ownerUrl, (reader) => reader.query("set statement_timeout = '10s'; select from loans limit 1"))
        await dump.query('commit')
        expect(await migrated).toEqual(['9001_a_column.sql'])
        expect(new Set(waits)).toEqual(new Set(['9001_a_column.sql']))
        expect(steps).toEqual([[0, 1]])
      })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('a migration without a transaction', () => {
  it('creates its index once during writes, with concurrent processes, and after an interrupted attempt', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kist-migrations-'))
    try {
      for (const name of migrationNames()) cpSync(join(import.meta.dirname, 'database', 'migrations', name), join(directory, name))
      const statement = 'create index concurrently loans_by_title on loans (borrower_id, title);'
      writeFileSync(join(directory, '9000_loans_by_title.sql'), `-- Without a transaction. For the list of titles.\n${statement}\n`)
      await withClient(urls.superuserUrl, async (client) => {
        await client.query('create index loans_by_title on loans (borrower_id, title)')
        await client.query("update pg_index set indisvalid = false where indexrelid = 'loans_by_title'::regclass")
      })
      const ran = (await Promise.all(Array.from({ length: 3 }, () => migrate(urls.ownerUrl, directory)))).flat()
      expect(ran).toEqual(['9000_loans_by_title.sql'])
      await withClient(urls.ownerUrl, async (client) => {
        const { rows } = await client.query("select indisvalid from pg_index where indexrelid = 'loans_by_title'::regclass")
        expect(rows).toEqual([{ indisvalid: true }])
      })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('a migration that was killed between its statement and its record', () => {
  /** Migrates while a lock blocks the record, and kills the session after the statement. */
  const interrupt = (directory: string, isDone: (client: pg.Client) => Promise<boolean>) =>
    withClient(urls.superuserUrl, (locking) =>
      // Queries in a separate session: a concurrent index build waits for every transaction with a
      // snapshot.
      withClient(urls.superuserUrl, async (asking) => {
        await locking.query('begin; lock table schema_migrations in share mode')
        const attempt = migrate(urls.ownerUrl, directory).then(
          () => 'migrated',
          (error: Error) => error.message,
        )
        await until(() => isDone(asking))
        await until(async () => {
          const { rows } = await asking.query<{ killed: boolean }>(
            "select pg_terminate_backend(pid) as killed from pg_stat_activity where query like 'insert into schema_migrations%' and wait_event_type = 'Lock'",
          )
          return rows[0]?.killed
        })
        expect(await attempt).toMatch(/^Migration .* failed/)
        await locking.query('rollback')
      }),
    )
  const hasIndex = async (client: pg.Client, name: string) =>
    ((await client.query('select from pg_index where indexrelid = to_regclass($1) and indisvalid', [name])).rowCount ?? 0) > 0

  it.each([
    ['plain', ''],
    ['commented', '-- A comment about create index concurrently.\n'],
  ])('runs again, %s file: an index that is created, and one that is dropped', async (kind, comment) => {
    const directory = mkdtempSync(join(tmpdir(), 'kist-migrations-'))
    const name = `loans_${kind}`
    try {
      for (const file of migrationNames()) cpSync(join(import.meta.dirname, 'database', 'migrations', file), join(directory, file))
      const make = `9001_${name}.sql`
      writeFileSync(
        join(directory, make),
        `-- Without a transaction.\n${comment}create unique index concurrently ${name} on loans (borrower_id, loan_id, title);\n`,
      )
      await interrupt(directory, (client) => hasIndex(client, name))
      expect(await migrate(urls.ownerUrl, directory)).toEqual([make])
      expect(await withClient(urls.ownerUrl, (client) => hasIndex(client, name))).toBe(true)

      const drop = `9002_${name}_gone.sql`
      writeFileSync(join(directory, drop), `-- Without a transaction.\n${comment}drop index concurrently ${name};\n`)
      await interrupt(directory, async (client) => !(await hasIndex(client, name)))
      expect(await migrate(urls.ownerUrl, directory)).toEqual([drop])
      expect(await withClient(urls.ownerUrl, (client) => hasIndex(client, name))).toBe(false)
      expect(await migrate(urls.ownerUrl, directory)).toEqual([])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it.each(
    migrationNames().filter((name) =>
      readFileSync(join(import.meta.dirname, 'database', 'migrations', name), 'utf8').startsWith('-- Without'),
    ),
  )('runs again: %s, as it was released', async (name) => {
    await withClient(urls.ownerUrl, (client) => client.query('delete from schema_migrations where name = $1', [name]))
    expect(await migrate(urls.ownerUrl)).toEqual([name])
  })
})

describe('the serving login', () => {
  it.each(['ledger_transactions', 'ledger_entries', 'payment_link_history', 'access_log'])(
    'may not change or remove a line of %s',
    async (table) => {
      await withClient(urls.appUrl, async (client) => {
        const column = table === 'ledger_entries' ? 'line' : 'actor_id'
        await expect(client.query(`update ${table} set ${column} = ${column}`)).rejects.toThrow(/permission denied/)
        await expect(client.query(`delete from ${table}`)).rejects.toThrow(/permission denied/)
        await expect(client.query(`truncate ${table}`)).rejects.toThrow(/permission denied/)
      })
    },
  )
  it('owns nothing and may create nothing', async () => {
    await withClient(urls.appUrl, async (client) => {
      await expect(client.query('create table mine (x int)')).rejects.toThrow(/permission denied/)
      await expect(client.query('alter table users add column x int')).rejects.toThrow(/must be owner/)
      await expect(client.query('drop table users')).rejects.toThrow(/must be owner/)
      const { rows } = await client.query("select tablename from pg_tables where tableowner = 'kist_app'")
      expect(rows).toEqual([])
    })
  })
})
