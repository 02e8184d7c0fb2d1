import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { deadLetterOf, deadLetterOptions, jobSchemaVersion, queues } from './jobs/queues.ts'

const migrationsDirectory = join(import.meta.dirname, 'database', 'migrations')

/** Any number, the same in every process: who holds it migrates. */
const migrationLockKey = 7_104_211

/**
 * Brings the database to this code's schema, as the owning login. Safe when several processes start at once, and a
 * no-op when nothing is pending. Each file runs in its own transaction. The job tables and queues are brought up to date with it.
 *
 * @returns the names of the migrations that ran.
 * @throws when a file fails; the database stays at the one before it. Also when the job tables need another version while processes
 * serve: nothing has changed then.
 */
export async function migrate(ownerUrl: string, directory = migrationsDirectory): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    await takeTurn(client)
    await refuseJobUpgradeWhileServing(client)
    const ran = await runPending(client, directory)
    // So that a serving process can tell whether it has the schema it was written for.
    await client.query('grant select on schema_migrations to kist_app')
    // Every time: a start that was killed in between, or a new queue, must not leave the jobs half prepared.
    await prepareJobs(ownerUrl, client)
    return ran
  } finally {
    await client.end()
  }
}

/**
 * Asks again and again rather than waiting in one statement: a statement that waits keeps a snapshot, and an index that is made
 * concurrently waits for all of those.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLockKey])
    if (rows[0]?.taken) return
    await delay(100)
  }
}

/**
 * Migrations leave the version before running; a new version of pg-boss's own tables does not: its processes work with one version
 * alone, and do not start on another. So that upgrade waits until no process serves.
 */
async function refuseJobUpgradeWhileServing(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query<{ exists: boolean }>("select to_regclass('pgboss.version') is not null as exists")
  if (!tables[0]?.exists) return
  const { rows } = await client.query<{ version: number }>('select version from pgboss.version')
  const installed = rows[0]?.version
  if (installed === undefined || installed === jobSchemaVersion) return
  if (installed > jobSchemaVersion)
    throw new Error(`The job tables are of version ${installed}, newer than ${jobSchemaVersion} of this version of Kist: use the newer one`)
  const { rows: serving } = await client.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and usename = 'kist_app'",
  )
  if ((serving[0]?.count ?? 0) > 0)
    throw new Error(
      `The job tables go from version ${installed} to ${jobSchemaVersion}, which running processes do not survive: stop every web process and worker (and a pooler between), then run kist migrate again. Nothing was changed`,
    )
}

/** The migrations that the database lacks. */
export async function pendingMigrations(client: pg.Client, directory = migrationsDirectory): Promise<string[]> {
  await client.query('create table if not exists schema_migrations (name text primary key, ran_at timestamptz not null default now())')
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations')
  const done = new Set(rows.map((row) => row.name))
  return migrationNames(directory).filter((name) => !done.has(name))
}

/** All migrations of this code, in their order. */
export const migrationNames = (directory = migrationsDirectory): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** A borrower's table that a migration makes is guarded by row-level security within that migration. */
const guardNewTables = "do $$ begin if to_regproc('guard_borrower_tables') is not null then perform guard_borrower_tables(); end if; end $$"

async function runPending(client: pg.Client, directory: string): Promise<string[]> {
  const pending = await pendingMigrations(client, directory)
  for (const name of pending) {
    const text = readFileSync(join(directory, name), 'utf8')
    try {
      await (text.startsWith(withoutTransaction) ? runAlone(client, name, text) : runTogether(client, name, text))
    } catch (error) {
      throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
    }
  }
  return pending
}

/** How a file begins that holds one statement which PostgreSQL takes outside of transactions only: an index made concurrently. */
const withoutTransaction = '-- Without a transaction.'

/** What such a file may hold. Released files lack `if not exists` and `if exists`, and a released file is never changed. */
const indexStatement = /^(create\s+(?:unique\s+)?|drop\s+)index\s+concurrently\s+(?:if\s+(?:not\s+)?exists\s+)?(\w+)/i

/**
 * Runs a file of one statement that cannot be in a transaction with its record. The process may be killed between the two, or the
 * statement be cut off; the next attempt therefore accepts what an earlier one completed, and drops what one left invalid.
 */
async function runAlone(client: pg.Client, name: string, text: string): Promise<void> {
  const statement = text.replaceAll(/--[^\n]*/g, '').trim()
  const [begin = '', action = '', index = ''] = indexStatement.exec(statement) ?? []
  if (begin === '') throw new Error('it holds another statement than create index concurrently or drop index concurrently')
  const isDrop = /^drop/i.test(action)
  const { rowCount: invalid } = await client.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
    `public.${index}`,
  ])
  if (invalid && !isDrop) await client.query(`drop index concurrently ${index}`)
  await client.query(`${action}index concurrently if ${isDrop ? '' : 'not '}exists ${index}${statement.slice(begin.length)}`)
  await client.query('insert into schema_migrations (name) values ($1)', [name])
}

async function runTogether(client: pg.Client, name: string, text: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query(guardNewTables)
    await client.query('insert into schema_migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** The job tables belong to the owner too; the serving login may only use them. */
async function prepareJobs(ownerUrl: string, client: pg.Client): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, schedule: false, supervise: false, max: 2 })
  boss.on('error', () => {})
  await boss.start()
  for (const { name, ...options } of queues) {
    const deadLetter = deadLetterOf(name)
    await boss.createQueue(deadLetter, deadLetterOptions)
    await boss.createQueue(name, { ...options, deadLetter })
    // One that an earlier version made without it.
    await boss.updateQueue(name, { ...options, deadLetter })
  }
  await boss.stop({ graceful: false })
  await client.query('grant usage on schema pgboss to kist_app')
  await client.query('grant select, insert, update, delete on all tables in schema pgboss to kist_app')
  await client.query('grant usage on all sequences in schema pgboss to kist_app')
  await client.query('grant execute on all functions in schema pgboss to kist_app')
}
