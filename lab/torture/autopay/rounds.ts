import { randomNumbers } from '#domain/random-loan.testing.ts'
import type { FailPointName } from '#server/config/fail-points.ts'
import { until } from '#testkit/until.ts'
import { addBorrowers, awaitFailPoint, cancel, openLink, pay, payOnce, renewSession, type Borrower } from '../borrowers.ts'
import { change, charge, transfer } from '../lender.ts'
import { newEventId } from '../deliveries.ts'
import type { Portal } from '../portal.ts'
import { portalSuite, type SuiteRun, type TortureOptions } from '../suite.ts'
import { recoveryTimeoutMs } from '../verify-outcome.ts'
import {
  addDebtor,
  collectionsOf,
  expireLeases,
  followOnce,
  followTo,
  followToEnd,
  mandateOf,
  moveTo,
  requestMandate,
  setUpMandate,
  statesOf,
} from './debtors.ts'
import { findingKinds, type Finding, type FindingKind } from './judge.ts'
import { judgeDebits } from './judge-portal.ts'

type AutopayStep = Extract<FailPointName, `autopay_${string}`>

/** What is done to reach each step. */
const waysTo: Record<AutopayStep, 'set up' | 'announce' | 'present' | 'capture'> = {
  autopay_mandate_stored: 'set up',
  autopay_mandate_made: 'set up',
  autopay_announcement_decided: 'announce',
  autopay_announcement_made: 'announce',
  autopay_debit_decided: 'present',
  autopay_debit_requested: 'present',
  autopay_debit_known: 'capture',
  autopay_debit_posted: 'capture',
}
const inShort: readonly AutopayStep[] = ['autopay_mandate_made', 'autopay_debit_decided', 'autopay_debit_requested', 'autopay_debit_posted']

/** Autopay on a portal of real processes: kills, two servers, links against debits, faults. */
const suite = portalSuite('autopay', async (suiteRun) => {
  const { portal, options, round } = suiteRun
  // Servers that were killed in earlier suites hold theirs for up to a minute.
  await expireLeases(portal)
  for (const name of Object.keys(waysTo) as AutopayStep[])
    if (!options.short || inShort.includes(name)) await round(`kill -9 at ${name}`, () => strikeAt(portal, name))
  await round('a link is paid at 05:59', () => payBeforePresenting(suiteRun))
  await round('a link between a failure and its late success', () => linkBeforeLateSuccess(suiteRun))
  await round('two servers present at once', () => presentTwice(suiteRun))
  await round('the request for a debit is not answered', () => loseAnswer(suiteRun))
  const below = randomNumbers(options.seed)
  for (let index = 0; index < options.rounds; index += 1) await round(`at random, ${index + 1}`, () => actAtRandom(portal, below))
  await round('every debit is compared with the provider', () => judgeDebits(suiteRun))
})

/** Runs the rounds on a running portal. */
export async function autopayRounds(portal: Portal, options: TortureOptions): Promise<{ rounds: number; findings: Finding[] }> {
  const { line, detail } = await suite.runOn(portal, options)
  const findings = detail.map((text): Finding => {
    const kind = findingKinds.find((one) => text.includes(`${one}: `) && one !== 'broken') ?? 'broken'
    return { kind: kind as FindingKind, text }
  })
  return { rounds: Number(/rounds (\d+)/.exec(line)?.[1]), findings }
}

