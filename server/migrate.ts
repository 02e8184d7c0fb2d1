import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { minuteMs } from '#domain/durations.ts'
import { splitStatements } from './database/split-statements.ts'
import { nameDeadLetter, deadLetterOptions, jobSchemaVersion, queues } from './jobs/queues.ts'

export const migrationsDirectory = join(import.meta.dirname, 'database', 'migrations')

/** An arbitrary advisory lock key; its holder migrates. */
const migrationLockKey = 7_104_211

/**
 * How long a migration waits for a table or row before it is rolled back, the pause before it is
 * tried again, and for how long it is tried. While it waits, every new read of the table waits
 * behind it, for as long as a dump or a check of the whole book reads the table.
 */
const lockWaits = { waitMs: 2_000, pauseMs: 3_000, triesMinutes: 15 }

/** Says on stderr that a migration waits. */
export const printWait = (name: string): void =>
  console.error(`waiting: what ${name} changes is in use, for example by a dump; it is tried again for ${lockWaits.triesMinutes} minutes`)

type MigrationListeners = { onWait: (name: string) => void; onProgress: (filesDone: number, filesAll: number) => void }

/**
 * Migrates the database to this version's schema, as the owning login. Safe for concurrent
 * processes; does nothing if no migration is pending. Each file runs in its own transaction. Also
 * updates the job tables and queues.
 *
 * @param options `onWait` is told the file whose tables are in use; it is tried again. Prints it by
 * default. `onProgress` is called before every file.
 * @returns the names of the migrations that ran.
 * @throws if a file fails; the previous migrations stay applied. Also if the job tables need
 * another version while processes serve; nothing has changed then.
 */
export async function migrate(
  ownerUrl: string,
  directory = migrationsDirectory,
  options: Partial<MigrationListeners> = {},
): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    await acquireMigrationLock(client)
    await refuseJobUpgradeWhileServing(client)
    await refuseStoppedFilesWhileServing(client, directory)
    const ran = await runPending(client, directory, { onWait: printWait, onProgress: () => {}, ...options })
    // Lets a serving process check its schema.
    await client.query('grant select on schema_migrations to kist_app')
    // Runs every time: an interrupted run or a new queue must not leave the job tables incomplete.
    await prepareJobs(ownerUrl, client)
    return ran
  } finally {
    await client.end()
  }
}

/**
 * Polls instead of waiting in one statement: a waiting statement keeps a snapshot, and a concurrent
 * index build waits for all snapshots.
 */
async function acquireMigrationLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLockKey])
    if (rows[0]?.taken) return
    await delay(100)
  }
}

/**
 * The previous version can run during a migration, but not during an upgrade of pg-boss's tables,
 * whose processes require one exact version. That upgrade is refused while a process serves.
 */
async function refuseJobUpgradeWhileServing(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query<{ exists: boolean }>("select to_regclass('pgboss.version') is not null as exists")
  if (!tables[0]?.exists) return
  const { rows } = await client.query<{ version: number }>('select version from pgboss.version')
  const installed = rows[0]?.version
  if (installed === undefined || installed === jobSchemaVersion) return
  if (installed > jobSchemaVersion)
    throw new Error(`The job tables are of version ${installed}, newer than ${jobSchemaVersion} of this version of Kist: use the newer one`)
  if (await isServing(client))
    throw new Error(`The job tables go from version ${installed} to ${jobSchemaVersion}, which ${stopEverything}`)
}

const stopEverything =
  'running processes do not support: stop every web process and worker (and any pooler), then run kist migrate again. Nothing was changed'

async function isServing(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_stat_activity where datname = current_database() and usename = 'kist_app' limit 1",
  )
  return (rowCount ?? 0) > 0
}

/** The first line of a file that changes what the previous version cannot work with. */
const withEveryProcessStopped = '-- With every process stopped.'

/** Such a file runs at any time in a database that has no tables yet: there is nothing to serve. */
async function refuseStoppedFilesWhileServing(client: pg.Client, directory: string): Promise<void> {
  const pending = await findPendingMigrations(client, directory)
  const [first] = migrationNames(directory)
  const stopped = pending.find((name) => readFileSync(join(directory, name), 'utf8').startsWith(withEveryProcessStopped))
  if (stopped === undefined || pending[0] === first) return
  if (await isServing(client)) throw new Error(`Migration ${stopped} makes a change that ${stopEverything}`)
}

/** Finds the migrations that the database lacks. */
async function findPendingMigrations(client: pg.Client, directory = migrationsDirectory): Promise<string[]> {
  await client.query('create table if not exists schema_migrations (name text primary key, ran_at timestamptz not null default now())')
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations')
  const done = new Set(rows.map((row) => row.name))
  return migrationNames(directory).filter((name) => !done.has(name))
}

