import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyCluster } from '#server/database/base-backup.ts'
import { copyFile } from '#server/database/copy-file.ts'
import { isProcessAlive } from '#server/database/process-alive.ts'
import { startEmbedded, stopEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { queryOnce } from '#testkit/test-database.ts'
import { until } from '#testkit/until.ts'

/** The scripts of ops/postgres, as docs/runbook.md uses them on a PostgreSQL of one's own. */

const root = mkdtempSync(join(tmpdir(), 'kist-recovery-'))
const archive = join(root, "other disk's log")
const base = join(root, 'base')
const saved = join(root, 'saved-log')
const script = (name: string) => join(import.meta.dirname, '../ops/postgres', name)
let moment: string

type Ran = { code: number; out: string; err: string }
const run = (name: string, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) =>
    execFile(script(name), args, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out: out.trim(), err: err.trim() })),
  )
const start = (name: string) => startEmbedded({ directory: join(root, name), durable: true })

const query = (postgres: EmbeddedPostgres, statement: string) => queryOnce(postgres.superuserUrl, statement)

/** A server that archives its log, killed after its base backup with its last row unarchived. */
beforeAll(async () => {
  mkdirSync(archive)
  const configured = await start('lost')
  await query(configured, 'alter system set archive_mode = on')
  await query(configured, `alter system set archive_command = '"${script('wal-archive.sh')}" "%p" "%f" "${archive.replaceAll("'", "''")}"'`)
  await configured.stop()

  const postgres = await start('lost')
  await query(postgres, 'create table written (line int)')
  await query(postgres, 'insert into written values (1)')
  await copyCluster({ superuserUrl: postgres.superuserUrl, dataDirectory: join(root, 'lost/data'), target: base, copy: copyFile })
  await query(postgres, 'insert into written values (2)')
  moment = String((await query(postgres, 'select clock_timestamp()::text as now'))[0]?.['now'])
  await query(postgres, 'insert into written values (3)')
  const [switched] = await query(postgres, 'select pg_walfile_name(pg_switch_wal()) as name')
  await until(() => existsSync(join(archive, `${String(switched?.['name'])}.gz`)), 60_000)
  await query(postgres, 'insert into written values (4)')

  // Without a checkpoint, as in a power failure, and with no process left that renames segments.
  const pid = Number(readFileSync(join(root, 'lost/data/postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGQUIT')
  await until(() => !isProcessAlive(pid), 60_000)
  cpSync(join(root, 'lost/data/pg_wal'), saved, { recursive: true })
})
afterAll(async () => {
  for (const name of readdirSync(root)) await stopEmbedded(join(root, name))
  rmSync(root, { recursive: true, force: true })
})

/** Starts a server on a restored directory and awaits its recovery. @returns its rows. */
async function linesIn(name: string, work = (_postgres: EmbeddedPostgres) => Promise.resolve()): Promise<unknown[]> {
  copyFileSync(join(root, 'lost/credentials.json'), join(root, name, 'credentials.json'))
  const postgres = await start(name)
  try {
    const isPromoted = async () => (await query(postgres, 'select pg_is_in_recovery() as recovering'))[0]?.['recovering'] === false
    await until(isPromoted, 60_000)
    await work(postgres)
    return (await query(postgres, 'select line from written order by 1')).map(({ line }) => line)
  } finally {
    await postgres.stop()
  }
}

describe('a server whose log is archived', () => {
  it.each([
    { name: 'at-the-end', logs: [archive], options: () => [], lines: [1, 2, 3], what: 'up to the archive, where the disk is lost' },
    { name: 'at-the-moment', logs: [archive], options: () => ['--until', moment], lines: [1, 2], what: 'up to a moment' },
    { name: 'whole', logs: [archive, saved], options: () => [], lines: [1, 2, 3, 4], what: 'up to the last commit, where pg_wal survived' },
  ])('is restored $what', async ({ name, logs, options, lines }) => {
    mkdirSync(join(root, name), { mode: 0o700 })
    expect(await run('pitr-restore.sh', base, join(root, name, 'data'), ...options(), ...logs)).toMatchObject({ code: 0, err: '' })
    expect(await linesIn(name)).toEqual(lines)
  })

  it('keeps its archive to itself while copies are restored from it', () => {
    expect(readdirSync(archive).filter((name) => !name.startsWith('00000001'))).toEqual([])
  })

  it('is restored whole from a base of a server that was itself restored up to a moment', async () => {
    mkdirSync(join(root, 'rewound'), { mode: 0o700 })
    await run('pitr-restore.sh', base, join(root, 'rewound/data'), '--until', moment, archive)
    await linesIn('rewound', async (postgres) => {
      const dataDirectory = join(root, 'rewound/data')
      await copyCluster({ superuserUrl: postgres.superuserUrl, dataDirectory, target: join(root, 'later-base'), copy: copyFile })
      await query(postgres, 'insert into written values (5)')
    })
    mkdirSync(join(root, 'again'), { mode: 0o700 })
    await run('pitr-restore.sh', join(root, 'later-base'), join(root, 'again/data'), join(root, 'rewound/data/pg_wal'))
    expect(await linesIn('again')).toEqual([1, 2, 5])
  })

  it('is restored on the named timeline where the log also has that of a restored server', async () => {
    const restoredLog = join(root, 'restored-log')
    const restore = (name: string, ...options: string[]) => {
      mkdirSync(join(root, name), { mode: 0o700 })
      return run('pitr-restore.sh', base, join(root, name, 'data'), ...options)
    }
    await restore('copy', '--until', moment, archive)
    await linesIn('copy', async (postgres) => {
      await query(postgres, 'insert into written values (6)')
      cpSync(join(root, 'copy/data/pg_wal'), restoredLog, { recursive: true })
    })
    await restore('latest', archive, restoredLog)
    expect(await linesIn('latest')).toEqual([1, 2, 6])
    await restore('named', '--timeline', '1', archive, restoredLog)
    expect(await linesIn('named')).toEqual([1, 2, 3])
  })

  it('does not open without a piece that cannot be read', async () => {
    mkdirSync(join(root, 'stopped'), { mode: 0o700 })
    const damaged = join(root, 'damaged')
    cpSync(archive, damaged, { recursive: true })
    for (const name of readdirSync(damaged)) truncateSync(join(damaged, name), 100)
    await run('pitr-restore.sh', base, join(root, 'stopped/data'), damaged)
    await expect(linesIn('stopped')).rejects.toThrow('exited with exit code 255')
  })

  it('is not restored from or into a wrong directory', async () => {
    expect(await run('pitr-restore.sh', archive, join(root, 'new'), archive)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no base backup') as unknown,
    })
    expect(await run('pitr-restore.sh', base, join(root, 'lost/data'), archive)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not empty') as unknown,
    })
    mkdirSync(join(root, 'a 100% log'))
    expect(await run('pitr-restore.sh', base, join(root, 'new'), join(root, 'a 100% log'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot have') as unknown,
    })
    expect(await run('pitr-restore.sh', base, join(root, 'new'), join(root, 'unmounted'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('is no directory') as unknown,
    })
  })

  it('never shares its archive with another cluster', async () => {
    const [name = ''] = readdirSync(archive)
    const other = join(archive, 'other-segment')
    writeFileSync(other, 'another content')
    expect(await run('wal-archive.sh', other, name.replace(/\.gz$/, ''), archive)).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('another content') as unknown,
    })
  })
})

