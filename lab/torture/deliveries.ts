import { createHmac, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Portal } from './portal.ts'

/** An event of the provider, as its bytes. */
export type Event = { event: string; body: string }
export type Delivery = {
  event: Event
  /** The provider's event id; a new one when absent. */
  id?: string
  secret?: string
  headers?: Record<string, string>
}

type Entity = Record<string, unknown>
type Paid = { link: Entity; order: Entity; payment: Entity }

/** The events of a captured payment, as in the provider's published samples. */
export function eventsOfPayment({ link, order, payment }: Paid): Event[] {
  const { payments: _, ...linkInEvent } = link
  const { description: __, ...orderInEvent } = order
  return [
    eventOf('payment.authorized', { payment: { ...payment, status: 'authorized', captured: false } }),
    eventOf('payment.captured', { payment }),
    eventOf('order.paid', { payment, order }),
    eventOf('payment_link.paid', { payment_link: linkInEvent, order: orderInEvent, payment }),
  ]
}

export function eventOf(event: string, entities: Record<string, Entity>): Event {
  const payload = Object.fromEntries(Object.entries(entities).map(([name, entity]) => [name, { entity }]))
  const body = {
    entity: 'event',
    account_id: 'acc_KistSandbox001',
    event,
    contains: Object.keys(entities),
    payload,
    created_at: 1_749_618_314,
  }
  return { event, body: JSON.stringify(body) }
}

/** The provider's entities of a paid link. @throws Error when it has no payment. */
export async function paidEntities(portal: Portal, linkId: string): Promise<Paid> {
  const state = (await portal.sandbox(`/state?payment_link_id=${linkId}`)).body as { links: Entity[]; orders: Entity[]; payments: Entity[] }
  const link = state.links.find(({ id }) => id === linkId)
  const payment = state.payments.find(({ payment_link_id }) => payment_link_id === linkId)
  const order = state.orders.find(({ id }) => id === payment?.['order_id'])
  if (!link || !payment || !order) throw new Error(`link ${linkId} has no payment`)
  return { link, order, payment }
}

export const newEventId = (): string => randomBytes(7).toString('hex')
export const signatureOf = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex')

/** Keep-alive connections, with a maximum. */
export const deliveryAgent = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections })

const socketTimeoutMs = 30_000

/** Delivers one event. @returns status and duration; null when the connection broke. */
export function deliver(portal: Portal, delivery: Delivery, agent?: Agent): Promise<{ status: number; ms: number } | null> {
  const [current = ''] = portal.config.razorpay.webhookSecrets
  const { event, id = newEventId(), secret, headers } = delivery
  const started = performance.now()
  return new Promise((resolve) => {
    const sending = request(`${portal.server.url}${apiPrefix}/webhooks/razorpay`, {
      method: 'POST',
      ...(agent && { agent }),
      signal: AbortSignal.timeout(socketTimeoutMs),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(event.body),
        'x-razorpay-event-id': id,
        'x-razorpay-signature': signatureOf(secret ?? current, event.body),
        ...headers,
      },
    })
    sending.once('response', (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - started }))
    })
    // The server may close an idle connection at the moment of its reuse: retries on a new one.
    sending.once('error', (error: NodeJS.ErrnoException) =>
      resolve(sending.reusedSocket && error.code === 'ECONNRESET' ? deliver(portal, { ...delivery, id }, agent) : null),
    )
    sending.end(event.body)
  })
}

/** Runs `work` while the provider's own deliveries are dropped. */
export async function withoutWebhooks<T>(portal: Portal, work: () => Promise<T>): Promise<T> {
  await portal.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
  try {
    return await work()
  } finally {
    await portal.sandbox('/faults', { clear: true })
  }
}
