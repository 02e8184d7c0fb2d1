import pg from 'pg'
import { setTimeout as delay } from 'node:timers/promises'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import { withClient } from '#testkit/query-once.ts'
import type { NetworkFault } from '#testkit/tcp-proxy.ts'
import { addBorrowers, requestLink, nextInstalment, openLink, pay, payOnce, awaitFailPoint, type Borrower } from './borrowers.ts'
import { withoutWebhooks } from './deliveries.ts'
import type { Portal } from './portal.ts'
import { portalSuite, type SuiteRun } from './suite.ts'
import { until } from '#testkit/until.ts'

const borrowersAtOnce = 4
const killWithinMs = 900
/** How long the network is broken. */
const brokenMs = 1_500

/** Faults of the network between portal and database. */
const networkFaults: readonly [name: string, fault: NetworkFault][] = [
  ['slow by 150 ms', { kind: 'latency', ms: 150 }],
  ['dripping', { kind: 'drip', bytes: 40, ms: 5 }],
  ['reset', { kind: 'reset' }],
  ['closed by one side', { kind: 'half_close' }],
  ['cut in the middle of an answer', { kind: 'truncate', bytes: 20 }],
  ['swallowing everything', { kind: 'blackhole' }],
]
const inShort: readonly string[] = ['reset', 'swallowing everything']

/** The database is killed, closes connections, or loses the acknowledgement of a commit. */
export const crashDb = portalSuite('crash-db', async (suiteRun) => {
  const { portal, options, round } = suiteRun
  const borrowers = await addBorrowers(portal, borrowersAtOnce)
  const [borrower] = borrowers as [Borrower]

  for (const step of ['posting_begun', 'posting_written'] as const) {
    await round(`kill -9 of the database at ${step}`, () =>
      holdAt(portal, borrower, step, async () => {
        await portal.killDatabase()
        await portal.startDatabase()
      }),
    )
    await round(`connection ended by the database at ${step}`, () => holdAt(portal, borrower, step, () => terminateBackends(portal)))
  }
  for (const lost of options.short ? [1] : [1, 2, 3, 4, 5, 6])
    await round(`acknowledgement of ${lost} commits lost while a link is made`, () =>
      loseCommits(portal, lost, () => openLink(portal, borrower)),
    )
  for (const lost of options.short ? [3] : [1, 2, 3, 4, 6, 8])
    await round(`acknowledgement of ${lost} commits lost while a payment is applied`, async () => {
      const link = await openLink(portal, borrower)
      await loseCommits(portal, lost, async () => void (await pay(portal, link)))
    })
  for (const [name, fault] of networkFaults) {
    if (options.short && !inShort.includes(name)) continue
    await round(`network to the database ${name}`, () => payThrough(portal, borrowers, fault))
  }
  await round('a loan locked for longer than anybody waits', () => lockTooLong(portal, borrower))
  await round('a deadlock, of which the posting is the victim', () => deadlock(portal, borrower))
  if (!options.short) await round('no connection left', () => takeAllConnections(suiteRun, borrower))
  await killAtRandom(suiteRun, borrowers)
})

/** The posting is held at a step while the database fails. */
async function holdAt(
  portal: Portal,
  borrower: Borrower,
  step: 'posting_begun' | 'posting_written',
  happens: () => Promise<void>,
): Promise<void> {
  const link = await openLink(portal, borrower)
  portal.order(step, 'hold')
  await pay(portal, link)
  await awaitFailPoint(portal, step)
  await happens()
  portal.release(step)
}

const asSuperuser = <T>(portal: Portal, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(portal.superuserUrl().replace(/postgres$/, 'kist'), work)

/** Terminates the portal's connections that are in a transaction. */
const terminateBackends = (portal: Portal): Promise<void> =>
  asSuperuser(portal, async (client) => {
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'kist_app' and state like '%in transaction%'",
    )
  })

