import { setTimeout as delay } from 'node:timers/promises'
import { addBorrowers, openLink, pay, awaitStatus, type Borrower } from './borrowers.ts'
import { deliver, eventsOfPayment, newEventId, paidEntities, withoutWebhooks } from './deliveries.ts'
import { charge, change, lenderActions, prepare, transfer, type LenderAction, type Outcome } from './lender.ts'
import { recoveryTimeoutMs } from './verify-outcome.ts'
import type { Portal } from './portal.ts'
import type { SuiteRun } from './suite.ts'
import { until } from '#testkit/until.ts'

/** A loan with ₹1,00,000 not disbursed yet. */
const lenderBorrower = async (portal: Portal): Promise<Borrower> =>
  (await addBorrowers(portal, 1, { sanctionedRupees: 500_000 }))[0] as Borrower

/** The lender changes a loan with an open link while the borrower pays it (decision 53). */
export async function lenderRaces(suiteRun: SuiteRun, below: (end: number) => number): Promise<void> {
  const { portal, options, round } = suiteRun
  // One loan per round: a late payment of one round would be credit that pays the charge of the
  // next.
  const fresh = () => lenderBorrower(portal)
  for (const move of lenderActions) {
    await round(`a ${move} while a link is open is refused`, async () => refusedWhileOpen(suiteRun, await fresh(), move))
    for (const winner of ['cancel', 'pay', 'late money'] as const)
      await round(`a ${move} with cancel_link, first comes ${winner}`, async () => againstPay(suiteRun, await fresh(), move, winner))
  }
  await round('money received outside the provider while a link is open, and the link is paid', async () => beside(suiteRun, await fresh()))
  for (let index = 0; index < options.rounds; index += 1)
    await round(`the lender and the borrower at random, ${index + 1}`, async () => {
      const move = lenderActions[below(lenderActions.length)] ?? 'charge'
      const borrower = await fresh()
      const { write } = await prepare(portal, borrower, move)
      const link = await openLink(portal, borrower)
      const afterRandomDelay = async <T>(work: () => Promise<T>): Promise<T> => {
        await delay(below(200))
        return work()
      }
      const how = { whileLinkOpen: below(3) === 0 ? 'cancel_after' : 'refuse', cancelLink: below(2) === 0 } as const
      const [outcome] = await Promise.all([
        afterRandomDelay(() => change(portal, borrower, write, how)),
        afterRandomDelay(() => pay(portal, link)),
      ])
      if (how.whileLinkOpen === 'refuse') await truthful(suiteRun, link, move, outcome, how.cancelLink)
    })
}

/** The change is refused, and the borrower can still pay. */
async function refusedWhileOpen(suiteRun: SuiteRun, borrower: Borrower, move: LenderAction): Promise<void> {
  const { portal, broken } = suiteRun
  const { name, write } = await prepare(portal, borrower, move)
  const link = await openLink(portal, borrower)
  const before = await ledgerLength(portal, borrower)
  const outcome = await change(portal, borrower, write, { whileLinkOpen: 'refuse' })
  if (outcome !== 'LinkOpen') broken(`${move} ${name} beside the open link ${link} was ${outcome}`)
  if ((await ledgerLength(portal, borrower)) !== before) broken(`${move} ${name} was refused, and the ledger grew`)
  await pay(portal, link)
  await awaitStatus(portal, borrower, link, 'paid')
}

async function againstPay(
  suiteRun: SuiteRun,
  borrower: Borrower,
  move: LenderAction,
  winner: 'cancel' | 'pay' | 'late money',
): Promise<void> {
  const { portal } = suiteRun
  const { write } = await prepare(portal, borrower, move)
  const link = await openLink(portal, borrower)
  const changing = () => change(portal, borrower, write, { whileLinkOpen: 'refuse', cancelLink: true })
  if (winner === 'pay') {
    // Webhooks are dropped: the lender's cancel is the first call that sees the payment.
    await withoutWebhooks(portal, () => pay(portal, link))
    return truthful(suiteRun, link, move, await changing(), true)
  }
  const outcome = await changing()
  await truthful(suiteRun, link, move, outcome, true)
  if (winner === 'late money') await pay(portal, link, { outcome: 'late_success', after_seconds: 0 })
}

/** The transfer is always recorded; then the link is cancelled or its payment is posted. */
async function beside(suiteRun: SuiteRun, borrower: Borrower): Promise<void> {
  const { portal, broken } = suiteRun
  const link = await openLink(portal, borrower)
  const write = transfer(newEventId())
  const [outcome] = await Promise.all([change(portal, borrower, write, { whileLinkOpen: 'cancel_after' }), pay(portal, link)])
  if (outcome !== 'written') broken(`money received outside the provider was ${outcome}`)
}

