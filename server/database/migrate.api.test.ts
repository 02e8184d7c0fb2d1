import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { cloneDatabase } from '#testkit/test-database.ts'
import { migrate, migrationNames } from './migrate.ts'

let urls: Awaited<ReturnType<typeof cloneDatabase>>
beforeAll(async () => {
  urls = await cloneDatabase(inject('cluster'))
})
afterAll(() => urls.drop())

async function asLogin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

describe('migrating', () => {
  it('an up-to-date database changes nothing, however many processes start at once', async () => {
    expect(await Promise.all(Array.from({ length: 5 }, () => migrate(urls.ownerUrl)))).toEqual([[], [], [], [], []])
  })
  it('an empty database by five processes at once runs each file once', async () => {
    await asLogin(urls.ownerUrl, async (client) => {
      await client.query('drop schema public cascade; create schema public; drop schema pgboss cascade')
    })
    const ran = (await Promise.all(Array.from({ length: 5 }, () => migrate(urls.ownerUrl)))).flat()
    expect(ran.length).toBeGreaterThan(0)
    expect(new Set(ran).size).toBe(ran.length)
  })
})

describe('a migration without a transaction', () => {
  it('makes its index beside running writes, once, whoever starts at the same time, and after an attempt that was cut off', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kist-migrations-'))
    try {
      for (const name of migrationNames()) cpSync(join(import.meta.dirname, 'migrations', name), join(directory, name))
      const made = 'create index concurrently loans_by_title on loans (borrower_id, title);'
      writeFileSync(join(directory, '9000_loans_by_title.sql'), `-- Without a transaction. For the list of titles.\n${made}\n`)
      await asLogin(urls.superuserUrl, async (client) => {
        await client.query('create index loans_by_title on loans (borrower_id, title)')
        await client.query("update pg_index set indisvalid = false where indexrelid = 'loans_by_title'::regclass")
      })
      const ran = (await Promise.all(Array.from({ length: 3 }, () => migrate(urls.ownerUrl, directory)))).flat()
      expect(ran).toEqual(['9000_loans_by_title.sql'])
      await asLogin(urls.ownerUrl, async (client) => {
        const { rows } = await client.query("select indisvalid from pg_index where indexrelid = 'loans_by_title'::regclass")
        expect(rows).toEqual([{ indisvalid: true }])
      })
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('the serving login', () => {
  it.each(['ledger_transactions', 'ledger_entries', 'payment_link_history', 'access_log'])(
    'may not change or remove a line of %s',
    async (table) => {
      await asLogin(urls.appUrl, async (client) => {
        const column = table === 'ledger_entries' ? 'line' : 'actor_id'
        await expect(client.query(`update ${table} set ${column} = ${column}`)).rejects.toThrow(/permission denied/)
        await expect(client.query(`delete from ${table}`)).rejects.toThrow(/permission denied/)
        await expect(client.query(`truncate ${table}`)).rejects.toThrow(/permission denied/)
      })
    },
  )
  it('owns nothing and may make nothing', async () => {
    await asLogin(urls.appUrl, async (client) => {
      await expect(client.query('create table mine (x int)')).rejects.toThrow(/permission denied/)
      await expect(client.query('alter table users add column x int')).rejects.toThrow(/must be owner/)
      await expect(client.query('drop table users')).rejects.toThrow(/must be owner/)
      const { rows } = await client.query("select tablename from pg_tables where tableowner = 'kist_app'")
      expect(rows).toEqual([])
    })
  })
})
