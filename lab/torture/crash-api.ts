import { setTimeout as delay } from 'node:timers/promises'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import type { FailPointName } from '#server/config/fail-points.ts'
import { addBorrowers, cancel, openLink, pay, payOnce, awaitFailPoint, statusOf, type Borrower } from './borrowers.ts'
import type { Portal } from './portal.ts'
import { awaitRefunds } from './await-refunds.ts'
import { portalSuite, type SuiteRun } from './suite.ts'
import { until } from '#testkit/until.ts'

const borrowersAtOnce = 4
const killWithinMs = 900

/** Steps of a payment; those of proposals, resets and autopay belong to suites of their own. */
type PaymentStep = Exclude<FailPointName, `proposal_${string}` | `reset_${string}` | `autopay_${string}` | `stop_${string}`>

/** The borrower's action that reaches each step. */
const waysTo: Record<PaymentStep, 'open' | 'cancel' | 'pay' | 'refund'> = {
  intent_stored: 'open',
  link_made: 'open',
  cancel_asked: 'cancel',
  cancel_answered: 'cancel',
  event_arrived: 'pay',
  event_stored: 'pay',
  capture_stored: 'pay',
  posting_begun: 'pay',
  posting_written: 'pay',
  posting_committed: 'pay',
  refund_asked: 'refund',
  refund_answered: 'refund',
}
const inShort: readonly string[] = ['link_made', 'event_stored', 'posting_written', 'posting_committed', 'refund_answered']

/**
 * Kills the server at every named step of a payment and at random times, and suspends it beyond its
 * lease.
 */
export const crashApi = portalSuite('crash-api', async (suiteRun) => {
  const { portal, options } = suiteRun
  const borrowers = await addBorrowers(portal, borrowersAtOnce)
  const [borrower] = borrowers as [Borrower]
  for (const name of Object.keys(waysTo) as PaymentStep[]) {
    if (options.short && !inShort.includes(name)) continue
    await suiteRun.round(`kill -9 at ${name}`, () => strikeAt(portal, borrower, name, 'exit'))
    if (!options.short) await suiteRun.round(`failure at ${name}`, () => strikeAt(portal, borrower, name, 'throw'))
  }
  await suiteRun.round('asleep past its lease', () => sleepWhilePosting(portal, borrower))
  await killAtRandom(suiteRun, borrowers)
  await awaitRefunds(suiteRun)
})

/** The server ends or fails at the step; after its restart the borrower continues. */
async function strikeAt(portal: Portal, borrower: Borrower, name: PaymentStep, action: 'exit' | 'throw'): Promise<void> {
  const way = waysTo[name]
  const opened = way === 'open' ? null : await openLink(portal, borrower)
  portal.order(name, action)
  const acting = act(portal, borrower, way, opened)
  await awaitFailPoint(portal, name)
  if (action === 'exit') {
    await portal.server.ended()
    await portal.server.start()
  }
  const result = await acting
  portal.release(name)
  if (typeof result === 'string') await pay(portal, result)
  if (way === 'cancel' && opened !== null) await cancelledAsTheProviderSays(portal, borrower, opened)
}

async function act(portal: Portal, borrower: Borrower, way: (typeof waysTo)[PaymentStep], opened: string | null): Promise<unknown> {
  if (opened === null) return openLink(portal, borrower)
  if (way === 'pay') return pay(portal, opened)
  const cancelled = await cancel(portal, borrower.token, opened)
  // A payment of a cancelled link with nothing due is refunded.
  return way === 'cancel' ? cancelled : pay(portal, opened, { outcome: 'late_success', after_seconds: 0 })
}

/** A repeated cancel after the failure gives the provider's status. */
async function cancelledAsTheProviderSays(portal: Portal, borrower: Borrower, link: string): Promise<void> {
  const answer = await cancel(portal, borrower.token, link)
  const shown = await statusOf(portal, borrower, link)
  if (answer?.status !== 200 || shown?.body['status'] !== 'cancelled')
    throw new Error(`cancelling again answered ${answer?.status}, the link is ${String(shown?.body['status'])}`)
}

/** A server is suspended during a posting and resumed after another server has posted. */
async function sleepWhilePosting(portal: Portal, borrower: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  portal.order('posting_written', 'hold')
  await pay(portal, link)
  await awaitFailPoint(portal, 'posting_written')
  portal.server.signal('SIGSTOP')
  await portal.replica.start()
  await awaitApplied(portal, link, 60_000)
  portal.release('posting_written')
  portal.server.signal('SIGCONT')
  await portal.replica.kill('SIGTERM')
}

async function awaitApplied(portal: Portal, link: string, timeoutMs: number): Promise<void> {
  const isApplied = async () => {
    const row = await portal
      .database()
      .asSystem((sql) => sql.selectFrom('payment_links').select('rps_updated').where('payment_link_id', '=', link).executeTakeFirst())
    return row?.rps_updated
  }
  await until(isApplied, timeoutMs, { intervalMs: 50, failure: `link ${link} was not applied by the other server` })
}

/** Borrowers pay without a pause while the server is killed at random times. */
async function killAtRandom({ portal, options, round }: SuiteRun, borrowers: readonly Borrower[]): Promise<void> {
  const below = randomNumbers(options.seed)
  for (let index = 0; index < options.rounds; index += 1)
    await round(`kill -9 at random, ${index + 1}`, async () => {
      let isOver = false
      const paying = borrowers.map(async (borrower) => {
        do await payOnce(portal, borrower)
        while (!isOver)
      })
      await delay(below(killWithinMs))
      await portal.server.kill()
      await portal.server.start()
      isOver = true
      await Promise.all(paying)
    })
}