/** The server is killed at a step; another takes over, and the debit comes to its end. */
async function strikeAt(portal: Portal, name: AutopayStep): Promise<void> {
  const way = waysTo[name]
  const strike = async (work: () => Promise<unknown>): Promise<void> => {
    portal.order(name, 'exit')
    const working = work().catch(() => null)
    await awaitFailPoint(portal, name)
    await portal.server.ended()
    await portal.server.start()
    portal.release(name)
    // The debit is looked at by the next holder of the lease.
    await expireLeases(portal)
    await working
  }
  const [borrower] = (await addBorrowers(portal, 1)) as [Borrower]
  if (way === 'set up') {
    await strike(() => requestMandate(portal, borrower, 'upi'))
    // A request that can still reach the provider blocks another.
    await portal.sandbox('/time', { advance_seconds: 180 })
  }
  await setUpMandate(portal, borrower, 'upi')
  if (way === 'announce') await strike(() => followTo(portal, borrower, 'announced'))
  await followTo(portal, borrower, 'announced')
  if (way === 'present') await strike(() => followOnce(portal, borrower))
  else await followTo(portal, borrower, 'presented')
  if (way === 'capture') await strike(() => followOnce(portal, borrower))
  await followToEnd(portal, borrower)
  const rows = await collectionsOf(portal, borrower)
  if (!rows.some(({ due_on, status }) => due_on === rows[0]?.due_on && status === 'captured'))
    throw new Error(`${borrower.lan} was not debited: ${statesOf(rows)}`)
}

async function payBeforePresenting({ portal, broken }: SuiteRun): Promise<void> {
  const borrower = await addDebtor(portal)
  const announced = await followTo(portal, borrower, 'announced')
  await moveTo(portal, announced.debit_on, 5.98)
  await renewSession(portal, borrower)
  await payOnce(portal, borrower)
  await followToEnd(portal, borrower)
  const [row] = await collectionsOf(portal, borrower)
  if (row?.status !== 'skipped' || row.reason !== 'paid') broken(`the debit of a paid instalment is ${row?.status} ${row?.reason}`)
}

/** A link may be made once the debit has failed, which succeeds after the link's end. */
async function linkBeforeLateSuccess({ portal, broken }: SuiteRun): Promise<void> {
  const borrower = await addDebtor(portal)
  const [planned] = await collectionsOf(portal, borrower)
  const late = { outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 6 * 3_600 }
  await portal.sandbox('/debits/next', { ...late, receipt: planned?.reference })
  await followToEnd(portal, borrower)
  const cancelled = await cancel(portal, borrower.token, await openLink(portal, borrower))
  if (cancelled?.status !== 200) broken(`a link after the failure of a debit: ${JSON.stringify(cancelled)}`)
  await portal.sandbox('/time', { advance_seconds: 12 * 3_600 })
  const isCaptured = async () => (await collectionsOf(portal, borrower))[0]?.status === 'captured'
  await until(isCaptured, recoveryTimeoutMs, { intervalMs: 20, failure: 'the late success was not found' })
}

async function presentTwice({ portal, broken }: SuiteRun): Promise<void> {
  const borrower = await addDebtor(portal)
  const announced = await followTo(portal, borrower, 'announced')
  await portal.replica.start()
  portal.order('autopay_debit_decided', 'hold')
  await moveTo(portal, announced.debit_on, 6.01)
  await awaitFailPoint(portal, 'autopay_debit_decided')
  // The first server sleeps past its lease; the second sweeps meanwhile.
  await expireLeases(portal)
  const isSwept = async () => (await collectionsOf(portal, borrower))[0]?.status === 'presented'
  await until(isSwept, recoveryTimeoutMs, { intervalMs: 20, failure: 'the debit was not presented' })
  portal.release('autopay_debit_decided')
  await followToEnd(portal, borrower)
  await portal.replica.kill('SIGTERM')
  const requests = await requestsOf(portal, announced.order_id)
  if (requests !== 1) broken(`two servers asked for a debit ${requests} times`)
}

async function loseAnswer({ portal, broken }: SuiteRun): Promise<void> {
  const borrower = await addDebtor(portal)
  const announced = await followTo(portal, borrower, 'announced')
  await portal.sandbox('/faults', { call: 'recurring', kind: 'timeout_after' })
  await followToEnd(portal, borrower)
  const requests = await requestsOf(portal, announced.order_id)
  if (requests !== 1) broken(`a debit whose answer was lost was asked for ${requests} times`)
}