/** The next commits succeed, but their acknowledgements are lost. */
async function loseCommits(portal: Portal, times: number, work: () => Promise<unknown>): Promise<void> {
  portal.databaseNetwork.order({ kind: 'lost_commit', times })
  const working = work()
  await until(() => portal.databaseNetwork.strikes() >= times, 60_000, { intervalMs: 10 }).catch(() => {})
  portal.databaseNetwork.order(null)
  const opened = await working
  if (typeof opened === 'string') await pay(portal, opened)
}

/** Borrowers pay while the network is bad, and a little longer. */
async function payThrough(portal: Portal, borrowers: readonly Borrower[], fault: NetworkFault): Promise<void> {
  portal.databaseNetwork.order(fault)
  const paying = borrowers.map((borrower) => payOnce(portal, borrower))
  await delay(brokenMs)
  portal.databaseNetwork.order(null)
  await Promise.all(paying)
  // Without a webhook, so that the loops must have recovered too.
  const [borrower] = borrowers as [Borrower]
  const link = await openLink(portal, borrower)
  await withoutWebhooks(portal, () => pay(portal, link))
}

/** Another session holds the lock of the loan: the posting times out and is retried. */
async function lockTooLong(portal: Portal, borrower: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  await asSuperuser(portal, async (client) => {
    await client.query('begin')
    await client.query('select 1 from loans where lan = $1 for update', [borrower.lan])
    await pay(portal, link)
    await delay(portal.config.database.statementTimeoutMs + 500)
    await client.query('rollback')
  })
}

/**
 * Another session locks link, then loan, against our order: the database aborts the posting, which
 * is retried.
 */
async function deadlock(portal: Portal, borrower: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  await asSuperuser(portal, async (client) => {
    await client.query("set deadlock_timeout = '1h'")
    await client.query('begin')
    await client.query('select 1 from payment_links where payment_link_id = $1 for update', [link])
    await pay(portal, link)
    await waitingForALock(client)
    // A deadlock now; only the posting checks for deadlocks.
    await client.query('select 1 from loans where lan = $1 for update', [borrower.lan])
    await client.query('rollback')
  })
}

async function waitingForALock(client: pg.Client): Promise<void> {
  const isWaiting = async () =>
    (await client.query("select 1 from pg_stat_activity where usename = 'kist_app' and wait_event_type = 'Lock'")).rowCount
  await until(isWaiting, 60_000, { intervalMs: 10, failure: 'the posting does not wait for the link' })
}

/** Other clients take all connections of PostgreSQL. */
async function takeAllConnections({ portal, broken }: SuiteRun, borrower: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  await terminateOurs(portal)
  const takers: pg.Client[] = []
  for (;;) {
    const taker = new pg.Client({ connectionString: portal.superuserUrl() })
    taker.on('error', () => {})
    const isConnected = await taker.connect().then(
      () => true,
      () => false,
    )
    if (!isConnected) break
    takers.push(taker)
  }
  const amount = await nextInstalment(portal, borrower)
  const answer = amount === null ? null : await requestLink(portal, borrower, amount)
  if (answer !== null && answer.status < 500 && answer.status !== 409) broken(`without a database a link was answered ${answer.status}`)
  await pay(portal, link)
  await delay(brokenMs)
  await Promise.all(takers.map((taker) => taker.end()))
}

const terminateOurs = (portal: Portal): Promise<void> =>
  asSuperuser(portal, async (client) => {
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'kist_app'")
  })

async function killAtRandom({ portal, options, round }: SuiteRun, borrowers: readonly Borrower[]): Promise<void> {
  const below = randomNumbers(options.seed)
  for (let index = 0; index < options.rounds; index += 1)
    await round(`kill -9 at random, ${index + 1}`, async () => {
      const paying = borrowers.map((borrower) => payOnce(portal, borrower))
      await delay(below(killWithinMs))
      await portal.killDatabase()
      await portal.startDatabase()
      await Promise.all(paying)
    })
}
