import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withClient } from '../query-once.ts'

/**
 * The data of a version of 20 November 2026, which had the first four migrations: its rows, and the
 * provider's journal with one open link. All later migrations run on it. make-fixture.ts wrote it.
 */
export type ReleaseFixture = {
  made_at: string
  /** The release's migrations in order. */
  migrations: string[]
  tables: Record<string, Record<string, unknown>[]>
  link: { id: string; phone: string; lan: string; amount: number }
  /** The sandbox's journal. */
  journal: string
}

const migrationsDirectory = join(import.meta.dirname, '../../server/database/migrations')

const file = join(import.meta.dirname, 'release.ndjson')

/** Writes one line for everything but tables, then one line for each row, for readable diffs. */
export function writeRelease({ tables, ...rest }: ReleaseFixture): void {
  const rows = Object.entries(tables).flatMap(([table, all]) => all.map((row) => ({ table, row })))
  writeFileSync(file, [rest, ...rows].map((line) => `${JSON.stringify(line)}\n`).join(''))
}

export function readRelease(): ReleaseFixture {
  const [first = '', ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n')
  const rest = JSON.parse(first) as Omit<ReleaseFixture, 'tables'>
  const tables: ReleaseFixture['tables'] = {}
  for (const line of rows) {
    const { table, row } = JSON.parse(line) as { table: string; row: Record<string, unknown> }
    ;(tables[table] ??= []).push(row)
  }
  return { ...rest, tables }
}

/** Loads the release into an empty database: its migrations, then its rows. */
export async function loadRelease(ownerUrl: string, superuserUrl: string, { migrations, tables }: ReleaseFixture): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await client.query(
      'drop schema public cascade; drop schema pgboss cascade; create schema public; grant usage on schema public to public',
    )
    await client.query('create table schema_migrations (name text primary key, ran_at timestamptz not null default now())')
    for (const name of migrations) {
      await client.query(readFileSync(join(migrationsDirectory, name), 'utf8'))
      await client.query('insert into schema_migrations (name) values ($1)', [name])
    }
  })
  // Without triggers: the rows contain their results.
  await withClient(superuserUrl, async (client) => {
    await client.query("set session_replication_role = 'replica'")
    for (const [table, rows] of Object.entries(tables)) {
      const { rows: own } = await client.query<{ name: string }>(
        "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
        [table],
      )
      const columns = own.map(({ name }) => `"${name}"`).join(', ')
      await client.query(`insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(rows),
      ])
    }
  })
}

/** Writes the release's journal for the sandbox. */
export function writeSandboxJournal(sandboxDirectory: string, { journal }: ReleaseFixture): void {
  mkdirSync(sandboxDirectory, { recursive: true })
  writeFileSync(join(sandboxDirectory, 'journal.ndjson'), journal)
}
