import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkFault } from '#testkit/tcp-proxy.ts'
import {
  addBorrowers,
  requestLink,
  cancel,
  nextInstalment,
  openLink,
  pay,
  payOnce,
  awaitStatus,
  tokenFor,
  type Borrower,
} from './borrowers.ts'
import { lenderUnderFaults } from './lender-races.ts'
import type { Portal } from './portal.ts'
import { unusualPayments } from './unusual-payments.ts'
import { unusualTimes } from './unusual-times.ts'
import { awaitRefunds } from './await-refunds.ts'
import { portalSuite, type SuiteRun } from './suite.ts'

type Fault = Record<string, unknown> & { kind: string }

const brokenMs = 1_200
/** Longer than the portal's timeout. */
const slowMs = 4_000

const broken: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 502 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429 },
  { kind: 'timeout_before' },
  { kind: 'latency', latency_ms: slowMs },
  { kind: 'reset' },
  { kind: 'malformed_json' },
]
const done: readonly Fault[] = [{ kind: 'status_after', status: 500 }, { kind: 'timeout_after' }, { kind: 'reset_after' }]

const networkFaults: readonly [name: string, fault: NetworkFault][] = [
  ['slow by 200 ms', { kind: 'latency', ms: 200 }],
  ['dripping', { kind: 'drip', bytes: 20, ms: 10 }],
  ['refused', { kind: 'refuse' }],
  ['reset', { kind: 'reset' }],
  ['closed by one side', { kind: 'half_close' }],
  ['cut in the middle of an answer', { kind: 'truncate', bytes: 60 }],
  ['swallowing everything', { kind: 'blackhole' }],
]

const webhookFaults: readonly Fault[] = [
  { kind: 'drop' },
  { kind: 'delay', delay_ms: 1_000 },
  { kind: 'duplicate', copies: 9 },
  { kind: 'reorder', delay_ms: 500 },
  { kind: 'burst', size: 4, delay_ms: 500 },
  { kind: 'corrupt_signature' },
  { kind: 'wrong_secret' },
  { kind: 'truncate' },
]

const named = ({ kind, ...rest }: Fault): string => [kind, ...Object.values(rest)].join(' ')
/** The entries that `npm test` runs. */
const some = <T>(all: readonly T[], { options }: SuiteRun): readonly T[] => (options.short ? all.slice(-1) : all)

/** Every fault of the provider, its webhooks and its network, each once. */
export const providerFaults = portalSuite('provider-faults', async (suiteRun) => {
  const { portal, round } = suiteRun
  const [borrower, other] = (await addBorrowers(portal, 2)) as [Borrower, Borrower]

  for (const fault of [...some(broken, suiteRun), ...some(done, suiteRun), { kind: 'wrong_amount' }])
    await round(`create: ${named(fault)}`, () => createUnder(suiteRun, borrower, fault))
  for (const fault of [...some(broken, suiteRun), ...some(done, suiteRun)])
    await round(`cancel: ${named(fault)}`, () => cancelUnder(suiteRun, borrower, fault))
  for (const call of ['fetch', 'payment'])
    for (const fault of some([...broken, { kind: 'stale_read' }], suiteRun))
      await round(`${call}: ${named(fault)}`, () => payUnder(portal, borrower, [{ call, times: 'forever', ...fault }]))
  await round('fetch: wrong amount', () => payUnder(portal, borrower, [{ call: 'fetch', kind: 'wrong_amount', times: 'forever' }]))
  for (const fault of some(webhookFaults, suiteRun))
    await round(`webhooks: ${named(fault)}`, () => payUnder(portal, borrower, [{ call: 'webhook', times: 'forever', ...fault }]))
  await round('nothing is heard and nothing is answered', () =>
    payUnder(portal, borrower, [
      { call: 'webhook', kind: 'drop', times: 'forever' },
      { call: '*', kind: 'status', status: 500, times: 'forever' },
    ]),
  )
  await round('one link that cannot be fetched holds up no other', () => poison(suiteRun, borrower, other))
  for (const [name, fault] of some(networkFaults, suiteRun))
    await round(`network to the provider ${name}`, () => payThrough(portal, [borrower, other], fault))
  await round('signed out on the way', () => signedOut(portal, borrower))
  await round('ids from outside', () => strangeIds(suiteRun, borrower, other))
  if (!suiteRun.options.short) await round('two servers, one of them leaves', () => rollingDeploy(portal, [borrower, other]))
  await lenderUnderFaults(suiteRun, [...some(broken, suiteRun), ...some(done, suiteRun)])
  await unusualPayments(suiteRun)
  await unusualTimes(suiteRun)
  await awaitRefunds(suiteRun)
})

