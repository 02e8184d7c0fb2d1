import { setTimeout as delay } from 'node:timers/promises'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { addBorrowers, openLink, pay, awaitStatus, tokenFor, type Borrower } from './borrowers.ts'
import {
  deliver,
  eventOf,
  eventsOfPayment,
  newEventId,
  paidEntities,
  signatureOf,
  withoutWebhooks,
  type Delivery,
  type Event,
} from './deliveries.ts'
import { lenderAgainstWebhooks } from './lender-races.ts'
import { previousWebhookSecret, type Portal } from './portal.ts'
import { portalSuite, type SuiteRun } from './suite.ts'
import { floodOfWebhooks } from './webhook-flood.ts'

const monthSeconds = 30 * 86_400

/**
 * Events of the provider: many times, at once, in every order, late, forged, broken; and ten
 * thousand in a minute.
 */
export const webhooks = portalSuite('webhooks', async (suiteRun) => {
  const { portal, options, round } = suiteRun
  const [borrower] = (await addBorrowers(portal, 1)) as [Borrower]
  const each = async (events: readonly Event[], deliveries: (events: readonly Event[]) => Delivery[]) =>
    accepted(portal, deliveries(events))

  await round('one event fifty times at once', async () => {
    const { events } = await paidInSilence(portal, borrower)
    const id = newEventId()
    await each(events.slice(-1), ([event]) => Array.from({ length: 50 }, () => ({ event: event as Event, id })))
  })
  await round('four events of one payment at once, each ten times', async () => {
    const { events } = await paidInSilence(portal, borrower)
    await each(events, (all) => Array.from({ length: 40 }, (_, index) => ({ event: all[index % all.length] as Event })))
  })
  for (const [index, order] of permutationsOf([0, 1, 2, 3]).entries()) {
    if (options.short && index % 8 !== 0) continue
    await round(`events in the order ${order.join('')}`, async () => {
      const { events } = await paidInSilence(portal, borrower)
      for (const place of order) await accepted(portal, [{ event: events[place] as Event }])
    })
  }
  await round('expired is reported after paid', async () => {
    const { link, entities, events } = await paidInSilence(portal, borrower)
    await accepted(portal, [{ event: events[3] as Event }])
    await accepted(portal, [{ event: eventOf('payment_link.expired', { payment_link: { ...entities.link, status: 'expired' } }) }])
    await awaitStatus(portal, borrower, link, 'paid')
  })
  await round('failed is reported, then captured, of the same payment', async () => {
    const { entities, events } = await paidInSilence(portal, borrower)
    const failed = eventOf('payment.failed', { payment: { ...entities.payment, status: 'failed' } })
    for (const event of [failed, ...events]) await accepted(portal, [{ event }])
  })
  await round('a refund is reported before the capture', async () => {
    const { entities, events } = await paidInSilence(portal, borrower)
    const refund = { id: 'rfnd_00000000000000', entity: 'refund', payment_id: entities.payment['id'], amount: 100, status: 'pending' }
    for (const event of [eventOf('refund.created', { refund, payment: entities.payment }), ...events]) await accepted(portal, [{ event }])
  })
  await round('events nobody has seen before', async () => {
    const { entities } = await paidInSilence(portal, borrower)
    const link = { ...entities.link, status: 'half_paid', novelty: { deep: [1, null, 'x'] }, notes: [] }
    for (const event of [
      eventOf('payment_link.reconsidered', { payment_link: link }),
      eventOf('payment_link.paid', { payment_link: link, payment: { ...entities.payment, status: 'teleported' } }),
      eventOf('payment_link.paid', { payment_link: { ...link, reference_id: 'KST-nobody' } }),
      { event: 'none', body: '[]' },
      { event: 'none', body: 'not json' },
      { event: 'none', body: '' },
    ])
      await accepted(portal, [{ event }])
  })
  await round('of another account, of another type', async () => {
    const { events } = await paidInSilence(portal, borrower)
    const foreign = (events[3] as Event).body.replace('acc_KistSandbox001', 'acc_SomebodyElse01')
    await accepted(portal, [
      { event: { event: 'foreign', body: foreign } },
      { event: events[3] as Event, headers: { 'content-type': 'text/plain' } },
    ])
  })
  await round('signed with the secret of before the rotation', async () => {
    const { link, events } = await paidInSilence(portal, borrower)
    await accepted(portal, [{ event: events[3] as Event, secret: previousWebhookSecret }])
    await awaitStatus(portal, borrower, link, 'paid')
  })
  await round('forged and broken', () => forgeries(suiteRun, borrower))
  if (!options.short)
    await round('answered so late that the provider tries again', async () => {
      portal.order('event_stored', 'delay=6000')
      await pay(portal, await openLink(portal, borrower))
      await delay(6_500)
    })
  await lenderAgainstWebhooks(suiteRun)
  await floodOfWebhooks(suiteRun)
  await round('everything once more after thirty days', () => replayLate(suiteRun, borrower))
})

