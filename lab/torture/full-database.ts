import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EmbeddedPostgres } from '#server/database/embedded.ts'
import { queryOnce } from '#testkit/query-once.ts'
import { addBorrowers, requestLink, nextInstalment, openLink, pay, payOnce, type Borrower } from './borrowers.ts'
import type { PortalOptions } from './portal.ts'
import { portalSuite, type SuiteRun, type TortureSuite } from './suite.ts'

/** Room for a new cluster, its log and some payments. */
const diskMegabytes = 192
const borrowersAtOnce = 4
const fullMs = 4_000

type SmallDisk = { postgres: NonNullable<PortalOptions['postgres']>; fill(): void; freeDiskSpace(): void; close(): Promise<void> }

/**
 * PostgreSQL's own disk fills up: what it answers then is no loss, and with room again everything
 * goes on.
 */
export const fullDatabase: TortureSuite = {
  name: 'full-database',
  run: async (options) => {
    const disk = startSmallDisk()
    try {
      return await portalSuite('full-database', (suiteRun) => fillBoth(suiteRun, disk), { postgres: disk.postgres }).run(options)
    } finally {
      await disk.close()
    }
  },
}

async function fillBoth(suiteRun: SuiteRun, disk: SmallDisk): Promise<void> {
  const borrowers = await addBorrowers(suiteRun.portal, borrowersAtOnce)
  await suiteRun.round("the database's disk is full", () => payOnFullDisk(suiteRun, disk, borrowers))
  // PostgreSQL stops whenever it cannot write its log, until disk space is free.
  await suiteRun.round("the database's disk is full for its log", () => payOnFullDisk(suiteRun, disk, borrowers, switchLog))
}

async function payOnFullDisk(
  { portal, broken }: SuiteRun,
  disk: SmallDisk,
  borrowers: readonly Borrower[],
  happens: (superuserUrl: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const opened = await Promise.all(borrowers.map((borrower) => openLink(portal, borrower)))
  disk.fill()
  for (const link of opened) await pay(portal, link)
  const until = Date.now() + fullMs
  let refused = 0
  while (Date.now() < until) {
    await happens(portal.superuserUrl())
    const [borrower] = borrowers as [Borrower]
    const amount = await nextInstalment(portal, borrower)
    const answer = amount === null ? null : await requestLink(portal, borrower, amount)
    if (answer?.status !== 200) refused += 1
    if (answer !== null && ![200, 409, 503].includes(answer.status)) broken(`on a full disk a link was answered ${answer.status}`)
    await delay(50)
  }
  if (refused === 0) broken('nobody felt that the disk is full')
  disk.freeDiskSpace()
  await portal.startDatabase()
  await Promise.all(borrowers.map((borrower) => payOnce(portal, borrower)))
}

/** The next piece of the log needs sixteen megabytes. */
async function switchLog(superuserUrl: string): Promise<void> {
  try {
    await queryOnce(superuserUrl, 'select pg_switch_wal()')
  } catch {
    // The server is down already.
  }
}

/** A PostgreSQL on a small disk in memory, in a mount namespace that needs no privileges. */
function startSmallDisk(): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'kist-small-disk-'))
  const inside = join(directory, 'postgres')
  mkdirSync(inside)
  const mounting = `mount -t tmpfs -o size=${diskMegabytes}m tmpfs '${inside}' && exec '${process.execPath}' '${join(import.meta.dirname, 'small-disk.ts')}' '${inside}'`
  const child = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', mounting], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const filler = () => join(`/proc/${child.pid}/root`, inside, 'filler')
  return {
    postgres: async () => {
      const addresses = new Promise<Omit<EmbeddedPostgres, 'stop'>>((resolve, reject) => {
        child.once('message', (urls) => resolve(urls as Omit<EmbeddedPostgres, 'stop'>))
        child.once('exit', () => reject(new Error('the PostgreSQL on the small disk did not start')))
      })
      child.send('start')
      return { ...(await addresses), stop: () => Promise.resolve() }
    },
    fill: () => {
      for (let megabytes = 64; megabytes >= 1 / 256; megabytes /= 2)
        for (;;) {
          try {
            writeFileSync(filler(), Buffer.alloc(megabytes * 1_048_576), { flag: 'a' })
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
            break
          }
        }
    },
    freeDiskSpace: () => rmSync(filler()),
    close: async () => {
      child.send('stop')
      await gone
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
