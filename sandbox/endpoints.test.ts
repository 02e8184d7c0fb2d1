import { validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBench, startReceiver, testWebhookSecret, type Bench, type Receiver } from './bench.testing.ts'

type EndpointJson = { readonly id: string; readonly status: string; readonly url: string }
type LogJson = { readonly deliveries: readonly { readonly event: string; readonly endpoint_id: string; readonly status: string }[] }

let receiver: Receiver
let bench: Bench
beforeEach(async () => {
  receiver = await startReceiver()
  bench = await startBench({ webhookUrl: receiver.url })
})
afterEach(async () => {
  await bench.close()
  await receiver.close()
})

const until = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 60_000, interval: 15 })
const get = async <T>(where: string): Promise<T> => (await (await fetch(`${bench.sandbox.url}/__sandbox${where}`)).json()) as T
const send = async <T>(method: string, where: string, body: object = {}): Promise<T> => {
  const answer = await fetch(`${bench.sandbox.url}/__sandbox/webhooks${where}`, { method, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as T
}
const statuses = async (query = ''): Promise<string[]> =>
  (await get<LogJson>(`/webhooks/deliveries${query}`)).deliveries.map(({ status }) => status)
const createCancelledLink = async (): Promise<string> => {
  const link = await bench.link()
  await bench.api('POST', `/payment_links/${link.id}/cancel`)
  return link.id
}

describe('several endpoints', () => {
  it('each receive the events of their own list, under the same event id, signed with their own secret', async () => {
    const other = await startReceiver()
    const added = await send<EndpointJson>('POST', '/endpoints', { url: other.url, secret: 'other-secret', events: ['order.paid'] })
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    await until(() => expect(receiver.received).toHaveLength(4))
    await until(() => expect(other.received).toHaveLength(1))
    const [theirs] = other.received
    expect(theirs?.event).toBe('order.paid')
    expect(validateWebhookSignature(theirs?.raw ?? '', theirs?.signature ?? '', 'other-secret')).toBe(true)
    const ours = receiver.received.find(({ event }) => event === 'order.paid')
    expect(ours?.eventId).toBe(theirs?.eventId)
    expect(validateWebhookSignature(ours?.raw ?? '', ours?.signature ?? '', testWebhookSecret)).toBe(true)

    await send('DELETE', `/endpoints/${added.id}`)
    expect((await get<{ endpoints: EndpointJson[] }>('/webhooks/endpoints')).endpoints.map(({ id }) => id)).toEqual(['default'])
    await other.close()
  })

  it('keep signing older events with the old secret after a change', async () => {
    receiver.answer = () => 500
    await createCancelledLink()
    await until(() => expect(receiver.received.length).toBeGreaterThan(0))
    await send('POST', '/endpoints/default/rotate', { secret: 'new-secret' })
    receiver.answer = () => 200
    await createCancelledLink()
    await until(async () => expect(await statuses()).toEqual(['delivered', 'delivered']))
    const [first, last] = [
      receiver.received.at(0)?.eventId,
      receiver.received.find(({ eventId }) => eventId !== receiver.received.at(0)?.eventId),
    ]
    for (const one of receiver.received.filter(({ eventId }) => eventId === first)) {
      expect(validateWebhookSignature(one.raw, one.signature, testWebhookSecret)).toBe(true)
    }
    expect(validateWebhookSignature(last?.raw ?? '', last?.signature ?? '', 'new-secret')).toBe(true)
  })

  it('are disabled after a day of failures, skip events while disabled, and receive new events once enabled', async () => {
    receiver.answer = () => 500
    await createCancelledLink()
    await until(() => expect(receiver.received.length).toBeGreaterThan(0))
    await bench.control('/time', { advance_seconds: 25 * 3600 })
    await until(async () => expect(await statuses()).toEqual(['abandoned']))
    await until(async () => expect(await get('/webhooks/endpoints')).toMatchObject({ endpoints: [{ id: 'default', status: 'disabled' }] }))
    await createCancelledLink()
    expect(await statuses()).toEqual(['skipped', 'abandoned'])

    receiver.answer = () => 200
    receiver.received.length = 0
    await send('POST', '/endpoints/default/enable')
    await createCancelledLink()
    await until(() => expect(receiver.received).toHaveLength(1))
    // Skipped events are delivered by a manual replay only.
    await until(async () => expect(await statuses()).toEqual(['delivered', 'skipped', 'abandoned']))
    expect(await send('POST', '/replay', { status: 'skipped' })).toMatchObject({ delivered: 1, statuses: [200] })
    expect(await send('POST', '/replay', { all: true, concurrency: 3 })).toMatchObject({ delivered: 3 })
    expect(receiver.received).toHaveLength(5)
  })
})

describe('the order of events', () => {
  const pay = async (): Promise<void> => {
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    await until(() => expect(receiver.received).toHaveLength(4))
  }

  it('is reversed by the fault reorder', async () => {
    await bench.control('/faults', { call: 'webhook', kind: 'reorder', times: 3, delay_ms: 3_600_000 })
    await pay()
    expect(receiver.received.map(({ event }) => event)).toEqual([
      'payment_link.paid',
      'order.paid',
      'payment.captured',
      'payment.authorized',
    ])
  })

  it('can change with the fault burst, which delivers every event', async () => {
    await bench.control('/faults', { call: 'webhook', kind: 'burst', size: 4, times: 4, delay_ms: 3_600_000 })
    await pay()
    await until(async () => expect(await statuses()).toEqual(['delivered', 'delivered', 'delivered', 'delivered']))
  })

  it('does not matter after the delay of a fault: the held events are delivered', async () => {
    await bench.control('/faults', { call: 'webhook', kind: 'burst', size: 9, times: 9, delay_ms: 60_000 })
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    await bench.control('/time', { advance_seconds: 61 })
    await until(() => expect(receiver.received).toHaveLength(4))
  })
})

describe('a truncated event', () => {
  it('does not match its signature, and is sent complete at the next attempt', async () => {
    receiver.answer = ({ raw, signature }) => (validateWebhookSignature(raw, signature, testWebhookSecret) ? 200 : 400)
    await bench.control('/faults', { call: 'webhook', kind: 'truncate' })
    await createCancelledLink()
    await until(async () => expect(await statuses()).toEqual(['delivered']))
    const [half = '', whole = ''] = receiver.received.map(({ raw }) => raw)
    expect(receiver.received).toHaveLength(2)
    expect(whole.startsWith(half) && whole.length > half.length).toBe(true)
  })
})
