import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmbedded, stopEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { bareEnvironment } from '#testkit/child-environment.ts'
import { queryOnce, withDatabase } from '#testkit/test-database.ts'
import { joinDataDirectory } from '#cli/data-directory-users.ts'

/**
 * `kist backup` and `kist restore` on an embedded database that is being
 * written to.
 */

const root = mkdtempSync(join(tmpdir(), 'kist-backup-'))
const lost = join(root, 'lost')
const backup = join(root, 'backup')
mkdirSync(lost)
afterAll(async () => {
  for (const name of readdirSync(root)) await stopEmbedded(join(root, name, 'postgres'))
  rmSync(root, { recursive: true, force: true })
})

type Ran = { code: number; out: string; err: string }

function kist(dataDirectory: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...bareEnvironment, KIST_DATA_DIR: dataDirectory }
    execFile(process.execPath, [join(import.meta.dirname, '../kist.ts'), ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: out.trim(), err: err.trim() }),
    )
  })
}
const failed = (message: RegExp) => ({ code: 1, out: '', err: expect.stringMatching(message) as unknown })

const start = (dataDirectory: string): Promise<EmbeddedPostgres> =>
  startEmbedded({ directory: join(dataDirectory, 'postgres'), durable: true })

const query = (postgres: EmbeddedPostgres, statement: string) => queryOnce(withDatabase(postgres.superuserUrl, 'kist'), statement)
const lines = async (postgres: EmbeddedPostgres) => (await query(postgres, 'select line from written order by 1')).map(({ line }) => line)

/** Starts a restored database, reads its rows and stops it. */
async function readFrom<T>(dataDirectory: string, read: (postgres: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const postgres = await start(dataDirectory)
  try {
    return await read(postgres)
  } finally {
    await postgres.stop()
  }
}
const linesIn = (dataDirectory: string) => readFrom(dataDirectory, lines)
const entriesIn = (dataDirectory: string) =>
  readFrom(dataDirectory, (postgres) =>
    query(postgres, "select actor_id, detail ->> 'reason' as reason from access_log where action = 'database_restored'"),
  )

describe('kist backup and kist restore', () => {
  it('bring back what was there when the backup was made: the rows and the documents', async () => {
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
    await postgres.stop()
    directoryUsers.leave()

    const restored = join(root, 'restored')
    expect(await kist(restored, 'restore', backup, '--reason', 'the disk was lost')).toEqual({
      code: 0,
      out: expect.stringMatching(/^restored: .*\ninvariants: \d+ checked, 0 broken$/),
      err: expect.stringMatching(/^\{.*"command":"kist restore".*"reason":"the disk was lost".*\}$/),
    })
    expect(await entriesIn(restored)).toEqual([{ actor_id: 'operator', reason: 'the disk was lost' }])
    expect(await linesIn(restored)).toEqual([1])
    expect(readFileSync(join(restored, 'documents/documents/a/paper'), 'utf8')).toBe('the paper')
  })

  it('refuse what would lose something', async () => {
    expect(await kist(lost, 'backup', backup)).toEqual(failed(/is not empty/))
    expect(await kist(join(root, 'nowhere'), 'backup', join(root, 'other'))).toEqual(failed(/There is no database in .*nowhere/))
    expect(await kist(lost, 'restore', backup)).toEqual(failed(/lost\/postgres exists already/))
    const documentsOnly = join(root, 'documents-only')
    mkdirSync(join(documentsOnly, 'documents/b'), { recursive: true })
    writeFileSync(join(documentsOnly, 'documents/b/other'), 'x')
    expect(await kist(documentsOnly, 'restore', backup)).toEqual(failed(/documents exists already/))
    const inhabited = join(root, 'inhabited')
    mkdirSync(join(inhabited, 'run'), { recursive: true })
    writeFileSync(join(inhabited, 'run', String(process.pid)), '')
    expect(await kist(inhabited, 'restore', backup)).toEqual(failed(/is running on .*inhabited/))
    expect(await kist(join(root, 'new'), 'restore', documentsOnly)).toEqual(failed(/contains no finished backup/))
  })

  it('tell a backup that is damaged, and take up a restore that was cut off', async () => {
    const target = join(root, 'again')
    const file = join(backup, 'postgres/data/PG_VERSION')
    const content = readFileSync(file)
    writeFileSync(file, '17\n')
    expect(await kist(target, 'restore', backup)).toEqual(failed(/PG_VERSION differs from the manifest/))
    rmSync(file)
    expect(await kist(target, 'restore', backup)).toEqual(failed(/The backup lacks .*PG_VERSION/))
    writeFileSync(file, content)
    expect(existsSync(join(target, 'postgres'))).toBe(false)
    expect(await kist(target, 'restore', backup)).toMatchObject({ code: 0 })
    expect(await linesIn(target)).toEqual([1])
    expect(readFileSync(join(target, 'documents/documents/a/paper'), 'utf8')).toBe('the paper')
  })
})
