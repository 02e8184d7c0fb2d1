import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { bareEnvironment } from '#testkit/child-environment.ts'
import { demoPhone, seedDemoTown } from '#testkit/demo-town.ts'
import { productionSettings } from '#testkit/production-settings.ts'
import { slowMachineSettings, until } from '#testkit/start-app.ts'
import { cloneDatabase } from '#testkit/test-database.ts'
import { systemClock } from './config/clock.ts'
import { readConfig } from './config/read-config.ts'
import { migrate, migrationNames } from './migrate.ts'
import { serve, type Server } from './serve.ts'

/**
 * Proves that a server never migrates, reports that it waits for `kist migrate`, and starts its
 * work afterwards.
 */

let urls: Awaited<ReturnType<typeof cloneDatabase>>
let owner: pg.Client
const directory = mkdtempSync(join(tmpdir(), 'kist-behind-'))
beforeAll(async () => {
  urls = await cloneDatabase(inject('cluster'))
  owner = new pg.Client({ connectionString: urls.ownerUrl })
  owner.on('error', () => {})
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await urls.drop()
  rmSync(directory, { recursive: true, force: true })
})

async function start(
  role: string,
): Promise<{ server: Server; logged(): string; get(path: string): Promise<{ status: number; body: Record<string, unknown> }> }> {
  const lines: string[] = []
  const log = pino(new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) }))
  const config = readConfig({
    ...slowMachineSettings,
    NODE_ENV: 'test',
    KIST_DEMO: 'true',
    KIST_LIMITS: 'relaxed',
    KIST_DATA_DIR: directory,
    KIST_ROLE: role,
    PORT: '0',
  })
  const server = await serve({
    config,
    clock: systemClock('+0s'),
    databaseUrl: urls.appUrl,
    razorpayBaseUrl: 'http://127.0.0.1:9',
    log,
    printSms: () => {},
  })
  return {
    server,
    logged: () => lines.join(''),
    get: async (path) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}
const schemaIs = async () => {
  const { rows } = await owner.query<{ tables: number }>(
    "select count(*)::int as tables from pg_tables where schemaname in ('public', 'pgboss')",
  )
  return rows[0]?.tables
}
/** The loops that one process at a time runs (loops.ts), in the order of their names. */
const leasedLoops = [
  'audit',
  'autopay debits',
  'autopay mandates',
  'autopay returns',
  'due soon',
  'emi start',
  'expired proposals',
  'invariants',
  'late charges',
  'orphans',
  'rate reset changes',
  'rate reset defaults',
  'rate reset previews',
  'rate resets',
  'reconciliation',
  'retention',
  'sign-in limits',
]
/** The database before the first migration, and before one of a new version. */
const states: [name: string, statements: string[], says: string][] = [
  [
    'empty',
    ['drop schema public cascade', 'create schema public', 'grant usage on schema public to public', 'drop schema pgboss cascade'],
    '0001_foundation.sql',
  ],
  ['a migration behind', ["delete from schema_migrations where name = '0005_receipts.sql'"], '0005_receipts.sql'],
  ['a queue behind', ["delete from pgboss.queue where name = 'reconcile'"], 'queue reconcile'],
  ['a version of the job tables behind', ['update pgboss.version set version = version - 1'], 'job tables of version'],
]

describe.each(states)('a server on a database that is %s', (name, statements, says) => {
  it('starts, migrates nothing, is not ready, answers 503, and becomes ready when the schema is complete', async () => {
    for (const statement of statements) await owner.query(statement)
    const before = await schemaIs()
    const { server, logged, get } = await start('all')
    expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'live' } })
    // `database` while the database takes longer than the check allows.
    const ready = await until(async () => {
      const answer = await get('/health/ready')
      return answer.body['status'] !== 'database' && answer
    })
    expect(ready).toEqual({ status: 503, body: { status: 'migrations' } })
    expect(await get('/api/v1/portal/loans-summary')).toMatchObject({ status: 503, body: { code: 'Unavailable' } })
    await until(() => logged().includes('database schema is behind this version: run kist migrate'))
    expect(logged()).toContain(says)
    expect(await schemaIs()).toBe(before)
    // Migrates; what the test removed from a complete schema is restored by hand.
    if (name === 'empty') expect(await migrate(urls.ownerUrl)).toEqual(migrationNames())
    if (name === 'a migration behind') await owner.query("insert into schema_migrations (name) values ('0005_receipts.sql')")
    if (name === 'a queue behind') await migrate(urls.ownerUrl)
    if (name.startsWith('a version')) await owner.query('update pgboss.version set version = version + 1')
    await until(async () => (await get('/health/ready')).status === 200)
    expect(await get('/api/v1/portal/loans-summary')).toMatchObject({ status: 401 })
    expect(logged()).toContain('database schema is complete: starting work')
    if (name === 'empty') {
      // The job queue and the loops work as well.
      await seedDemoTown(server.context.database, new Date(), server.context.storage)
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ phone: demoPhone(1) }),
      })
      expect(answer.status).toBe(200)
      await until(async () => (await owner.query("select from pgboss.job where name = 'send-sms' and state = 'completed'")).rowCount)
      await until(async () => (await owner.query("select from leases where name = 'audit' and finished_at is not null")).rowCount)
      await until(async () => (await owner.query('select from leases')).rowCount === leasedLoops.length)
      expect((await owner.query<{ name: string }>('select name from leases')).rows.map((lease) => lease.name).toSorted()).toEqual(
        leasedLoops,
      )
    }
    await server.close()
  })
})

it('a server that waits for its schema stops at once on request, also as a worker', async () => {
  await owner.query("delete from schema_migrations where name = '0005_receipts.sql'")
  for (const role of ['web', 'worker']) {
    const { server, logged } = await start(role)
    await until(() => logged().includes('run kist migrate'))
    // The schema stays behind, so a server that waited for it would never stop.
    await server.close()
  }
  await owner.query("insert into schema_migrations (name) values ('0005_receipts.sql')")
})

it('the job tables are upgraded only while no process serves, and nothing changes otherwise', async () => {
  await owner.query('update pgboss.version set version = version - 1')
  await owner.query("delete from schema_migrations where name = '0009_retention.sql'")
  const { server, get } = await start('web')
  // Only now does it have a connection, by which it is seen.
  await until(async () => (await get('/health/ready')).body['status'] === 'migrations')
  await expect(migrate(urls.ownerUrl)).rejects.toThrow(/stop every web process and worker .* Nothing was changed/)
  expect((await owner.query("select from schema_migrations where name = '0009_retention.sql'")).rowCount).toBe(0)
  await server.close()
  await owner.query('update pgboss.version set version = 1000')
  await expect(migrate(urls.ownerUrl)).rejects.toThrow(/version 1000, newer than/)
})

it('a serving process in production refuses the login that owns the tables, and does not print it', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...bareEnvironment,
      ...productionSettings,
      KIST_DATA_DIR: directory,
      DATABASE_URL: urls.appUrl,
      DATABASE_OWNER_URL: urls.ownerUrl,
    },
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  expect(code).toBe(1)
  expect(output).toContain('DATABASE_OWNER_URL must not be set for a serving process')
  expect(output).not.toContain(new URL(urls.ownerUrl).password)
})