/** A paid link whose payment the portal does not know yet. */
async function paidInSilence(portal: Portal, borrower: Borrower) {
  const link = await openLink(portal, borrower)
  await withoutWebhooks(portal, () => pay(portal, link))
  const entities = await paidEntities(portal, link)
  return { link, entities, events: eventsOfPayment(entities) }
}

/** Delivers all of them at once. @throws Error when one is answered by anything but 200. */
async function accepted(portal: Portal, deliveries: readonly Delivery[]): Promise<void> {
  const answers = await Promise.all(deliveries.map((delivery) => deliver(portal, delivery)))
  const refused = answers.filter((answer) => answer?.status !== 200)
  if (refused.length > 0) throw new Error(`${refused.length} of ${answers.length} events were answered ${refused[0]?.status}`)
}

function permutationsOf(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item) => permutationsOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

/** Each is refused, and leaves no trace in the inbox. */
async function forgeries({ portal, broken }: SuiteRun, borrower: Borrower): Promise<void> {
  const { events } = await paidInSilence(portal, borrower)
  const event = events[3] as Event
  const [secret = ''] = portal.config.razorpay.webhookSecrets
  const signature = signatureOf(secret, event.body)
  const changed = { event: event.event, body: event.body.replace('"paid"', '"Paid"') }
  const reserialised = { event: event.event, body: JSON.stringify(JSON.parse(event.body), null, 1) }
  const signed = (value: string) => ({ headers: { 'x-razorpay-signature': value } })
  const cases: [name: string, delivery: Delivery, status: number][] = [
    ['no signature', { event, ...signed('') }, 400],
    ['another secret', { event, secret: 'somebody-elses-secret' }, 400],
    ['the key secret', { event, secret: portal.config.razorpay.keySecret }, 400],
    ['a changed byte', { event: changed, ...signed(signature) }, 400],
    ['a re-serialised body', { event: reserialised, ...signed(signature) }, 400],
    ['a truncated body', { event: { ...event, body: event.body.slice(0, -20) }, ...signed(signature) }, 400],
    ['a signature in capitals cut short', { event, ...signed(signature.toUpperCase().slice(1)) }, 400],
    ['a signature that is none', { event, ...signed('z'.repeat(64)) }, 400],
    ['two megabytes', { event: { ...event, body: JSON.stringify({ event: 'x', payload: {}, filler: 'x'.repeat(2_000_000) }) } }, 413],
  ]
  for (const [name, delivery, status] of cases) {
    const id = newEventId()
    const answer = await deliver(portal, { ...delivery, id })
    // A body that is too large is refused while it is still being sent, sometimes with the
    // connection.
    if (answer?.status !== status && !(status === 413 && answer === null)) broken(`forged by ${name}: answered ${answer?.status}`)
    if (await isStored(portal, id)) broken(`forged by ${name}: stored`)
  }
}

const isStored = (portal: Portal, eventId: string): Promise<boolean> =>
  portal.database().asSystem(async (sql) => {
    const found = await sql.selectFrom('webhook_inbox').select('event_id').where('event_id', '=', eventId).executeTakeFirst()
    return found !== undefined
  })

/** Every event of the past is sent again, with its own id and under a new one. */
async function replayLate({ portal, broken }: SuiteRun, borrower: Borrower): Promise<void> {
  const { link, events } = await paidInSilence(portal, borrower)
  const ids = events.map(() => newEventId())
  await accepted(
    portal,
    events.map((event, index) => ({ event, id: ids[index] ?? '' })),
  )
  await portal.sandbox('/time', { advance_seconds: monthSeconds })
  borrower.token = await tokenFor(portal, borrower.borrowerId)
  await accepted(portal, [...events.map((event, index) => ({ event, id: ids[index] ?? '' })), ...events.map((event) => ({ event }))])
  const postings = await portal.database().asSystem((sql) => selectLinkPayments(sql, link).select('provider_payment_id').execute())
  if (postings.length > 1) broken(`${link} has ${postings.length} payments after a replay`)
}
