import { execFile } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import { joinDataDirectory } from '#cli/data-directory-users.ts'
import { addBorrowers, openLink, pay, statusOf, type Borrower } from './borrowers.ts'
import { addFindings, noFindings, verifyOutcome, type Findings } from './verify-outcome.ts'
import { startPortal, type Portal } from './portal.ts'
import { result, type TortureOptions, type TortureSuite } from './suite.ts'

const borrowersAtOnce = 4
/** Maximum data loss after a lost disk, and maximum restore time with a gigabyte. */
const rpoMaxMs = 60_000
const rtoMaxMs = 60_000
const fillerBytes = 1_000_000_000
/** Duration of the payments after the backup; the log is switched every thirty seconds. */
const paysMs = { survived: 8_000, lost: 45_000 }

type Loss = keyof typeof paysMs
/** A success answer to a borrower, and its time. */
type Acknowledged = { at: number; link: string; what: 'asked' | 'applied' }
type Drill = { rpoMs: number; rtoMs: number; forgotten: ReadonlySet<string> }

/**
 * A backup is made during payments; then the data directory is lost, with the database's log or
 * without it. The backup and the log are restored, and payments are fetched from the provider.
 */
export const restore: TortureSuite = {
  name: 'restore',
  run: async (options) => {
    const portal = await startPortal({ keepsLog: true })
    try {
      return await drills(portal, options)
    } finally {
      await portal.close()
    }
  },
}