describe('a piece of the log', () => {
  const [first, second] = [join(root, 'first'), join(root, 'second')]
  const target = join(root, 'fetched')
  const fetch = (...directories: string[]) => run('wal-fetch.sh', 'piece', target, ...directories)
  /** Above 125, PostgreSQL stops instead of taking the log as ended. */
  const stops = { code: 255, out: '' }
  beforeAll(() => {
    mkdirSync(first)
    mkdirSync(second)
    const packed = gzipSync(randomBytes(100_000))
    writeFileSync(join(first, 'piece.gz'), packed.subarray(0, packed.length / 2))
  })

  it('is taken from the next directory where the first copy is damaged', async () => {
    writeFileSync(join(second, 'piece'), 'whole')
    expect(await fetch(first, second)).toMatchObject({ code: 0, err: expect.stringContaining('cannot be read') as unknown })
    expect(readFileSync(target, 'utf8')).toBe('whole')
    rmSync(join(second, 'piece'))
  })

  it('is not the end of the log where its only copy is damaged, or a directory is not there', async () => {
    rmSync(target, { force: true })
    expect(await fetch(first, second)).toMatchObject(stops)
    expect(await fetch(second, first)).toMatchObject(stops)
    expect(await fetch(second, join(root, 'unmounted'))).toMatchObject(stops)
    expect(existsSync(target)).toBe(false)
  })

  it('ends the log where no directory has it', async () => {
    expect(await fetch(second)).toEqual({ code: 1, out: '', err: '' })
  })
})
