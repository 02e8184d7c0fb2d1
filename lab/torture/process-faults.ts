import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mintToken } from '#testkit/mint-token.ts'
import { addBorrowers, openLink, pay, payOnce, awaitStatus, type Borrower } from './borrowers.ts'
import type { Portal } from './portal.ts'
import { portalSuite, type SuiteRun } from './suite.ts'

const borrowersAtOnce = 4
const startsInARow = 20
/** Duration of a suspension: shorter than every request timeout. */
const stillMs = 5_000
const brokenMs = 2_000
/** More than twenty starts take on a busy machine. */
const socketTimeoutMs = 300_000

/** Code that runs before the server for one start, as a defect of ours would. */
const defect = (source: string, ...options: string[]) => ({
  NODE_OPTIONS: [...options, `--import=data:text/javascript,${encodeURIComponent(source)}`].join(' '),
})
const blocked = `setTimeout(() => { const until = Date.now() + ${stillMs}; while (Date.now() < until); }, 2000)`
const rejected = "setTimeout(() => Promise.reject(new Error('nobody waits for this')), 2000)"
const hoarding = 'const hoard = []; setInterval(() => hoard.push(Array.from({ length: 100000 }, () => ({}))), 50)'

/** Server and database lack memory, file handles or processor time. */
export const processFaults = portalSuite('process', async (suiteRun) => {
  const { portal } = suiteRun
  const borrowers = await addBorrowers(portal, borrowersAtOnce)
  const round = (name: string, happens: () => Promise<void>) =>
    suiteRun.round(name, async () => {
      // On a busy machine the session would expire during the round.
      await signInAt(portal, borrowers, portal.clock.now())
      await happens()
    })
  await round(`started ${startsInARow} times in a row`, () => whilePaying(portal, borrowers, () => restart(portal, startsInARow)))
  await round('asleep for five seconds', () =>
    whilePaying(portal, borrowers, async () => {
      portal.server.signal('SIGSTOP')
      await delay(stillMs)
      portal.server.signal('SIGCONT')
    }),
  )
  await round('its loop blocked for five seconds', () => livedWith(portal, borrowers, defect(blocked), stillMs + 3_000))
  await round('a rejection that nobody handles', () => diedOf(suiteRun, borrowers, defect(rejected)))
  await round('no memory left', () => diedOf(suiteRun, borrowers, defect(hoarding, '--max-old-space-size=160')))
  await round('no file handle left', () => withoutHandles(suiteRun, borrowers))
  await round('the database asleep for five seconds', () => whilePaying(portal, borrowers, () => databaseAsleep(portal)))
  await round('the database not there when the server starts', () => startedFirst(portal))
  await round('the clock an hour back', () => paidWithLateClock(portal, borrowers))
  await round('a minute passes each second', () => whilePaying(portal, borrowers, () => hurry(portal)))
})

/** Borrowers pay without a pause during the fault, and once after it. */
async function whilePaying(portal: Portal, borrowers: readonly Borrower[], happens: () => Promise<void>): Promise<void> {
  let isOver = false
  const paying = Promise.all(
    borrowers.map(async (borrower) => {
      do await payOnce(portal, borrower, socketTimeoutMs)
      while (!isOver)
    }),
  )
  const happening = happens().finally(() => (isOver = true))
  // Waits for both, whichever fails.
  await Promise.allSettled([happening, paying])
  await Promise.all([happening, paying])
}

async function restart(portal: Portal, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await portal.server.kill()
    await portal.server.start()
  }
}

/** Starts the server once with additional environment variables. */
async function livedWith(
  portal: Portal,
  borrowers: readonly Borrower[],
  environment: Record<string, string>,
  forMs: number,
): Promise<void> {
  await portal.server.kill()
  await portal.server.start(environment)
  await whilePaying(portal, borrowers, () => delay(forMs))
  await restart(portal, 1)
}

/**
 * The server must end, so that its supervisor restarts it: a half-working server is worse than
 * none.
 */
async function diedOf({ portal, broken }: SuiteRun, borrowers: readonly Borrower[], environment: Record<string, string>): Promise<void> {
  await portal.server.kill()
  // On a busy machine it ends before it answers.
  await portal.server.start(environment).catch(() => {})
  await whilePaying(portal, borrowers, async () => {
    const isGone = await Promise.race([portal.server.ended().then(() => true), delay(10_000, false)])
    if (!isGone) broken('it goes on as if nothing had happened')
    await restart(portal, 1)
  })
}

/**
 * The server can open no connection and no file. Open ones continue; the rest recovers with new
 * handles.
 */
async function withoutHandles({ portal, broken }: SuiteRun, borrowers: readonly Borrower[]): Promise<void> {
  const pid = portal.server.pid()
  const [borrower] = borrowers as [Borrower]
  await whilePaying(portal, borrowers, async () => {
    const limit = (handles: string) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${handles}:`])
    const before = execFileSync('prlimit', ['--pid', String(pid), '--nofile', '--noheadings', '--output=SOFT'])
      .toString()
      .trim()
    portal.databaseNetwork.order({ kind: 'reset' })
    limit(String(readdirSync(`/proc/${pid}/fd`).length))
    portal.databaseNetwork.order(null)
    const answer = await portal.call('GET', '/portal/loans-summary', borrower.token)
    if (answer !== null && ![200, 503].includes(answer.status)) broken(`without a handle the loans were answered ${answer.status}`)
    await delay(brokenMs)
    limit(before)
  })
  if (portal.server.pid() !== pid) broken('it ended for want of handles')
}

/** Suspends and resumes all processes of PostgreSQL. */
async function databaseAsleep(portal: Portal): Promise<void> {
  const postmaster = Number(readFileSync(join(portal.directory, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
  const all = [postmaster, ...childrenOf(postmaster)]
  const send = (signal: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of all) process.kill(pid, signal)
  }
  send('SIGSTOP')
  await delay(stillMs)
  send('SIGCONT')
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Acts as a supervisor: restarts a server that ended without its database. */
async function startedFirst(portal: Portal): Promise<void> {
  await portal.server.kill()
  await portal.killDatabase()
  const starting = portal.server.start().then(
    () => true,
    () => false,
  )
  await delay(brokenMs)
  await portal.startDatabase()
  if (!(await starting)) await portal.server.start()
}

/** With a slow clock no link can be created; a link that was created before is paid and posted. */
async function paidWithLateClock(portal: Portal, borrowers: readonly Borrower[]): Promise<void> {
  const links = await Promise.all(borrowers.map(async (borrower) => ({ borrower, link: await openLink(portal, borrower) })))
  await portal.server.kill()
  await portal.server.start({ KIST_CLOCK: '-1h' })
  // For this server a current session is in the future.
  await signInAt(portal, borrowers, new Date(portal.clock.now().getTime() - 3_600_000))
  for (const { link } of links) await pay(portal, link)
  for (const { borrower, link } of links) await awaitStatus(portal, borrower, link, 'paid')
  await restart(portal, 1)
}

async function signInAt({ database, config }: Portal, borrowers: readonly Borrower[], at: Date): Promise<void> {
  for (const borrower of borrowers) borrower.token = await mintToken(database(), config, at, { userId: borrower.borrowerId, roles: [] })
}

async function hurry(portal: Portal): Promise<void> {
  for (let second = 0; second < stillMs / 1_000; second += 1) {
    await portal.sandbox('/time', { advance_seconds: 59 })
    await delay(1_000)
  }
}
