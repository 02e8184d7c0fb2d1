import { setTimeout as delay } from 'node:timers/promises'
import { addBorrowers, openLink, pay, type Borrower } from './borrowers.ts'
import { deliver, deliveryAgent, eventsOfPayment, newEventId, paidEntities, withoutWebhooks, type Delivery } from './deliveries.ts'
import type { Portal } from './portal.ts'
import type { SuiteRun } from './suite.ts'

/** Size of the flood: payments, connections, duration. */
const full = { webhooks: 10_000, payments: 500, seconds: 60, connections: 200 }
const short = { webhooks: 400, payments: 40, seconds: 3, connections: 200 }
const asInProduction = {
  KIST_SWEEP_AFTER_SECONDS: '900',
  KIST_INBOX_LEASE_MS: '5000',
  KIST_DATABASE_STATEMENT_TIMEOUT_MS: '15000',
  KIST_DATABASE_CONNECT_TIMEOUT_MS: '5000',
  RAZORPAY_TIMEOUT_MS: '10000',
}
const answeredWithinMs = 5_000
const atOnce = 8

/**
 * An even flood of webhooks: five hundred payments, four events each, each event five times. Each
 * is answered 2xx within five seconds; in the end all are applied, none twice.
 */
export async function floodOfWebhooks({ portal, options, round, broken }: SuiteRun): Promise<void> {
  const size = options.short ? short : full
  let isSweeping = true
  await round(`${size.webhooks} webhooks in ${size.seconds} s from ${size.connections} connections`, async () => {
    // The sweep must not replace the webhooks; the timeouts are those of production.
    isSweeping = false
    await restart(portal, asInProduction)
    const deliveries = await withoutWebhooks(portal, () => preparePayments(portal, size))
    const agent = deliveryAgent(size.connections)
    const answers: { status: number; ms: number }[] = []
    let unanswered = 0
    const started = performance.now()
    const gapMs = (size.seconds * 1_000) / size.webhooks
    let next = 0
    const connection = async () => {
      while (next < deliveries.length) {
        const index = next++
        await delay(Math.max(0, started + index * gapMs - performance.now()))
        const answer = await deliver(portal, deliveries[index] as Delivery, agent)
        if (answer) answers.push(answer)
        else unanswered += 1
      }
    }
    await Promise.all(Array.from({ length: size.connections }, connection))
    agent.destroy()
    const sentIn = (performance.now() - started) / 1_000
    const bad = answers.filter(({ status }) => status !== 200).length
    const times = answers.map(({ ms }) => ms).sort((one, other) => one - other)
    const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
    process.stderr.write(
      `webhooks: ${answers.length} answered in ${sentIn.toFixed(1)} s: half within ${at(0.5)} ms, 99 % within ${at(0.99)} ms, the slowest ${at(1)} ms\n`,
    )
    if (unanswered + bad > 0) broken(`${unanswered} webhooks were not answered, ${bad} not by 200`)
    if (at(1) > answeredWithinMs) broken(`a webhook was answered after ${at(1)} ms`)
  })
  if (!isSweeping) await restart(portal)
}

async function restart({ server }: Portal, settings: Record<string, string> = {}): Promise<void> {
  await server.kill('SIGTERM')
  await server.start(settings)
}

/** Paid links and their webhooks in order: every event, then the copies. */
async function preparePayments(portal: Portal, { webhooks, payments }: typeof full): Promise<Delivery[]> {
  const borrowers = await addBorrowers(portal, payments)
  const events: Delivery[] = []
  const queue = [...borrowers]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let borrower: Borrower | undefined = queue.shift(); borrower; borrower = queue.shift()) {
        const link = await openLink(portal, borrower)
        await pay(portal, link)
        for (const event of eventsOfPayment(await paidEntities(portal, link))) events.push({ event, id: newEventId() })
      }
    }),
  )
  return Array.from({ length: webhooks }, (_, index) => events[index % events.length] as Delivery)
}