async function requestsOf(portal: Portal, orderId: string | null): Promise<number> {
  const { payments } = (await portal.sandbox('/state')).body as { payments: { order_id: string }[] }
  return payments.filter(({ order_id }) => order_id === orderId).length
}

const outcomes = [
  { outcome: 'success' },
  { outcome: 'failure', reason: 'insufficient_funds' },
  { outcome: 'failure', reason: 'psp_timeout' },
  { outcome: 'failure', reason: 'a_reason_nobody_knows' },
  { outcome: 'late_success', reason: 'insufficient_funds', after_seconds: 6 * 3_600 },
  { outcome: 'success', amount: 300_000 },
]
const calls = ['order_create', 'orders', 'order', 'token', 'recurring', 'order_payments', 'payment', 'create', 'fetch', 'cancel']
const kinds = ['timeout_before', 'timeout_after', 'reset', 'reset_after', 'malformed_json']
const one = <T>(items: readonly [T, ...T[]] | readonly T[], below: (end: number) => number): T => items[below(items.length)] as T

/** What a borrower, a bank or the lender does between the looks at a debit. */
const actions: readonly ((portal: Portal, borrower: Borrower) => Promise<unknown>)[] = [
  (portal, borrower) => payOnce(portal, borrower, 2_000),
  async (portal, borrower) => pay(portal, await openLink(portal, borrower, 2_000)),
  async (portal, borrower) => cancel(portal, borrower.token, await openLink(portal, borrower, 2_000)),
  (portal, borrower) => openLink(portal, borrower, 2_000),
  (portal, borrower) => change(portal, borrower, transfer(newEventId()), { whileLinkOpen: 'cancel_after' }),
  (portal, borrower) => change(portal, borrower, charge(newEventId()), { whileLinkOpen: 'refuse' }),
  async (portal, borrower) => portal.sandbox(`/mandates/${(await mandateOf(portal, borrower))?.token_id}/pause`, {}),
  async (portal, borrower) => portal.sandbox(`/mandates/${(await mandateOf(portal, borrower))?.token_id}/resume`, {}),
  async (portal, borrower) =>
    portal.call('POST', `/portal/autopay/mandates/${(await mandateOf(portal, borrower))?.mandate_id}/pause`, borrower.token, {}),
  async (portal) => {
    await portal.server.kill()
    await portal.server.start()
    await expireLeases(portal)
  },
]

/** What the portal refuses, such as a link while a debit is presented, is part of a round. */
function ignoreRefusal(error: unknown): void {
  if (!/got no link|in progress at the bank|is pending/.test(String(error))) throw error
}

/** One due date with faults of the provider, an outcome and actions by chance. */
async function actAtRandom(portal: Portal, below: (end: number) => number): Promise<void> {
  const borrower = await addDebtor(portal, below(3) === 0 ? 'emandate' : 'upi')
  const [planned] = await collectionsOf(portal, borrower)
  if (below(2) === 0) await portal.sandbox('/debits/next', { ...one(outcomes, below), receipt: planned?.reference })
  if (below(6) === 0) await portal.sandbox('/notifications/next', { outcome: one(['failed', 'late'], below), receipt: planned?.reference })
  for (let faults = below(4); faults > 0; faults -= 1)
    await portal.sandbox('/faults', { call: one(calls, below), kind: one(kinds, below), times: 1 + below(3) })
  const actAfter = below(6)
  for (let looks = 0; looks < 40; looks += 1) {
    if (looks === actAfter || below(8) === 0) {
      await renewSession(portal, borrower)
      await one(actions, below)(portal, borrower).catch(ignoreRefusal)
    }
    if (!(await followOnce(portal, borrower))) break
  }
  await portal.sandbox('/faults', { clear: true })
  const mandate = await mandateOf(portal, borrower)
  if (mandate?.app_paused_at) await portal.sandbox(`/mandates/${mandate.token_id}/resume`, {})
  await followToEnd(portal, borrower)
}
