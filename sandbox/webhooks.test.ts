import { validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBench, startReceiver, testWebhookSecret, type Bench, type Receiver, type StateJson } from './bench.testing.ts'

type Envelope = {
  readonly event: string
  readonly contains: readonly string[]
  readonly created_at: number
  readonly account_id: string
  readonly payload: Readonly<Record<string, { readonly entity: Readonly<Record<string, unknown>> }>>
}

const paidEvents = ['order.paid', 'payment.authorized', 'payment.captured', 'payment_link.paid']

let receiver: Receiver
let bench: Bench

beforeEach(async () => {
  receiver = await startReceiver()
  bench = await startBench({ webhookUrl: receiver.url, webhookTimeoutMs: 30_000 })
})
afterEach(async () => {
  await bench.close()
  await receiver.close()
})

/** A short webhook timeout, for tests in which no answer comes. */
async function restartWithTimeout(webhookTimeoutMs: number): Promise<void> {
  await bench.close()
  bench = await startBench({ webhookUrl: receiver.url, webhookTimeoutMs })
}

const until = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 60_000, interval: 15 })

/** Waits until every event has left the pending state. */
const settled = (): Promise<StateJson> =>
  until(async () => {
    const state = await bench.state()
    expect(state.webhook_deliveries.filter(({ status }) => status === 'pending')).toEqual([])
    return state
  })

const names = (): string[] => receiver.received.map(({ event }) => event).sort()

describe('webhooks', () => {
  it('tells one payment in four signed events, each with its own id', async () => {
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`, { method: 'upi', outcome: 'success' })
    await settled()
    expect(names()).toEqual(paidEvents)
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(4)
    for (const { raw, signature } of receiver.received) {
      expect(validateWebhookSignature(raw, signature, testWebhookSecret)).toBe(true)
    }
  })

  it('copies the traps of the official samples', async () => {
    const link = await bench.link()
    await bench.control('/time', { advance_seconds: 120 })
    await bench.control(`/links/${link.id}/pay`)
    await settled()
    const paid = receiver.received.find(({ event }) => event === 'payment_link.paid')
    const envelope = JSON.parse(paid?.raw ?? '') as Envelope
    const { payment_link, order, payment } = envelope.payload
    expect(envelope.contains).toEqual(['payment_link', 'order', 'payment'])
    expect(envelope.created_at).toBe(link.created_at)
    expect(payment?.entity['created_at']).toBeGreaterThanOrEqual(link.created_at + 120)
    expect(`order_${String(order?.entity['id'])}`).toBe(payment?.entity['order_id'])
    expect(payment_link?.entity).not.toHaveProperty('payments')
    expect(payment_link?.entity).not.toHaveProperty('callback_url')
    expect(payment_link?.entity['notes']).toEqual([])
  })

  it('tells a failure, a cancel and an expiry', async () => {
    const failing = await bench.link()
    await bench.control(`/links/${failing.id}/pay`, { outcome: 'failure' })
    await bench.api('POST', `/payment_links/${failing.id}/cancel`)
    const expiring = await bench.link()
    await bench.control(`/links/${expiring.id}/expire`)
    await settled()
    expect(names()).toEqual(['payment.failed', 'payment_link.cancelled', 'payment_link.expired'])
  })

  it.each([500, 302, null])('tries again after %s, with the same id and the same bytes', async (status) => {
    if (status === null) await restartWithTimeout(15_000)
    receiver.answer = ({ eventId }) => (receiver.received.filter((one) => one.eventId === eventId).length < 3 ? status : 204)
    const link = await bench.link()
    await bench.api('POST', `/payment_links/${link.id}/cancel`)
    const state = await settled()
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ eventId, raw, signature }) => eventId + raw + signature)).size).toBe(1)
    expect(state.webhook_deliveries[0]?.attempts.map((one) => one.status)).toEqual([status, status, 204])
  })

  it('gives an event up after a day', async () => {
    receiver.answer = () => 500
    const link = await bench.link()
    await bench.api('POST', `/payment_links/${link.id}/cancel`)
    await until(() => expect(receiver.received.length).toBeGreaterThan(0))
    await bench.control('/time', { advance_seconds: 25 * 3600 })
    expect((await settled()).webhook_deliveries[0]?.status).toBe('abandoned')
  })

  it('replays copies at once and answers their statuses', async () => {
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    await settled()
    receiver.answer = () => 202
    const order = { payment_link_id: link.id, event: 'payment_link.paid', times: 50, concurrency: 50 }
    const { body } = await bench.control<{ statuses: number[] }>('/webhooks/replay', order)
    expect(body.statuses).toEqual(Array.from({ length: 50 }, () => 202))
    expect(receiver.received).toHaveLength(54)
  })
})

describe('webhook faults', () => {
  it('drops, duplicates and delays', async () => {
    await bench.control('/faults', [
      { call: 'webhook', kind: 'drop', event: 'payment_link.paid' },
      { call: 'webhook', kind: 'duplicate', event: 'payment.captured', copies: 2 },
      { call: 'webhook', kind: 'delay', event: 'order.paid', delay_ms: 3_600_000 },
    ])
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`)
    await until(() => expect(receiver.received).toHaveLength(4))
    expect(names()).toEqual(['payment.authorized', 'payment.captured', 'payment.captured', 'payment.captured'])
    await bench.control('/time', { advance_seconds: 3600 })
    const state = await settled()
    expect(names()).toContain('order.paid')
    expect(state.webhook_deliveries.find(({ event }) => event === 'payment_link.paid')?.status).toBe('dropped')
  })

  it.each(['corrupt_signature', 'wrong_secret'])('%s is refused once and then heals', async (kind) => {
    receiver.answer = ({ raw, signature }) => (validateWebhookSignature(raw, signature, testWebhookSecret) ? 200 : 400)
    await bench.control('/faults', { call: 'webhook', kind })
    const link = await bench.link()
    await bench.api('POST', `/payment_links/${link.id}/cancel`)
    const state = await settled()
    expect(state.webhook_deliveries[0]?.attempts.map(({ status }) => status)).toEqual([400, 200])
  })
})

