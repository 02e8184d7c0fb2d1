import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmbedded, stopEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { archiveSettings } from '#server/database/embedded-archive.ts'
import { until } from '#testkit/start-app.ts'
import { joinDataDirectory } from '#cli/data-directory-users.ts'

/**
 * `kist backup` and `kist restore` on an embedded database that is being
 * written to.
 */

const root = mkdtempSync(join(tmpdir(), 'kist-backup-'))
const lost = join(root, 'lost')
const archive = join(root, "other disk's log")
const backup = join(root, 'backup')
for (const directory of [lost, archive]) mkdirSync(directory)
afterAll(async () => {
  for (const name of readdirSync(root)) await stopEmbedded(join(root, name, 'postgres'))
  rmSync(root, { recursive: true, force: true })
})

type Ran = { code: number; out: string; err: string }

/**
 * The restored databases of these tests do not archive their log beside that of the lost
 * database.
 */
function kist(dataDirectory: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = {
      PATH: process.env['PATH'],
      KIST_DATA_DIR: dataDirectory,
      ...(dataDirectory === lost && { KIST_WAL_ARCHIVE_DIR: archive }),
    }
    execFile(process.execPath, [join(import.meta.dirname, '../kist.ts'), ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out.trim(), err: err.trim() }),
    )
  })
}
const failed = (message: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(message) as unknown })

const start = (dataDirectory: string): Promise<EmbeddedPostgres> =>
  startEmbedded({ directory: join(dataDirectory, 'postgres'), durable: true, walArchiveDirectory: dataDirectory === lost ? archive : null })

async function query(postgres: EmbeddedPostgres, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: postgres.superuserUrl.replace(/postgres$/, 'kist') })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
const lines = async (postgres: EmbeddedPostgres) => (await query(postgres, 'select line from written order by 1')).map(({ line }) => line)

/** Starts a restored database, reads its rows and stops it. */
async function linesIn(dataDirectory: string): Promise<unknown[]> {
  const postgres = await start(dataDirectory)
  try {
    return await lines(postgres)
  } finally {
    await postgres.stop()
  }
}