/**
 * A written change came after the link's end; a refused one names the reason. A charge paid by the
 * link cannot be waived.
 */
async function truthful(
  { portal, broken }: SuiteRun,
  link: string,
  move: LenderAction,
  outcome: Outcome,
  isCancelling: boolean,
): Promise<void> {
  const { links } = (await portal.sandbox(`/state?payment_link_id=${link}`)).body as { links: { id: string; status: string }[] }
  const status = links.find(({ id }) => id === link)?.status ?? 'unknown'
  const isRight =
    outcome === 'written'
      ? status !== 'created'
      : outcome === 'LinkPaid'
        ? status === 'paid'
        : outcome === 'refused'
          ? move === 'waiver' && status === 'paid'
          : true
  if (!isRight) broken(`a change was ${outcome} while the provider's link is ${status}`)
  if (isCancelling && outcome === 'LinkOpen' && status === 'cancelled') broken('a cancelled link is in the way of a change')
}

const ledgerLength = async (portal: Portal, { loanId }: Borrower): Promise<number> =>
  portal.database().asSystem(async (sql) => {
    const lines = await sql.selectFrom('ledger_transactions').select('transaction_id').where('loan_id', '=', loanId).execute()
    return lines.length
  })

/** Events of a payment arrive while the lender cancels its link for a change. */
export async function lenderAgainstWebhooks(suiteRun: SuiteRun): Promise<void> {
  const { portal, round } = suiteRun
  const borrower = await lenderBorrower(portal)
  for (const move of lenderActions)
    await round(`the events of a payment during a ${move} with cancel_link`, async () => {
      const { write } = await prepare(portal, borrower, move)
      const link = await openLink(portal, borrower)
      await withoutWebhooks(portal, () => pay(portal, link))
      const events = eventsOfPayment(await paidEntities(portal, link))
      const [outcome] = await Promise.all([
        change(portal, borrower, write, { whileLinkOpen: 'refuse', cancelLink: true }),
        ...events.flatMap((event) => Array.from({ length: 3 }, () => deliver(portal, { event, id: newEventId() }))),
      ])
      await truthful(suiteRun, link, move, outcome, true)
    })
}

type Fault = Record<string, unknown> & { kind: string }

/** The provider answers the lender's cancel wrongly or not at all. */
export async function lenderUnderFaults(suiteRun: SuiteRun, faults: readonly Fault[]): Promise<void> {
  const { portal, round, broken } = suiteRun
  const borrower = await lenderBorrower(portal)
  for (const { kind, ...fault } of faults)
    await round(`a charge with cancel_link, and its cancel: ${[kind, ...Object.values(fault)].join(' ')}`, async () => {
      const link = await openLink(portal, borrower)
      const write = charge(newEventId())
      const before = await ledgerLength(portal, borrower)
      await portal.sandbox('/faults', { faults: [{ call: 'cancel', kind, ...fault }] })
      const first = await change(portal, borrower, write, { whileLinkOpen: 'refuse', cancelLink: true })
      await portal.sandbox('/faults', { clear: true })
      if (first === 'PaymentGatewayUnavailable' && (await ledgerLength(portal, borrower)) !== before) broken('503, and the ledger grew')
      if (first !== 'PaymentGatewayUnavailable' && first !== 'written') broken(`a charge was ${first}`)
      const again = first === 'written' ? first : await change(portal, borrower, write, { whileLinkOpen: 'refuse', cancelLink: true })
      if (again !== 'written') broken(`the same charge again was ${again}`)
      await awaitStatus(portal, borrower, link, 'cancelled')
    })
  await round('money received outside the provider, whose link is cancelled once the provider answers', async () => {
    const link = await openLink(portal, borrower)
    await portal.sandbox('/faults', { faults: [{ call: 'cancel', kind: 'reset', times: 2 }] })
    const outcome = await change(portal, borrower, transfer(newEventId()), { whileLinkOpen: 'cancel_after' })
    if (outcome !== 'written') broken(`money received outside the provider was ${outcome}`)
    await portal.sandbox('/time', { advance_seconds: 30 })
    await until(async () => (await linkAtProvider(portal, link)) === 'cancelled', recoveryTimeoutMs, {
      intervalMs: 100,
      failure: `the provider did not cancel ${link}`,
    })
    await awaitStatus(portal, borrower, link, 'cancelled')
  })
}

async function linkAtProvider(portal: Portal, link: string): Promise<string | undefined> {
  const { links } = (await portal.sandbox(`/state?payment_link_id=${link}`)).body as { links: { id: string; status: string }[] }
  return links.find(({ id }) => id === link)?.status
}
