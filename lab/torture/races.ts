import { setTimeout as delay } from 'node:timers/promises'
import { sql as raw } from 'kysely'
import { assumeRole } from '#contract/permissions.ts'
import { randomNumbers } from '#domain/random-loan.testing.ts'
import type { FailPointName } from '#server/config/fail-points.ts'
import { addPerson } from '#testkit/builders.ts'
import { mintToken } from '#testkit/mint-token.ts'
import { until } from '#testkit/until.ts'
import { addBorrowers, requestLink, cancel, nextInstalment, openLink, pay, awaitFailPoint, statusOf, type Borrower } from './borrowers.ts'
import { deliver, eventsOfPayment, newEventId, paidEntities, withoutWebhooks } from './deliveries.ts'
import { recoveryTimeoutMs } from './verify-outcome.ts'
import type { Answer, Portal } from './portal.ts'
import { change, transfer } from './lender.ts'
import { lenderRaces } from './lender-races.ts'
import { awaitRefunds } from './await-refunds.ts'
import { portalSuite, type SuiteRun } from './suite.ts'

const tabs = 6
const delayMsMax = 250

/**
 * Borrowers, staff, provider and loops act on one link at once, in each order that fail-points can
 * force.
 */
export const races = portalSuite('races', async (suiteRun) => {
  const { portal, options, round } = suiteRun
  const [borrower, other] = (await addBorrowers(portal, 2)) as [Borrower, Borrower]
  const staff = await staffFor(portal, borrower)

  await round('many tabs ask for a link at once', () => askAtOnce(suiteRun, borrower, Array(tabs).fill(borrower.token) as string[]))
  await round('staff and borrower ask for a link at once', () => askAtOnce(suiteRun, borrower, [borrower.token, staff]))
  await round('cancel is pressed many times', async () => {
    const link = await openLink(portal, borrower)
    const answers = await Promise.all(Array.from({ length: tabs }, () => cancel(portal, borrower.token, link)))
    await checkCancelAnswers(suiteRun, borrower, link, answers)
  })
  for (const step of ['cancel_asked', 'cancel_answered'] as const)
    for (const winner of ['pay', 'cancel', 'late money'] as const)
      await round(`cancel held at ${step}, first comes ${winner}`, () => cancelAgainstPay(suiteRun, borrower, step, winner))
  for (const step of ['event_stored', 'capture_stored', 'posting_begun', 'posting_written', 'posting_committed'] as const)
    await round(`payment held at ${step}, cancel comes`, () => payAgainstCancel(suiteRun, borrower, step))
  await round('staff cancels while the borrower pays', async () => {
    const link = await openLink(portal, borrower)
    const [answer] = await Promise.all([cancel(portal, staff, link), pay(portal, link)])
    await checkCancelAnswers(suiteRun, borrower, link, [answer])
  })
  await round('poll, webhook and sweep at once', () => observeAtOnce(portal, borrower))
  await round('money on two links of a loan at once', () => postTwoLinks(portal, other))
  for (const second_capture of ['refund', 'keep'])
    await round(`paid again while the next link is open, the provider's way is ${second_capture}`, () =>
      payAgain(portal, other, second_capture),
    )
  for (const late of [false, true])
    await round(`the operator records money while ${late ? 'late money' : 'a payment'} is posted`, () =>
      recordWhilePosting(suiteRun, other, late),
    )
  const below = randomNumbers(options.seed)
  for (let index = 0; index < options.rounds; index += 1)
    await round(`at random, ${index + 1}`, () => randomActionsAtOnce(suiteRun, borrower, staff, below))
  await lenderRaces(suiteRun, below)
  await awaitRefunds(suiteRun)
})

/** A staff member who acts as the borrower. @returns the token. */
async function staffFor(portal: Portal, borrower: Borrower): Promise<string> {
  const now = portal.clock.now()
  const userId = await addPerson(portal.database(), now, {
    phone: `+9197${borrower.phone.slice(5)}`,
    firstName: 'Staff',
    lastName: 'Torture',
    kind: 'staff',
    roles: [assumeRole],
    permissions: ['user:assume'],
  })
  return mintToken(portal.database(), portal.config, now, { userId, roles: [assumeRole], assumedUserId: borrower.borrowerId })
}

/** Only one link is created, and every successful answer names it. */
async function askAtOnce({ portal, broken }: SuiteRun, borrower: Borrower, tokens: readonly string[]): Promise<void> {
  const amount = (await nextInstalment(portal, borrower)) ?? 0
  const before = await openAtProvider(portal)
  const answers = await Promise.all(tokens.map((token) => requestLink(portal, { ...borrower, token }, amount)))
  const links = new Set(answers.flatMap((answer) => (answer?.status === 200 ? [String(answer.body['payment_link_id'])] : [])))
  const others = answers.filter((answer) => answer?.status !== 200 && answer?.status !== 409)
  if (others.length > 0) broken(`a tab was answered ${others.map((answer) => answer?.status).join(', ')}`)
  if (links.size !== 1) broken(`${links.size} links were given out`)
  const made = (await openAtProvider(portal)) - before
  if (made !== 1) broken(`the provider has ${made} new open links`)
  for (const link of links) await pay(portal, link)
}