describe('kist backup and kist restore', () => {
  it('bring back all of it: up to the archive where the disk is lost, to the last commit where its log survived', async () => {
    mkdirSync(join(lost, 'documents/documents/a'), { recursive: true })
    writeFileSync(join(lost, 'documents/documents/a/paper'), 'the paper')
    // This process uses the directory: the command leaves the database running.
    const directoryUsers = joinDataDirectory(lost)
    const postgres = await start(lost)
    await query(postgres, 'create table written (line int)')
    await query(postgres, 'insert into written values (1)')
    expect(await kist(lost, 'backup', backup)).toEqual({ code: 0, out: expect.stringMatching(/^backup: \d+ files, \d+ MB in /), err: '' })
    expect((await query(postgres, 'select 1 from pg_replication_slots')).length, 'nothing holds the log back afterwards').toBe(0)

    await query(postgres, 'insert into written values (2)')
    const [moment] = await query(postgres, 'select clock_timestamp()::text as now')
    await query(postgres, 'insert into written values (3)')
    const [switched] = await query(postgres, 'select pg_walfile_name(pg_switch_wal()) as name')
    await until(() => existsSync(join(archive, `${String(switched?.['name'])}.gz`)), 60_000)
    await query(postgres, 'insert into written values (4)')

    // A power failure: the last row is only in pg_wal.
    process.kill(Number(readFileSync(join(lost, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
    directoryUsers.leave()
    const survived = join(root, 'saved-log')
    cpSync(join(lost, 'postgres/data/pg_wal'), survived, { recursive: true })

    const done = { code: 0, out: expect.stringMatching(/^restored: .*\ninvariants: \d+ checked, 0 broken$/), err: '' }
    const fromArchive = join(root, 'from-archive')
    expect(await kist(fromArchive, 'restore', backup, '--wal', archive)).toEqual(done)
    expect(await linesIn(fromArchive)).toEqual([1, 2, 3])

    const atMoment = join(root, 'at-moment')
    expect(await kist(atMoment, 'restore', backup, '--wal', archive, '--until', new Date(String(moment?.['now'])).toISOString())).toEqual(
      done,
    )
    expect(await linesIn(atMoment)).toEqual([1, 2])
  }, 180_000)

  it('reach the last commit with the archive and what is left of pg_wal', async () => {
    const whole = join(root, 'whole')
    expect(await kist(whole, 'restore', backup, '--wal', archive, join(root, 'saved-log'))).toMatchObject({ code: 0 })
    expect(await linesIn(whole)).toEqual([1, 2, 3, 4])
  }, 90_000)

  it('refuse what would lose something', async () => {
    expect(await kist(lost, 'backup', backup)).toEqual(failed(/is not empty/))
    expect(await kist(join(root, 'nowhere'), 'backup', join(root, 'other'))).toEqual(failed(/There is no database in .*nowhere/))
    expect(await kist(lost, 'restore', backup)).toEqual(failed(/lost\/postgres is there already/))
    const documentsOnly = join(root, 'documents-only')
    mkdirSync(join(documentsOnly, 'documents/b'), { recursive: true })
    writeFileSync(join(documentsOnly, 'documents/b/other'), 'x')
    expect(await kist(documentsOnly, 'restore', backup)).toEqual(failed(/documents is there already/))
    const inhabited = join(root, 'inhabited')
    mkdirSync(join(inhabited, 'run'), { recursive: true })
    writeFileSync(join(inhabited, 'run', String(process.pid)), '')
    expect(await kist(inhabited, 'restore', backup)).toEqual(failed(/is running on .*inhabited/))
    expect(await kist(join(root, 'new'), 'restore', archive)).toEqual(failed(/holds no finished backup/))
    expect(await kist(join(root, 'new'), 'restore', backup, '--wal', join(root, 'unmounted'))).toEqual(failed(/is no directory/))
    expect(await kist(join(root, 'new'), 'restore', backup, '--until', 'yesterday')).toMatchObject({
      code: 1,
      err: expect.stringContaining('moment') as unknown,
    })
  }, 60_000)

  it('tell a backup that is damaged, and take up a restore that was cut off', async () => {
    const target = join(root, 'again')
    const file = join(backup, 'postgres/data/PG_VERSION')
    const content = readFileSync(file)
    writeFileSync(file, '17\n')
    expect(await kist(target, 'restore', backup)).toEqual(failed(/PG_VERSION is not what was backed up/))
    rmSync(file)
    expect(await kist(target, 'restore', backup)).toEqual(failed(/The backup lacks .*PG_VERSION/))
    writeFileSync(file, content)
    expect(existsSync(join(target, 'postgres'))).toBe(false)
    expect(await kist(target, 'restore', backup)).toMatchObject({ code: 0 })
    expect(await linesIn(target)).toEqual([1])
    expect(readFileSync(join(target, 'documents/documents/a/paper'), 'utf8')).toBe('the paper')
  }, 90_000)

  it('never let two clusters write into one archive, nor a directory be made where a disk should be', async () => {
    const [name = ''] = readdirSync(archive)
    const other = join(lost, 'other-piece')
    writeFileSync(other, 'another content')
    const script = join(import.meta.dirname, '../../ops/postgres/wal-archive.sh')
    const ran = await new Promise<Ran>((resolve) =>
      execFile(script, [other, name.replace(/\.gz$/, ''), archive], (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), out, err }),
      ),
    )
    expect(ran).toEqual({ code: 1, out: '', err: expect.stringContaining('another content') as unknown })
    expect(() => archiveSettings({ walArchiveDirectory: join(root, 'unmounted') })).toThrow('must be an existing directory')
  })
})
