import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { paise, rupeesToPaise } from '#domain/money.ts'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import { until } from '#testkit/until.ts'
import { checkInvariants } from '#server/ledger/check-invariants.ts'
import type { BrokenInvariant } from '#server/ledger/invariants/invariant.ts'
import {
  addBorrowers,
  requestLink,
  cancel,
  foreclosureLink,
  loanOf,
  readOffer,
  pay,
  findOpenLink,
  statusOf,
  tokenFor,
  type Borrower,
} from './borrowers.ts'
import { deliver, eventOf, newEventId } from './deliveries.ts'
import { recoveryTimeoutMs } from './verify-outcome.ts'
import { change, lenderActions, prepare, reversal, transfer, type LenderAction } from './lender.ts'
import { awaitRefunds } from './await-refunds.ts'
import { moveTo2340 } from './unusual-times.ts'
import type { Portal } from './portal.ts'
import { portalSuite, type SuiteRun } from './suite.ts'

const stepsOfRound = { full: 16, short: 8 }
const borrowersOfRound = 2
/** Clock jumps in seconds: past a poll, an expiry, a day, a due date. */
const jumps = [90, 3_700, 86_400, 25 * 86_400]

/** The state of one random history. */
type History = {
  suiteRun: SuiteRun
  portal: Portal
  borrowers: Borrower[]
  links: { link: string; borrower: Borrower }[]
  below: (end: number) => number
}
type Step = (history: History) => Promise<void>

const one = <T>(items: readonly T[], below: History['below']): T | undefined => items[below(items.length)]

const requestPayment: Step = async ({ portal, borrowers, links, below }) => {
  const borrower = one(borrowers, below)
  const offer = borrower && (await readOffer(portal, borrower))
  if (!borrower || !offer) return
  const answer = await requestLink(portal, borrower, offer.amount, offer.purpose)
  const link = answer?.status === 200 ? String(answer.body['payment_link_id']) : await findOpenLink(portal, borrower)
  if (link !== null) links.push({ link, borrower })
}
const onLink =
  (work: (history: History, link: string, borrower: Borrower) => Promise<unknown>): Step =>
  async (history) => {
    if (history.links.length === 0) await requestPayment(history)
    // Mostly the newest link, sometimes an earlier one.
    const chosen = history.below(3) > 0 ? history.links.at(-1) : one(history.links, history.below)
    if (chosen) await work(history, chosen.link, chosen.borrower)
  }
/**
 * An action of the lender with an open link, if the loan allows one; half of the time with
 * `cancelLink`.
 */
function whileLinkOpen(move: LenderAction): Step {
  return async (history) => {
    const { portal, borrowers, links, below } = history
    const borrower = one(borrowers, below)
    // A closed loan allows no action.
    if (!borrower || (await loanOf(portal, borrower)).status !== 'ACTIVE') return
    const { write } = await prepare(portal, borrower, move)
    const offer = await readOffer(portal, borrower)
    const answer = offer && (await requestLink(portal, borrower, offer.amount, offer.purpose))
    if (answer?.status === 200) links.push({ link: String(answer.body['payment_link_id']), borrower })
    await change(portal, borrower, write, { whileLinkOpen: 'refuse', cancelLink: below(2) === 0 })
  }
}
const methods = ['upi', 'card', 'netbanking'] as const