const order = (portal: Portal, faults: readonly Fault[]) => portal.sandbox('/faults', { faults })
const heal = (portal: Portal) => portal.sandbox('/faults', { clear: true })

/** A link is requested during the fault and again after it; only one is created, and it is paid. */
async function createUnder({ portal, broken }: SuiteRun, borrower: Borrower, fault: Fault): Promise<void> {
  const amount = (await nextInstalment(portal, borrower)) ?? 0
  await order(portal, [{ call: 'create', ...fault }])
  const answer = await requestLink(portal, borrower, amount)
  await heal(portal)
  if (answer === null || ![200, 502, 503].includes(answer.status)) broken(`create under ${named(fault)} was answered ${answer?.status}`)
  const link = await openLink(portal, borrower)
  const { links } = (await portal.sandbox('/state')).body as { links: { id: string; status: string }[] }
  const open = links.filter(({ status }) => status === 'created')
  if (open.length !== 1 || open[0]?.id !== link) broken(`after create under ${named(fault)} the provider has ${open.length} open links`)
  await pay(portal, link)
}

/**
 * A link is cancelled during the fault and again after it; the last answer is the provider's
 * status.
 */
async function cancelUnder({ portal, broken }: SuiteRun, borrower: Borrower, fault: Fault): Promise<void> {
  const link = await openLink(portal, borrower)
  await order(portal, [{ call: 'cancel', ...fault }])
  const answer = await cancel(portal, borrower.token, link)
  await heal(portal)
  if (answer === null || ![200, 503].includes(answer.status)) broken(`cancel under ${named(fault)} was answered ${answer?.status}`)
  const again = await cancel(portal, borrower.token, link)
  if (again?.status !== 200) broken(`cancelling again was answered ${again?.status}`)
  await awaitStatus(portal, borrower, link, 'cancelled')
}

async function payUnder(portal: Portal, borrower: Borrower, faults: readonly Fault[]): Promise<void> {
  const link = await openLink(portal, borrower)
  await order(portal, faults)
  await pay(portal, link)
  await delay(brokenMs)
  await heal(portal)
}

/** A payment of another borrower is posted while one link cannot be fetched. */
async function poison({ portal }: SuiteRun, borrower: Borrower, other: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  await order(portal, [{ call: 'fetch', kind: 'status', status: 500, payment_link_id: link, times: 'forever' }])
  await pay(portal, link)
  const next = await openLink(portal, other)
  await pay(portal, next)
  await awaitStatus(portal, other, next, 'paid')
  await heal(portal)
}

async function payThrough(portal: Portal, borrowers: readonly Borrower[], fault: NetworkFault): Promise<void> {
  portal.providerNetwork.order(fault)
  const paying = borrowers.map((borrower) => payOnce(portal, borrower))
  await delay(brokenMs)
  portal.providerNetwork.order(null)
  await Promise.all(paying)
}

/** The session ends on the provider's page; the payment shows after the next sign-in. */
async function signedOut(portal: Portal, borrower: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  await portal.call('POST', '/auth/logout', borrower.token, {})
  await pay(portal, link)
  borrower.token = await tokenFor(portal, borrower.borrowerId)
  await awaitStatus(portal, borrower, link, 'paid')
}

/**
 * Foreign and invalid link ids are not found; the parameters of the return address prove nothing.
 */
async function strangeIds({ portal, broken }: SuiteRun, borrower: Borrower, other: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  for (const id of [link, '../payments/pay_00000000000000', 'plink_../../x', 'plink_00000000000000'])
    for (const [method, path] of [
      ['GET', '/portal/payment-link/status'],
      ['PATCH', '/payments/payment-link/cancel'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const answer = await portal.call(method, `${path}?payment_link_id=${encodeURIComponent(id)}`, other.token, body)
      if (answer?.status !== 404 && answer?.status !== 400) broken(`${method} of ${id} by another was answered ${answer?.status}`)
    }
  const forged = 'razorpay_payment_id=pay_00000000000000&razorpay_payment_link_status=paid&razorpay_signature=00'
  await portal.call('GET', `/portal/payment-link/status?payment_link_id=${link}&${forged}`, borrower.token)
  await awaitStatus(portal, borrower, link, 'created')
  await cancel(portal, borrower.token, link)
}

/** Two servers on one database; one is stopped during the work and started again. */
async function rollingDeploy(portal: Portal, borrowers: readonly Borrower[]): Promise<void> {
  await portal.replica.start()
  const paying = borrowers.map((borrower) => payOnce(portal, borrower))
  await delay(100)
  await portal.server.kill('SIGTERM')
  await portal.server.start()
  await Promise.all(paying)
  await portal.replica.kill('SIGTERM')
}