/** The names of all migrations, in order. */
export const migrationNames = (directory = migrationsDirectory): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** Enables row-level security for new borrower tables within their migration. */
const protectNewTables =
  "do $$ begin if to_regproc('guard_borrower_tables') is not null then perform guard_borrower_tables(); end if; end $$"

async function runPending(client: pg.Client, directory: string, { onWait, onProgress }: MigrationListeners): Promise<string[]> {
  const pending = await findPendingMigrations(client, directory)
  for (const [done, name] of pending.entries()) {
    onProgress(done, pending.length)
    const text = readFileSync(join(directory, name), 'utf8')
    try {
      await (text.startsWith(withoutTransaction) ? runWithoutTransaction(client, name, text) : runWhenFree(client, name, text, onWait))
    } catch (error) {
      throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error })
    }
  }
  return pending
}

/**
 * The first line of a file with one statement that PostgreSQL runs only outside a transaction: a
 * concurrent index.
 */
const withoutTransaction = '-- Without a transaction.'

/**
 * The only statements allowed in such a file. Released files lack `if not exists` and `if exists`,
 * and a released file is never changed.
 */
const indexStatement = /^(create\s+(?:unique\s+)?|drop\s+)index\s+concurrently\s+(?:if\s+(?:not\s+)?exists\s+)?(\w+)/i

/**
 * Runs a statement that cannot share a transaction with its record. The process may be killed
 * between the two, or during the statement; the next attempt therefore accepts a completed index,
 * and drops an invalid one.
 */
async function runWithoutTransaction(client: pg.Client, name: string, text: string): Promise<void> {
  const statement = text.replaceAll(/--[^\n]*/g, '').trim()
  const [begin = '', action = '', index = ''] = indexStatement.exec(statement) ?? []
  if (begin === '') throw new Error('it may only contain create index concurrently or drop index concurrently')
  const isDrop = /^drop/i.test(action)
  const { rows } = await client.query<{ indisvalid: boolean }>('select indisvalid from pg_index where indexrelid = to_regclass($1)', [
    `public.${index}`,
  ])
  const [existing] = rows
  if (existing && !existing.indisvalid && !isDrop) await client.query(`drop index concurrently ${index}`)
  // Asked for a completed index, Citus marks it invalid, with `if not exists` too.
  if (isDrop || !existing?.indisvalid)
    await client.query(`${action}index concurrently if ${isDrop ? '' : 'not '}exists ${index}${statement.slice(begin.length)}`)
  await client.query('insert into schema_migrations (name) values ($1)', [name])
}

/** Runs a file in a transaction, again as long as what it changes is in use ({@link lockWaits}). */
async function runWhenFree(client: pg.Client, name: string, text: string, onWait: (name: string) => void): Promise<void> {
  let triedUntil: number | null = null
  for (;;) {
    try {
      return await runInTransaction(client, name, text)
    } catch (error) {
      if (!lockFailures.includes((error as { code?: string }).code ?? '')) throw error
      triedUntil ??= Date.now() + lockWaits.triesMinutes * minuteMs
      if (Date.now() > triedUntil) throw error
      onWait(name)
      await delay(lockWaits.pauseMs)
    }
  }
}

/** PostgreSQL's codes of a lock that was not free within `lock_timeout`, and of a deadlock. */
const lockFailures = ['55P03', '40P01']

async function runInTransaction(client: pg.Client, name: string, text: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockWaits.waitMs}`)
    // One at a time: Citus refuses several changes of distributed tables in one message.
    for (const statement of splitStatements(text)) await client.query(statement)
    await client.query(protectNewTables)
    await client.query('insert into schema_migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Creates the job tables as the owner; the serving login may only use them. */
async function prepareJobs(ownerUrl: string, client: pg.Client): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, schedule: false, supervise: false, max: 2 })
  boss.on('error', () => {})
  await boss.start()
  for (const { name, ...options } of queues) {
    const deadLetter = nameDeadLetter(name)
    await boss.createQueue(deadLetter, deadLetterOptions)
    await boss.createQueue(name, { ...options, deadLetter })
    // A queue of an earlier version may lack the dead-letter queue.
    await boss.updateQueue(name, { ...options, deadLetter })
  }
  await boss.stop({ graceful: false })
  await client.query('grant usage on schema pgboss to kist_app')
  await client.query('grant select, insert, update, delete on all tables in schema pgboss to kist_app')
  await client.query('grant usage on all sequences in schema pgboss to kist_app')
  await client.query('grant execute on all functions in schema pgboss to kist_app')
}