const steps: Record<string, Step> = {
  'ask for a link': requestPayment,
  pay: onLink(({ portal, below }, link) => pay(portal, link, { method: one(methods, below) })),
  'pay, again': onLink(({ portal, below }, link) => pay(portal, link, { method: one(methods, below) })),
  'pay twice at once': onLink(({ portal }, link) =>
    Promise.all([pay(portal, link), pay(portal, link, { outcome: 'late_success', after_seconds: 0 })]),
  ),
  'pay a second time, and the provider keeps it': onLink(({ portal }, link) => pay(portal, link, { second_capture: 'keep' })),
  'fail to pay': onLink(({ portal }, link) => pay(portal, link, { outcome: 'failure' })),
  'pay late': onLink(({ portal, below }, link) => pay(portal, link, { outcome: 'late_success', after_seconds: one(jumps, below) })),
  ...Object.fromEntries(lenderActions.map((move) => [`${move} while a link is open`, whileLinkOpen(move)])),
  'receive a transfer, and reverse it': async ({ portal, borrowers, below }) => {
    const borrower = one(borrowers, below)
    const reference = newEventId()
    if (!borrower) return
    await change(portal, borrower, transfer(reference), { whileLinkOpen: 'cancel_after' })
    await change(portal, borrower, reversal(reference), { whileLinkOpen: 'cancel_after' })
  },
  'foreclose, and have a bounce reported meanwhile': async ({ portal, borrowers, links, below }) => {
    const borrower = one(borrowers, below)
    const reference = newEventId()
    if (!borrower) return
    // More than the difference of a day's interest that is waived (decision 24).
    await change(portal, borrower, transfer(reference, rupeesToPaise(1_000)), { whileLinkOpen: 'cancel_after' })
    const link = await foreclosureLink(portal, borrower).catch(() => null)
    if (link === null) return
    links.push({ link, borrower })
    await Promise.all([change(portal, borrower, reversal(reference), { whileLinkOpen: 'cancel_after' }), pay(portal, link)])
  },
  'pay less than a foreclosure takes': async ({ portal, borrowers, below }) => {
    const borrower = one(borrowers, below)
    const payoffPaise = borrower && (await loanOf(portal, borrower)).allowed.foreclosure?.amountPaise
    if (!borrower || payoffPaise === undefined || payoffPaise <= rupeesToPaise(1_000)) return
    const short = transfer(newEventId(), paise(payoffPaise - rupeesToPaise(1_000)), 'FORECLOSURE')
    await change(portal, borrower, short, { whileLinkOpen: 'cancel_after' })
  },
  'pay at 23:40': async (history) => {
    const { portal, borrowers } = history
    await moveTo2340(portal)
    for (const borrower of borrowers) borrower.token = await tokenFor(portal, borrower.borrowerId)
    await requestPayment(history)
    const newest = history.links.at(-1)
    // Half of the payments arrive after midnight.
    if (history.below(2) === 0) await portal.sandbox('/time', { advance_seconds: 25 * 60 })
    if (newest) await pay(portal, newest.link)
  },
  cancel: onLink(({ portal }, link, borrower) => cancel(portal, borrower.token, link)),
  'cancel while paying': onLink(({ portal }, link, borrower) => Promise.all([cancel(portal, borrower.token, link), pay(portal, link)])),
  poll: onLink(({ portal }, link, borrower) => Promise.all([1, 2, 3].map(() => statusOf(portal, borrower, link)))),
  'repeat webhooks': onLink(({ portal }, link) => portal.sandbox('/webhooks/replay', { payment_link_id: link, times: 5, concurrency: 10 })),
  'delay webhooks': ({ portal }) => orderFault(portal, { call: 'webhook', kind: 'delay', delay_ms: 1_000, times: 4 }),
  'reorder webhooks': ({ portal }) => orderFault(portal, { call: 'webhook', kind: 'reorder', delay_ms: 500, times: 4 }),
  'drop webhooks': ({ portal }) => orderFault(portal, { call: 'webhook', kind: 'drop', times: 4 }),
  'fail a call of the provider': ({ portal, below }) =>
    orderFault(portal, {
      call: one(['create', 'fetch', 'payment', 'cancel', 'list'], below),
      kind: one(['reset_after', 'timeout_before'], below),
    }),
  'forge a webhook': onLink(forge),
  'sign in': signIn,
  'kill the server': async ({ portal }) => {
    await portal.server.kill()
    await portal.server.start()
  },
  'kill the database': async ({ portal }) => {
    await portal.killDatabase()
    await portal.startDatabase()
  },
  'let time pass': async ({ portal, borrowers, below }) => {
    await portal.sandbox('/time', { advance_seconds: one(jumps, below) })
    for (const borrower of borrowers) borrower.token = await tokenFor(portal, borrower.borrowerId)
  },
}

