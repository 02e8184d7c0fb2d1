import * as fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBench, temporaryFolder, type Bench } from '../bench.testing.ts'
import { daySeconds, registrationRequest, Stage, type Json } from './stage.testing.ts'

let stage: Stage
beforeEach(async () => {
  stage = await Stage.start()
})
afterEach(() => stage.close())

type State = Readonly<Record<'registrations' | 'tokens' | 'orders' | 'payments' | 'customers', Json[]>>
const stateOf = async (bench: Bench): Promise<State> => (await bench.state()) as unknown as State
const fault = (order: object): Promise<unknown> => stage.control('/faults', order)

describe('faults of recurring payments', () => {
  it.each(['timeout_after', 'reset_after', 'status_after'])(
    '%s: a recurring payment without an answer is found by the receipt',
    async (kind) => {
      const token = await stage.mandate()
      const order = await stage.announced(token)
      await fault({ call: 'recurring', kind })
      const url = `${stage.bench.sandbox.url}/v1/payments/create/recurring`
      const headers = { authorization: stage.bench.authorization, 'content-type': 'application/json' }
      const body = JSON.stringify(await stage.debitRequest(order, token))
      const caller = new AbortController()
      const answered = fetch(url, { method: 'POST', headers, body, signal: caller.signal }).catch(() => null)
      await vi.waitFor(async () => expect(await stage.bench.state()).toMatchObject({ faults: [] }), 60_000)
      caller.abort()
      expect((await answered)?.ok ?? false).toBe(false)
      const { items } = await stage.made('GET', `/orders?receipt=${order['receipt']}`)
      const payments = await stage.made('GET', `/orders/${(items as Json[])[0]?.id}/payments`)
      expect(payments).toMatchObject({ count: 1, items: [{ status: 'created', token_id: token.id }] })
    },
  )

  it('makes nothing where the request is lost before it has an effect', async () => {
    await fault({ call: 'registration_create', kind: 'status', status: 503 })
    await expect(stage.register()).rejects.toThrow()
    expect((await stateOf(stage.bench)).registrations).toEqual([])
  })

  it('finds a registration link whose answer was lost by its receipt', async () => {
    await fault({ call: 'registration_create', kind: 'status_after' })
    await expect(stage.register('upi', { receipt: 'KM-1' })).rejects.toThrow('500')
    expect(await stage.made('GET', '/invoices?receipt=KM-1')).toMatchObject({ count: 1, items: [{ status: 'issued' }] })
  })

  it('matches a receipt as a reference id', async () => {
    const token = await stage.mandate()
    const [one, other] = [await stage.order(token, { receipt: 'KC-1' }), await stage.order(token, { receipt: 'KC-2' })]
    await fault({ call: 'recurring', kind: 'status', status: 500, reference_id: 'KC-2' })
    await stage.debit(one, token)
    await expect(stage.debit(other, token)).rejects.toThrow('500')
    await fault({ call: 'order_create', kind: 'status', status: 500, reference_id: 'KC-3' })
    await stage.order(token, { receipt: 'KC-4' })
    await expect(stage.order(token, { receipt: 'KC-3' })).rejects.toThrow('500')
  })

  it('answers stale tokens, registration links and orders', async () => {
    const link = await stage.register()
    const { token } = await stage.control(`/registrations/${link.id}/approve`)
    for (const call of ['token', 'invoice', 'order']) await fault({ call, kind: 'stale_read' })
    expect(await stage.statusOf(token as Json)).toBe('initiated')
    expect(await stage.made('GET', `/invoices/${link.id}`)).toMatchObject({ status: 'issued', payment_id: null })
    expect(await stage.made('GET', `/orders/${link['order_id']}`)).toMatchObject({ status: 'created', amount_paid: 0 })
    expect(await stage.statusOf(token as Json)).toBe('confirmed')
  })

  it('reports a debit with a wrong amount', async () => {
    const token = await stage.mandate()
    const id = await stage.debit(await stage.announced(token), token)
    await fault({ call: 'payment', kind: 'wrong_amount', amount_delta: -100 })
    expect(await stage.payment(id)).toMatchObject({ amount: 849_900 })
  })

  it('drops and repeats events, also by the receipt of their order', async () => {
    await fault([
      { call: 'webhook', kind: 'drop', event: 'token.confirmed' },
      { call: 'webhook', kind: 'duplicate', copies: 2, event: 'invoice.paid', reference_id: 'KM-1' },
    ])
    const { id } = await stage.register('upi', { receipt: 'KM-1' })
    await stage.control(`/registrations/${id}/approve`)
    await vi.waitFor(() => expect(stage.listEvents().filter(({ event }) => event === 'invoice.paid')).toHaveLength(3), { timeout: 60_000 })
    await vi.waitFor(() => expect(stage.listEvents()).toHaveLength(6), { timeout: 60_000 })
    expect(stage.listEvents().some(({ event }) => event === 'token.confirmed')).toBe(false)
    await stage.control('/webhooks/replay', { status: 'dropped' })
    expect(stage.listEvents().some(({ event }) => event === 'token.confirmed')).toBe(true)
  })
})