async function drills(portal: Portal, { seed, rounds, short }: TortureOptions) {
  const below = randomNumbers(seed)
  const borrowers = await addBorrowers(portal, borrowersAtOnce)
  if (!short) await fill(portal)
  const found: Findings = noFindings()
  const forgotten = new Set<string>()
  const slowest = { survived: { rpoMs: 0, rtoMs: 0 }, lost: { rpoMs: 0, rtoMs: 0 } }
  for (let round = 0; round < rounds; round += 1) {
    const loss: Loss = round % 2 === 0 ? 'survived' : 'lost'
    const drill = await loseAndRestore(portal, borrowers, loss, below(short ? 3_000 : paysMs[loss]))
    slowest[loss] = { rpoMs: Math.max(slowest[loss].rpoMs, drill.rpoMs), rtoMs: Math.max(slowest[loss].rtoMs, drill.rtoMs) }
    for (const link of drill.forgotten) forgotten.add(link)
    const { settledMs, ...outcome } = await verifyOutcome(portal, { forgotten })
    addFindings(found, outcome)
    if (loss === 'survived' && drill.rpoMs > 0) found.lost.push(`round ${round + 1}: the log survived, and ${drill.rpoMs} ms were lost`)
    if (drill.rpoMs > rpoMaxMs) found.lost.push(`round ${round + 1}: ${drill.rpoMs} ms were lost`)
    if (drill.rtoMs > rtoMaxMs) found.broken.push(`round ${round + 1}: the way back took ${drill.rtoMs} ms`)
    process.stderr.write(
      `restore: ${round + 1} ${loss === 'lost' ? 'whole disk lost' : 'log survived'}: rpo ${seconds(drill.rpoMs)}, rto ${seconds(drill.rtoMs)}, ` +
        `${drill.forgotten.size} links forgotten, the provider's word applied after ${seconds(settledMs)}\n`,
    )
  }
  const detail = (['lost', 'doubled', 'broken'] as const).flatMap((kind) => found[kind].map((line) => `${kind}: ${line}`))
  const counts = { lost: found.lost.length, doubled: found.doubled.length, broken: found.broken.length }
  const { line, ...rest } = result('restore', rounds, counts, detail)
  const told = (loss: Loss) => `rpo ${seconds(slowest[loss].rpoMs)} rto ${seconds(slowest[loss].rtoMs)}`
  return { ...rest, line: `${line} (log survived: ${told('survived')}; whole disk lost: ${told('lost')})` }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

async function loseAndRestore(portal: Portal, borrowers: readonly Borrower[], loss: Loss, goesOnMs: number): Promise<Drill> {
  const { directory, logDirectory } = portal
  if (logDirectory === null) throw new Error('the portal keeps no log')
  const backup = join(directory, 'backup')
  const told: Acknowledged[] = []
  let isOver = false
  const paying = Promise.all(borrowers.map((borrower) => payUntil(portal, borrower, () => isOver, told)))
  // The command refuses to run while another process uses the data directory: this process does.
  const directoryUsers = joinDataDirectory(directory)
  await kist(portal, 'backup', backup)
  await delay(goesOnMs)

  await Promise.all([portal.server.kill(), portal.killDatabase()])
  const lostAt = Date.now()
  directoryUsers.leave()
  const saved = join(directory, 'saved-log')
  if (loss === 'survived') cpSync(join(directory, 'postgres/data/pg_wal'), saved, { recursive: true })
  for (const name of ['postgres', 'documents', 'secrets.json']) rmSync(join(directory, name), { recursive: true, force: true })

  const begun = Date.now()
  await kist(portal, 'restore', backup, '--wal', logDirectory, ...(loss === 'survived' ? [saved] : []))
  await portal.startDatabase()
  const missing = await missingOf(portal, told)
  await portal.server.start()
  const rtoMs = Date.now() - begun
  // Events during the outage were not delivered; waiting borrowers continue.
  isOver = true
  await paying
  for (const name of [backup, saved]) rmSync(name, { recursive: true, force: true })
  return {
    rpoMs: missing.reduce((most, { at }) => Math.max(most, lostAt - at), 0),
    rtoMs,
    forgotten: new Set(missing.filter(({ what }) => what === 'asked').map(({ link }) => link)),
  }
}

/** Acknowledged facts that the restored database lacks, before the provider is asked. */
async function missingOf(portal: Portal, told: readonly Acknowledged[]): Promise<Acknowledged[]> {
  const rows = await portal
    .database()
    .asSystem((sql) => sql.selectFrom('payment_links').select(['payment_link_id', 'rps_updated']).execute())
  const applied = new Map(rows.map(({ payment_link_id, rps_updated }) => [payment_link_id, rps_updated]))
  return told.filter(({ link, what }) => (what === 'asked' ? !applied.has(link) : applied.get(link) !== true))
}

/** A borrower pays one instalment after the other and records the portal's answers. */
async function payUntil(portal: Portal, borrower: Borrower, isOver: () => boolean, told: Acknowledged[]): Promise<void> {
  while (!isOver()) {
    const link = await openLink(portal, borrower, 180_000)
    told.push({ at: Date.now(), link, what: 'asked' })
    await pay(portal, link)
    for (let looks = 0; looks < 200 && !isOver(); looks += 1) {
      const answer = await statusOf(portal, borrower, link)
      if (answer?.body['rps_updated'] === true) {
        told.push({ at: Date.now(), link, what: 'applied' })
        break
      }
      // The link was lost with the disk.
      if (answer?.status === 404) break
      await delay(50)
    }
  }
}

const run = promisify(execFile)

/** Runs the operator's tool. */
async function kist({ directory, logDirectory }: Portal, ...args: string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], KIST_DATA_DIR: directory, KIST_WAL_ARCHIVE_DIR: logDirectory ?? '' }
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, '../../cli/kist.ts'), ...args], { env })
  process.stderr.write(stdout.replaceAll(/^/gm, '  ').trimEnd() + '\n')
}

/** Adds a gigabyte of data, for a realistic restore time. */
async function fill(portal: Portal): Promise<void> {
  const client = new pg.Client({ connectionString: portal.superuserUrl().replace(/postgres$/, 'kist') })
  await client.connect()
  try {
    const rows = Math.round(fillerBytes / 1_060)
    await client.query(
      `create table filler as select number, repeat(md5(number::text), 32) as line from generate_series(1, ${rows}) as number`,
    )
    const [last] = (await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name')).rows
    while (!readdirSync(portal.logDirectory ?? '').includes(`${last?.name}.gz`)) await delay(200)
  } finally {
    await client.end()
  }
}