async function openAtProvider(portal: Portal): Promise<number> {
  const { links } = (await portal.sandbox('/state')).body as { links: { status: string }[] }
  return links.filter(({ status }) => status === 'created').length
}

/** Checks that the answers to cancel, and the portal, show the provider's status. */
async function checkCancelAnswers(
  { portal, broken }: SuiteRun,
  borrower: Borrower,
  link: string,
  answers: readonly (Answer | null)[],
): Promise<void> {
  const status = await providerStatus(portal, link)
  for (const answer of answers) {
    const answered = answer?.status === 200 ? 'cancelled' : (answer?.body['payment_link'] as { status?: string } | undefined)?.status
    const isRight = answer?.status === 200 || answer?.status === 409 ? answered === status : answer?.status === 503
    if (!isRight) broken(`cancelling was answered ${answer?.status} ${answered ?? ''}, the provider's link is ${status}`)
  }
  const shown = (await statusOf(portal, borrower, link))?.body['status']
  if (shown !== status) broken(`the link shows ${String(shown)}, the provider's is ${status}`)
}

async function providerStatus(portal: Portal, link: string): Promise<string> {
  const { links } = (await portal.sandbox(`/state?payment_link_id=${link}`)).body as { links: { id: string; status: string }[] }
  return links.find(({ id }) => id === link)?.status ?? 'unknown'
}

/** Holds the cancel at a step; the payment arrives before or after it. */
async function cancelAgainstPay(
  suiteRun: SuiteRun,
  borrower: Borrower,
  step: 'cancel_asked' | 'cancel_answered',
  winner: 'pay' | 'cancel' | 'late money',
): Promise<void> {
  const { portal } = suiteRun
  const link = await openLink(portal, borrower)
  // The payment starts before the cancel and succeeds after it.
  const isPaidFirst = winner === 'pay' && step === 'cancel_answered'
  if (isPaidFirst) await withoutWebhooks(portal, () => pay(portal, link))
  portal.order(step, 'hold')
  const cancelling = cancel(portal, borrower.token, link)
  // A link that is known to be paid is not cancelled.
  const isHeld = await Promise.race([awaitFailPoint(portal, step).then(() => true), cancelling.then(() => false)])
  if (isHeld && winner === 'pay' && !isPaidFirst) await pay(portal, link)
  if (winner === 'late money') await pay(portal, link, { outcome: 'late_success', after_seconds: 0 })
  portal.release(step)
  const answer = await cancelling
  if (winner === 'cancel') await pay(portal, link)
  await checkCancelAnswers(suiteRun, borrower, link, [answer])
}

/** Holds the posting at a step during a cancel. */
async function payAgainstCancel(suiteRun: SuiteRun, borrower: Borrower, step: FailPointName): Promise<void> {
  const { portal } = suiteRun
  const link = await openLink(portal, borrower)
  portal.order(step, 'hold')
  await pay(portal, link)
  await awaitFailPoint(portal, step)
  const cancelling = cancel(portal, borrower.token, link)
  await Promise.race([cancelling, delay(300)])
  portal.release(step)
  await checkCancelAnswers(suiteRun, borrower, link, [await cancelling])
}

async function observeAtOnce(portal: Portal, borrower: Borrower): Promise<void> {
  const link = await openLink(portal, borrower)
  await pay(portal, link)
  const events = eventsOfPayment(await paidEntities(portal, link))
  await Promise.all([
    ...Array.from({ length: 20 }, () => statusOf(portal, borrower, link)),
    ...events.flatMap((event) => Array.from({ length: 4 }, () => deliver(portal, { event, id: newEventId() }))),
  ])
}

/** A late payment of a cancelled link is posted during the posting of the next link. */
async function postTwoLinks(portal: Portal, borrower: Borrower): Promise<void> {
  const first = await openLink(portal, borrower)
  await cancel(portal, borrower.token, first)
  const second = await openLink(portal, borrower)
  portal.order('posting_begun', 'hold')
  await pay(portal, second)
  await awaitFailPoint(portal, 'posting_begun')
  await pay(portal, first, { outcome: 'late_success', after_seconds: 0 })
  // Enough time for the other posting to reach the lock.
  await delay(700)
  portal.release('posting_begun')
}

/** The first link is paid again while the next one is open. */
async function payAgain(portal: Portal, borrower: Borrower, second_capture: string): Promise<void> {
  const first = await openLink(portal, borrower)
  await pay(portal, first)
  await awaitApplied(portal, borrower, first)
  const second = await openLink(portal, borrower)
  await pay(portal, first, second_capture === 'keep' ? { second_capture } : { outcome: 'late_success', after_seconds: 0, second_capture })
  await awaitSettledAtProvider(portal, first, 2)
  await awaitProcessedEvents(portal)
  await pay(portal, second)
}