describe('the state', () => {
  it('lists customers, registrations, tokens, orders and payments', async () => {
    const link = await stage.register('upi', { receipt: 'KM-1' })
    const { token } = await stage.control(`/registrations/${link.id}/approve`)
    const order = await stage.announced(token as Json, { receipt: 'KC-1' })
    const debit = await stage.debit(order, token as Json)
    expect(await stateOf(stage.bench)).toMatchObject({
      customers: [{ id: link['customer_id'] }],
      registrations: [{ id: link.id, receipt: 'KM-1', status: 'paid', short_url: link['short_url'] }],
      tokens: [{ id: token?.id, registration_id: link.id, customer_id: link['customer_id'], status: 'confirmed' }],
      orders: [
        { id: link['order_id'], receipt: 'KM-1' },
        { id: order.id, receipt: 'KC-1', notification: { status: 'delivered' } },
      ],
      payments: [
        { invoice_id: link.id, payment_link_id: null },
        { id: debit, order_id: order.id, status: 'created' },
      ],
    })
  })

  it('lists what was ordered for next debits and notifications, and forgets it once used', async () => {
    const token = await stage.mandate()
    await stage.control('/debits/next', { outcome: 'failure', reason: 'insufficient_funds' })
    await stage.control('/notifications/next', { outcome: 'late' })
    const next = async (): Promise<unknown> => ((await stage.bench.state()) as unknown as { next: unknown }).next
    expect(await next()).toMatchObject({ debits: [{ outcome: 'failure' }], notifications: [{ outcome: 'late' }] })
    await stage.debit(await stage.order(token), token)
    expect(await next()).toEqual({ debits: [], notifications: [] })
  })

  it('is forgotten by a reset, with what was ordered', async () => {
    await stage.mandate()
    await stage.control('/debits/next', { outcome: 'failure' })
    await stage.control('/reset')
    expect(await stage.bench.state()).toMatchObject({
      registrations: [],
      tokens: [],
      customers: [],
      orders: [],
      payments: [],
      next: { debits: [] },
    })
  })

  it('survives the end of the process', async () => {
    const dataDir = temporaryFolder()
    const first = await startBench({ dataDir })
    const request = registrationRequest('upi', 'KM-1', (await first.state()).now)
    const link = (await first.api<Json>('POST', '/subscription_registration/auth_links', request)).body
    await first.control(`/registrations/${link.id}/approve`)
    const before = await stateOf(first)
    await first.close()
    const second = await startBench({ dataDir })
    const after = await stateOf(second)
    expect(after.tokens).toEqual(before.tokens)
    expect(after.registrations[0]?.['payment_id']).toBe(before.registrations[0]?.['payment_id'])
    // What was planned before the restart still happens: the rupee of the registration goes back.
    await second.control('/time', { advance_seconds: daySeconds })
    expect((await stateOf(second)).payments).toMatchObject([{ status: 'refunded' }])
    await second.close()
    fs.rmSync(dataDir, { recursive: true })
  })

  it('does not mix recurring payments into that of a link', async () => {
    await stage.mandate()
    const link = await stage.bench.link()
    const state = (await (await fetch(`${stage.bench.sandbox.url}/__sandbox/state?payment_link_id=${link.id}`)).json()) as State
    expect(state.payments).toEqual([])
    expect(state).not.toHaveProperty('registrations')
  })
})

describe('control calls', () => {
  it.each([
    ['/registrations/inv_AAAAAAAAAAAAAA/approve', {}, 404],
    ['/registrations/inv_AAAAAAAAAAAAAA/burn', {}, 404],
    ['/mandates/token_AAAAAAAAAAAAAA/pause', {}, 404],
    ['/debits/next', { outcome: 'magic' }, 400],
    ['/debits/next', { outcome: 'failure', reason: 'No money!' }, 400],
    ['/debits/next', { outcome: 'success', after_seconds: -1 }, 400],
    ['/notifications/next', { outcome: 'pigeon' }, 400],
  ])('%s %o: %i', async (path, body, status) => {
    expect(await stage.controlStatus(path, body)).toBe(status)
  })
})

describe('the control page', () => {
  it('has buttons for open registrations, mandates and next debits', async () => {
    const open = await stage.register('upi', { receipt: 'KM-<1>' })
    const token = await stage.mandate('emandate')
    const page = await (await fetch(`${stage.bench.sandbox.url}/__sandbox`)).text()
    expect(page).toContain('KM-&lt;1&gt;')
    for (const path of [
      `registrations/${open.id}/approve`,
      `registrations/${open.id}/decline`,
      `mandates/${token.id}/reject`,
      'debits/next',
    ]) {
      expect(page).toContain(`data-url="/__sandbox/${path}"`)
    }
    expect(page).not.toContain(`mandates/${token.id}/pause`)
  })
})

describe('a far jump of the clock', () => {
  it('lets everything happen in its order', async () => {
    const token = await stage.mandate()
    await stage.control('/debits/next', { outcome: 'late_success', after_seconds: 3600 })
    const id = await stage.debit(await stage.order(token), token)
    await stage.advance(10 * daySeconds)
    expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    await vi.waitFor(() => expect(stage.listEvents().map(({ event }) => event)).toContain('payment.failed'), { timeout: 60_000 })
  })
})