/**
 * Random histories, reproducible by seed. Every invariant holds after every step, and in the end
 * all payments are posted.
 */
export const history = portalSuite('history', async (suiteRun) => {
  const { portal, options, round, broken } = suiteRun
  for (let index = 0; index < options.rounds; index += 1) {
    const seed = options.seed * 10_000 + index
    await round(`seed ${seed}`, async () => {
      const below = randomNumbers(seed)
      const history: History = {
        suiteRun,
        portal,
        borrowers: await addBorrowers(portal, borrowersOfRound, { sanctionedRupees: 500_000 }),
        links: [],
        below,
      }
      const taken: string[] = []
      for (let step = 0; step < (options.short ? stepsOfRound.short : stepsOfRound.full); step += 1) {
        const name = one(Object.keys(steps), below) ?? ''
        taken.push(name)
        await steps[name]?.(history)
        const faults = await brokenInvariants(portal)
        if (faults.length > 0)
          broken(`seed ${seed}, after ${taken.join(', ')}: ${faults.map(({ id, detail }) => `${id} ${detail}`).join('; ')}`)
      }
      await portal.sandbox('/faults', { clear: true })
    })
  }
  await awaitRefunds(suiteRun)
})

/** Invariants with a time limit: a clock jump uses it up, so they may be broken for a moment. */
const timely: ReadonlySet<string> = new Set(['I5', 'I8', 'I9', 'I20'])

/** Checks all invariants; those with a time limit may take a minute of real time. */
async function brokenInvariants(portal: Portal): Promise<readonly BrokenInvariant[]> {
  const deadline = Date.now() + recoveryTimeoutMs
  for (;;) {
    const { broken } = await checkInvariants(portal.database(), { now: portal.clock.now() })
    if (broken.some(({ id }) => !timely.has(id)) || broken.length === 0 || Date.now() > deadline) return broken
    await delay(50)
  }
}

const orderFault = async (portal: Portal, fault: object): Promise<void> => void (await portal.sandbox('/faults', fault))

/**
 * A webhook with a wrong secret is refused; a forged one with the right secret only causes a sync.
 */
async function forge({ portal, suiteRun }: History, link: string): Promise<void> {
  const { links } = (await portal.sandbox(`/state?payment_link_id=${link}`)).body as { links: Record<string, unknown>[] }
  const paid = eventOf('payment_link.cancelled', { payment_link: { ...links[0], status: 'cancelled', amount_paid: 1 } })
  const refused = await deliver(portal, { event: paid, secret: 'guessed-webhook-secret' })
  if (refused?.status !== 400) suiteRun.broken(`a forged webhook was answered ${refused?.status}`)
  await deliver(portal, { event: paid, id: newEventId() })
}

const codeTimeoutMs = 60_000

/** Signs in by phone and the code of the text message. */
async function signIn({ portal, borrowers, below, suiteRun }: History): Promise<void> {
  const borrower = one(borrowers, below)
  if (!borrower) return
  const outbox = join(portal.directory, 'outbox.ndjson')
  const messages = () => (existsSync(outbox) ? readFileSync(outbox, 'utf8').split('\n').filter(Boolean) : [])
  const before = messages().length
  const asked = await portal.call('POST', '/auth/login', undefined, { phone: borrower.phone })
  if (asked?.status !== 200) return suiteRun.broken(`signing in was answered ${asked?.status} ${String(asked?.body['code'])}`)
  const codeSent = () =>
    messages()
      .slice(before)
      .map((line) => JSON.parse(line) as { to: string; code: string | null })
      .findLast((message) => message.to === borrower.phone && message.code !== null)?.code
  const code = await until(codeSent, codeTimeoutMs, { intervalMs: 50, failure: 'no code came' })
  const answer = await portal.call('POST', '/auth/verify', undefined, { session_token: asked.body['session_token'], otp: code })
  if (answer?.status === 200) borrower.token = String(answer.body['token'])
  else suiteRun.broken(`the code was answered ${answer?.status}`)
}