describe('late success', () => {
  it('turns the same payment from failed to captured', async () => {
    const link = await bench.link()
    const order = { outcome: 'late_success', after_seconds: 60 }
    const { body } = await bench.control<{ payment: { id: string; status: string } }>(`/links/${link.id}/pay`, order)
    expect(body.payment.status).toBe('failed')
    await bench.control('/time', { advance_seconds: 61 })
    const state = await settled()
    expect(state.payments).toMatchObject([{ id: body.payment.id, status: 'captured' }])
    expect(state.links[0]?.status).toBe('paid')
    expect(names()).toEqual([...paidEvents, 'payment.failed'].sort())
  })

  it('reaches a cancelled link, which keeps its status and lists the money', async () => {
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`, { outcome: 'late_success', after_seconds: 60 })
    await bench.api('POST', `/payment_links/${link.id}/cancel`)
    await bench.control('/time', { advance_seconds: 61 })
    const state = await settled()
    expect(state.links).toMatchObject([{ status: 'cancelled', amount_paid: 50_000, payments: [{ status: 'captured' }] }])
    expect(names()).not.toContain('payment_link.paid')
  })

  it('is sent back when the order was paid meanwhile', async () => {
    const link = await bench.link()
    await bench.control(`/links/${link.id}/pay`, { outcome: 'late_success', after_seconds: 60 })
    await bench.control(`/links/${link.id}/pay`, { outcome: 'success' })
    await bench.control('/time', { advance_seconds: 61 })
    const state = await settled()
    expect(state.payments.map(({ status }) => status)).toEqual(['refunded', 'captured'])
    expect(state.refunds).toHaveLength(1)
    expect(state.links[0]?.amount_paid).toBe(50_000)
    expect(names()).toContain('refund.processed')
  })
})
