import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import { joinDataDirectory } from '#cli/data-directory-users.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { until } from '#testkit/until.ts'
import { addBorrowers, openLink, pay, statusOf, type Borrower } from './borrowers.ts'
import { addFindings, noFindings, verifyOutcome, type Findings } from './verify-outcome.ts'
import { startPortal, type Portal } from './portal.ts'
import { result, type TortureOptions, type TortureSuite } from './suite.ts'

const borrowersAtOnce = 4
/** Maximum restore time with a gigabyte. */
const restoreMsMax = 60_000
const fillerBytes = 1_000_000_000
/** The longest time for which payments go on after the backup. */
const paysMs = 8_000

/** A success answer to a borrower, and its time. */
type Acknowledged = { at: number; link: string; what: 'asked' | 'applied' }
type Drill = {
  restoreMs: number
  /** Facts that were acknowledged before the backup began and are missing after it was restored. */
  lost: readonly Acknowledged[]
  /** Links that were created after the backup. */
  forgotten: readonly string[]
}

/**
 * A backup is made during payments; then the data directory is lost. The backup is restored, and
 * payments are fetched from the provider.
 */
export const restore: TortureSuite = {
  name: 'restore',
  run: async (options) => {
    const portal = await startPortal()
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
  let slowestMs = 0
  for (let round = 1; round <= rounds; round += 1) {
    const drill = await loseAndRestore(portal, borrowers, below(short ? 3_000 : paysMs))
    slowestMs = Math.max(slowestMs, drill.restoreMs)
    for (const link of drill.forgotten) forgotten.add(link)
    const { settledMs, ...outcome } = await verifyOutcome(portal, { forgotten })
    addFindings(found, outcome)
    for (const { link, what } of drill.lost) found.lost.push(`round ${round}: ${link} was ${what} before the backup and is missing`)
    if (drill.restoreMs > restoreMsMax) found.broken.push(`round ${round}: the restore took ${drill.restoreMs} ms`)
    process.stderr.write(
      `restore: ${round}: restored in ${seconds(drill.restoreMs)}, ${drill.forgotten.length} links forgotten, ` +
        `the provider's payments applied after ${seconds(settledMs)}\n`,
    )
  }
  const detail = (['lost', 'doubled', 'broken'] as const).flatMap((kind) => found[kind].map((line) => `${kind}: ${line}`))
  const counts = { lost: found.lost.length, doubled: found.doubled.length, broken: found.broken.length }
  const { line, ...rest } = result('restore', rounds, counts, detail)
  return { ...rest, line: `${line} (slowest restore ${seconds(slowestMs)})` }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

async function loseAndRestore(portal: Portal, borrowers: readonly Borrower[], goesOnMs: number): Promise<Drill> {
  const { directory } = portal
  const backup = join(directory, 'backup')
  const acknowledged: Acknowledged[] = []
  let isOver = false
  const paying = Promise.all(borrowers.map((borrower) => payUntil(portal, borrower, () => isOver, acknowledged)))
  // The command refuses to run while another process uses the data directory: this process does.
  const directoryUsers = joinDataDirectory(directory)
  const isApplied = () => acknowledged.filter(({ what }) => what === 'applied').length >= borrowers.length
  await until(isApplied, 60_000, { failure: 'no payment was applied before the backup' })
  const backupBeganAt = Date.now()
  await kist(portal, 'backup', backup)
  await delay(goesOnMs)

  await Promise.all([portal.server.kill(), portal.killDatabase()])
  directoryUsers.leave()
  for (const name of ['postgres', 'documents', 'secrets.json']) rmSync(join(directory, name), { recursive: true, force: true })

  const restoreBeganAt = Date.now()
  await kist(portal, 'restore', backup)
  await portal.startDatabase()
  const missing = await missingOf(portal, acknowledged)
  await portal.server.start()
  const restoreMs = Date.now() - restoreBeganAt
  // Events during the outage were not delivered; waiting borrowers continue.
  isOver = true
  await paying
  rmSync(backup, { recursive: true, force: true })
  return {
    restoreMs,
    lost: missing.filter(({ at }) => at < backupBeganAt),
    forgotten: missing.filter(({ what }) => what === 'asked').map(({ link }) => link),
  }
}

/** Acknowledged facts that the restored database lacks, before the provider is asked. */
async function missingOf(portal: Portal, acknowledged: readonly Acknowledged[]): Promise<Acknowledged[]> {
  const rows = await portal
    .database()
    .asSystem((sql) => sql.selectFrom('payment_links').select(['payment_link_id', 'rps_updated']).execute())
  const applied = new Map(rows.map(({ payment_link_id, rps_updated }) => [payment_link_id, rps_updated]))
  return acknowledged.filter(({ link, what }) => (what === 'asked' ? !applied.has(link) : applied.get(link) !== true))
}

/** A borrower pays one instalment after the other and records the portal's answers. */
async function payUntil(portal: Portal, borrower: Borrower, isOver: () => boolean, acknowledged: Acknowledged[]): Promise<void> {
  while (!isOver()) {
    const link = await openLink(portal, borrower, 180_000)
    acknowledged.push({ at: Date.now(), link, what: 'asked' })
    await pay(portal, link)
    for (let looks = 0; looks < 200 && !isOver(); looks += 1) {
      const answer = await statusOf(portal, borrower, link)
      if (answer?.body['rps_updated'] === true) {
        acknowledged.push({ at: Date.now(), link, what: 'applied' })
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
async function kist({ directory }: Portal, ...args: string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], KIST_DATA_DIR: directory }
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, '../../cli/kist.ts'), ...args], { env })
  process.stderr.write(stdout.replaceAll(/^/gm, '  ').trimEnd() + '\n')
}

/** Adds a gigabyte of data, for a realistic restore time. */
async function fill(portal: Portal): Promise<void> {
  const rows = Math.round(fillerBytes / 1_060)
  await queryOnce(
    portal.superuserUrl().replace(/postgres$/, 'kist'),
    `create table filler as select number, repeat(md5(number::text), 32) as line from generate_series(1, ${rows}) as number`,
  )
}