async function awaitApplied(portal: Portal, borrower: Borrower, link: string): Promise<void> {
  await until(async () => (await statusOf(portal, borrower, link))?.body['rps_updated'] === true, recoveryTimeoutMs, {
    failure: `${link} was not applied`,
  })
}

/** Waits until the provider has captured or refunded `count` payments of the link. */
async function awaitSettledAtProvider(portal: Portal, link: string, count: number): Promise<void> {
  const isSettled = async () => {
    const { payments } = (await portal.sandbox(`/state?payment_link_id=${link}`)).body as { payments: { status: string }[] }
    return payments.filter(({ status }) => status === 'captured' || status === 'refunded').length >= count
  }
  await until(isSettled, recoveryTimeoutMs, { failure: `${link} was not paid ${count} times` })
}

/** Waits until all events are processed: an open next link must not delay them. */
async function awaitProcessedEvents(portal: Portal): Promise<void> {
  const isInboxEmpty = async () => {
    const open = await portal
      .database()
      .asSystem((sql) => sql.selectFrom('webhook_inbox').select('event_id').where('processed_at', 'is', null).limit(1).execute())
    return open.length === 0
  }
  await until(isInboxEmpty, recoveryTimeoutMs, { failure: 'events wait for the next link' })
}

/** The operator records a transfer while the posting holds the lock of the loan. */
async function recordWhilePosting(suiteRun: SuiteRun, borrower: Borrower, late: boolean): Promise<void> {
  const { portal, lost } = suiteRun
  const link = await openLink(portal, borrower)
  if (late) await cancel(portal, borrower.token, link)
  portal.order('posting_begun', 'hold')
  await pay(portal, link, late ? { outcome: 'late_success', after_seconds: 0 } : {})
  await awaitFailPoint(portal, 'posting_begun')
  const reference = newEventId()
  const recording = recordTransfer(suiteRun, borrower, reference)
  await until(async () => (await isPosted(portal, reference)) || (await isWaitingForLock(portal)), recoveryTimeoutMs, {
    failure: `the transfer ${reference} was neither recorded nor blocked by a lock`,
  })
  portal.release('posting_begun')
  await recording
  await awaitProcessedEvents(portal)
  const reversal = await portal
    .database()
    .asSystem((sql) =>
      sql
        .selectFrom('ledger_transactions as reversal')
        .innerJoin('ledger_transactions as paid', 'paid.transaction_id', 'reversal.reverses_transaction_id')
        .select('reversal.transaction_id')
        .where('paid.source_id', '=', reference)
        .executeTakeFirst(),
    )
  if (reversal) lost(`the transfer ${reference} was taken back by a posting that did not know of it`)
}

async function recordTransfer({ portal, broken }: SuiteRun, borrower: Borrower, reference: string): Promise<void> {
  const outcome = await change(portal, borrower, transfer(reference), { whileLinkOpen: 'cancel_after' })
  if (outcome !== 'written') broken(`money received outside the provider was ${outcome}`)
}

const isPosted = async (portal: Portal, reference: string): Promise<boolean> =>
  (await portal
    .database()
    .asSystem((sql) => sql.selectFrom('ledger_transactions').select('source_id').where('source_id', '=', reference).executeTakeFirst())) !==
  undefined

/** Whether a session of the portal waits for the row of a loan. */
const isWaitingForLock = async (portal: Portal): Promise<boolean> =>
  (
    await portal.database().asSystem((sql) =>
      raw`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query ilike '%from "loans"%for update%'`.execute(sql),
    )
  ).rows.length > 0

/** All actions on one link, each after a random delay. */
async function randomActionsAtOnce(suiteRun: SuiteRun, borrower: Borrower, staff: string, below: (end: number) => number): Promise<void> {
  const { portal } = suiteRun
  const link = await openLink(portal, borrower)
  const afterRandomDelay = async <T>(work: () => Promise<T>): Promise<T> => {
    await delay(below(delayMsMax))
    return work()
  }
  const amount = (await nextInstalment(portal, borrower)) ?? 0
  const paying = afterRandomDelay(() => pay(portal, link))
  const cancelling = [afterRandomDelay(() => cancel(portal, borrower.token, link)), afterRandomDelay(() => cancel(portal, staff, link))]
  const looking = Array.from({ length: 4 }, () => afterRandomDelay(() => statusOf(portal, borrower, link)))
  const asking = [
    afterRandomDelay(() => requestLink(portal, borrower, amount)),
    afterRandomDelay(() => requestLink(portal, { ...borrower, token: staff }, amount)),
  ]
  const late = below(3) === 0 ? [afterRandomDelay(() => pay(portal, link, { outcome: 'late_success', after_seconds: 0 }))] : []
  const recording = below(3) === 0 ? [afterRandomDelay(() => recordTransfer(suiteRun, borrower, newEventId()))] : []
  const answers = await Promise.all(cancelling)
  await Promise.all([paying, ...looking, ...asking, ...late, ...recording])
  await checkCancelAnswers(suiteRun, borrower, link, answers)
}
