import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBench, type Bench, type ErrorJson, type LinkJson, type PaidJson, type Reply } from './bench.testing.ts'

type RefundJson = {
  readonly id: string
  readonly status: string
  readonly amount: number
  readonly payment_id: string
  readonly acquirer_data: Readonly<Record<string, string | null>>
}
type SettlementJson = { readonly id: string; readonly amount: number; readonly fees: number; readonly tax: number; readonly utr: string }
type Row = { readonly entity_id: string; readonly type: string; readonly debit: number; readonly credit: number }
type Settled = { readonly settlement: SettlementJson; readonly items: readonly Row[] }

let bench: Bench
beforeEach(async () => {
  bench = await startBench({ balancePaise: 0 })
})
afterEach(() => bench.close())

const idempotencyKey = { 'x-refund-idempotency': 'refund-key-0001' }

async function paid(amount = 50_000): Promise<{ linkId: string; paymentId: string }> {
  const link = await bench.link({ amount })
  const { body } = await bench.control<PaidJson>(`/links/${link.id}/pay`)
  return { linkId: link.id, paymentId: body.payment.id }
}
const refund = (paymentId: string, body: object = {}, headers = {}): Promise<Reply<RefundJson & ErrorJson>> =>
  bench.api('POST', `/payments/${paymentId}/refund`, body, headers)
const refundNow = async (id: string): Promise<RefundJson> => (await bench.api<RefundJson>('GET', `/refunds/${id}`)).body
const paymentNow = async (id: string): Promise<Record<string, unknown>> =>
  (await bench.api<Record<string, unknown>>('GET', `/payments/${id}`)).body
const later = (seconds: number): Promise<unknown> => bench.control('/time', { advance_seconds: seconds })
const events = async (): Promise<string[]> => (await bench.state()).webhook_deliveries.map(({ event }) => event)
/** A second payment fills the balance: fees leave less than the amount of the first. */
const fill = (): Promise<unknown> => paid(500_000)

describe('a refund', () => {
  it('is pending, then processed with the bank’s reference, and told of twice', async () => {
    await fill()
    const { paymentId } = await paid()
    const { body } = await refund(paymentId, { amount: 20_000 })
    expect(body).toMatchObject({ status: 'pending', amount: 20_000, acquirer_data: { rrn: null } })
    expect(await paymentNow(paymentId)).toMatchObject({ amount_refunded: 20_000, refund_status: 'partial', status: 'captured' })
    await later(11)
    expect(await refundNow(body.id)).toMatchObject({ status: 'processed', acquirer_data: { rrn: expect.stringMatching(/^\d{12}$/) } })
    expect((await events()).filter((name) => name.startsWith('refund'))).toEqual(['refund.created', 'refund.processed'])
  })

  it('may fail after it was pending, and gives the amount back to the payment', async () => {
    await fill()
    const { paymentId } = await paid()
    await bench.control('/faults', { call: 'refund', kind: 'refund_fails', delay_ms: 60_000 })
    const { body } = await refund(paymentId)
    expect(body.status).toBe('pending')
    expect(await paymentNow(paymentId)).toMatchObject({ status: 'refunded', refund_status: 'full' })
    await later(61)
    expect((await refundNow(body.id)).status).toBe('failed')
    expect(await paymentNow(paymentId)).toMatchObject({ status: 'captured', amount_refunded: 0, refund_status: null })
    expect(await events()).toContain('refund.failed')
  })

  it('is ended by hand, once', async () => {
    await fill()
    const { paymentId } = await paid()
    await bench.control('/faults', { call: 'refund', kind: 'refund_pending', delay_ms: 1e9, times: 'forever' })
    const first = (await refund(paymentId, { amount: 10_000 })).body
    const second = (await refund(paymentId, { amount: 10_000 })).body
    expect(await bench.control(`/refunds/${first.id}/process`)).toMatchObject({ body: { status: 'processed' } })
    expect(await bench.control(`/refunds/${second.id}/fail`)).toMatchObject({ body: { status: 'failed' } })
    expect((await bench.control(`/refunds/${first.id}/fail`)).status).toBe(409)
  })

  it('needs balance, which fees have lowered', async () => {
    const { paymentId } = await paid()
    expect(await refund(paymentId)).toMatchObject({
      status: 400,
      body: { error: { description: 'Your account does not have enough balance to carry out the refund operation.' } },
    })
    await fill()
    expect((await refund(paymentId)).status).toBe(200)
    await bench.control('/faults', { call: 'refund', kind: 'insufficient_balance' })
    const other = await paid()
    expect((await refund(other.paymentId)).status).toBe(400)
  })

  it('is refused when it is too much, too late, or of nothing captured', async () => {
    await fill()
    const { paymentId } = await paid()
    expect((await refund(paymentId, { amount: 99 })).body.error.description).toBe('The amount must be at least INR 1.00')
    expect((await refund(paymentId, { amount: 50_001 })).status).toBe(400)
    const link = await bench.link()
    const { body } = await bench.control<PaidJson>(`/links/${link.id}/pay`, { outcome: 'failure' })
    expect((await refund(body.payment.id)).status).toBe(400)
    await later(185 * 86_400)
    expect((await refund(paymentId)).body.error.description).toContain('six months')
  })
})

describe('the refund’s key', () => {
  /** A refund request of ₹10 that can be aborted. */
  const send = (paymentId: string, signal: AbortSignal): Promise<Response> =>
    fetch(`${bench.sandbox.url}/v1/payments/${paymentId}/refund`, {
      method: 'POST',
      headers: { authorization: bench.authorization, 'content-type': 'application/json', ...idempotencyKey },
      body: '{"amount":1000}',
      signal,
    })

  it('gets the first answer again, even after the refund went on', async () => {
    await fill()
    const { paymentId } = await paid()
    const first = await refund(paymentId, { amount: 1000 }, idempotencyKey)
    await later(11)
    expect(await refund(paymentId, { amount: 1000 }, idempotencyKey)).toEqual(first)
    expect(await refund(paymentId, { amount: 2000 }, idempotencyKey)).toMatchObject({
      status: 409,
      body: { error: { description: 'Different request with the same idempotency key has already been processed.' } },
    })
    const other = await paid()
    expect((await refund(other.paymentId, { amount: 1000 }, idempotencyKey)).status).toBe(409)
    expect((await bench.state()).refunds).toHaveLength(1)
    expect((await refund(paymentId, {}, { 'x-refund-idempotency': 'short' })).status).toBe(400)
  })

  it('is refused while the first request is under way', async () => {
    await fill()
    const { paymentId } = await paid()
    // Longer than the test: the first request stays inside the sandbox until the caller hangs up.
    await bench.control('/faults', { call: 'refund', kind: 'latency', latency_ms: 600_000 })
    const caller = new AbortController()
    const first = send(paymentId, caller.signal)
    await vi.waitFor(async () => expect(await bench.state()).toMatchObject({ faults: [] }), { timeout: 60_000 })
    expect((await refund(paymentId, { amount: 1000 }, idempotencyKey)).status).toBe(409)
    expect((await refund(paymentId, { amount: 1000 }, { 'x-refund-idempotency': 'refund-key-0002' })).status).toBe(200)
    caller.abort()
    await expect(first).rejects.toThrow()
  })

  it.each([
    ['timeout_before', 0],
    ['timeout_after', 1],
  ])('finds out what became of a %s', async (kind, made) => {
    await fill()
    const { paymentId } = await paid()
    await bench.control('/faults', { call: 'refund', kind })
    const caller = new AbortController()
    const unanswered = send(paymentId, caller.signal)
    await vi.waitFor(async () => expect(await bench.state()).toMatchObject({ faults: [] }), { timeout: 60_000 })
    caller.abort()
    await expect(unanswered).rejects.toThrow()
    expect((await bench.state()).refunds).toHaveLength(made)
    expect((await refund(paymentId, { amount: 1000 }, idempotencyKey)).status).toBe(200)
    expect((await bench.state()).refunds).toHaveLength(1)
  })
})

describe('a second capture on one link', () => {
  const payAgain = async (body: object): Promise<PaidJson & { linkId: string; firstId: string }> => {
    const { linkId, paymentId } = await paid()
    const again = await bench.control<PaidJson>(`/links/${linkId}/pay`, { ...body, method: 'bank_transfer' })
    return { ...again.body, linkId, firstId: paymentId }
  }

  it('is sent back at once, never captured', async () => {
    const { payment, linkId } = await payAgain({})
    expect(payment).toMatchObject({ status: 'refunded', captured: false })
    expect((await bench.api<LinkJson>('GET', `/payment_links/${linkId}`)).body).toMatchObject({ amount_paid: 50_000 })
    expect((await events()).slice(-3)).toEqual(['payment.authorized', 'refund.created', 'refund.processed'])
  })

  it('sticks when told to, and is the merchant’s to refund', async () => {
    await fill()
    const { payment, linkId, firstId } = await payAgain({ second_capture: 'keep' })
    expect(payment).toMatchObject({ status: 'captured', captured: true })
    const { body } = await bench.api<LinkJson>('GET', `/payment_links/${linkId}`)
    expect(body.payments?.map(({ payment_id }) => payment_id)).toEqual([firstId, payment.id])
    expect(body).toMatchObject({ status: 'paid', amount_paid: 100_000 })
    expect((await refund(payment.id)).status).toBe(200)
  })
})

describe('a settlement', () => {
  it('pays out captures less fees and refunds, with a UTR, and reports every row', async () => {
    const one = await paid(100_000)
    await paid(200_000)
    const back = (await refund(one.paymentId, { amount: 40_000 })).body
    await later(11)
    const { body } = await bench.control<Settled>('/settle')
    // 2 % of ₹3,000 is ₹60, with 18 % GST ₹70.80.
    expect(body.settlement).toMatchObject({ amount: 300_000 - 7080 - 40_000, fees: 7080, tax: 1080 })
    expect(body.settlement.utr).toMatch(/^\d{10}[a-z0-9]{6}$/)
    expect(await events()).toContain('settlement.processed')

    expect((await bench.api<SettlementJson>('GET', `/settlements/${body.settlement.id}`)).body).toEqual({
      ...body.settlement,
      entity: 'settlement',
      status: 'processed',
    })
    const india = new Date(((await bench.state()).now + 19_800) * 1000)
    const where = `?year=${india.getUTCFullYear()}&month=${india.getUTCMonth() + 1}&day=${india.getUTCDate()}&count=100`
    const report = (await bench.api<{ items: Row[] }>('GET', `/settlements/recon/combined${where}`)).body
    expect(report.items.map(({ type }) => type)).toEqual(['payment', 'payment', 'refund'])
    expect(report.items.reduce((total, row) => total + row.credit - row.debit, 0)).toBe(body.settlement.amount)
    expect(report.items.at(-1)).toMatchObject({ entity_id: back.id, payment_id: one.paymentId, debit: 40_000 })
    expect((await bench.api('GET', '/settlements/recon/combined?year=2026')).status).toBe(400)
    expect((await bench.control('/settle')).status).toBe(409)
  })

  it('comes short, leaves a payment out, takes an adjustment in', async () => {
    const one = await paid(100_000)
    const two = await paid(100_000)
    const first = (await bench.control<Settled>('/settle', { leave_out: [two.paymentId], adjustment: -500, short_by: 10 })).body
    expect(first.items.map(({ entity_id, type }) => (type === 'adjustment' ? type : entity_id))).toEqual([one.paymentId, 'adjustment'])
    expect(first.settlement.amount).toBe(100_000 - 2360 - 500 - 10)
    const second = (await bench.control<Settled>('/settle')).body
    expect(second.items.map(({ entity_id }) => entity_id)).toEqual([two.paymentId])
  })
})

describe('a dispute', () => {
  it('is won, or lost and taken from the next settlement', async () => {
    const one = await paid(100_000)
    const two = await paid(100_000)
    const raise = async (paymentId: string): Promise<string> =>
      (await bench.control<{ id: string }>(`/payments/${paymentId}/dispute`)).body.id
    const [won, lost] = [await raise(one.paymentId), await raise(two.paymentId)]
    expect(await bench.control(`/disputes/${won}/win`)).toMatchObject({ body: { status: 'won', amount_deducted: 0 } })
    expect(await bench.control(`/disputes/${lost}/lose`)).toMatchObject({ body: { status: 'lost', amount_deducted: 100_000 } })
    expect((await bench.control(`/disputes/${lost}/win`)).status).toBe(409)
    expect(await bench.api('GET', `/disputes/${lost}`)).toMatchObject({ body: { entity: 'dispute', payment_id: two.paymentId } })
    const { body } = await bench.control<Settled>('/settle')
    expect(body.settlement.amount).toBe(200_000 - 2 * 2360 - 100_000)
    expect(body.items.at(-1)).toMatchObject({ type: 'adjustment', dispute_id: lost, debit: 100_000 })
    const told = (await events()).filter((name) => name.startsWith('payment.dispute'))
    expect(told).toEqual(['payment.dispute.created', 'payment.dispute.created', 'payment.dispute.won', 'payment.dispute.lost'])
  })
})

describe('payments that take their time', () => {
  const pay = async (outcome: string): Promise<string> => {
    const link = await bench.link()
    return (await bench.control<PaidJson>(`/links/${link.id}/pay`, { outcome, after_seconds: 60 })).body.payment.id
  }

  it.each([
    ['pending_success', 'captured'],
    ['pending_failure', 'failed'],
  ])('%s is created, then %s', async (outcome, status) => {
    const id = await pay(outcome)
    expect((await paymentNow(id))['status']).toBe('created')
    await later(61)
    expect((await paymentNow(id))['status']).toBe(status)
  })

  it('is authorised until the merchant captures it, or goes back after three days', async () => {
    const captured = await pay('authorized')
    const left = await pay('authorized')
    expect((await paymentNow(captured))['status']).toBe('authorized')
    const wrong = await bench.api('POST', `/payments/${captured}/capture`, { amount: 1000, currency: 'INR' })
    expect(wrong.status).toBe(400)
    const right = await bench.api('POST', `/payments/${captured}/capture`, { amount: 50_000, currency: 'INR' })
    expect(right).toMatchObject({ status: 200, body: { status: 'captured' } })
    await later(3 * 86_400 + 1)
    expect(await paymentNow(captured)).toMatchObject({ status: 'captured' })
    expect(await paymentNow(left)).toMatchObject({ status: 'refunded', captured: false })
  })
})

describe('a bank transfer', () => {
  it('reaches a cancelled link, and may be of more or less than what is due', async () => {
    const send = async (amount: number, cancel = false): Promise<PaidJson> => {
      const link = await bench.link()
      if (cancel) await bench.api('POST', `/payment_links/${link.id}/cancel`)
      return (await bench.control<PaidJson>(`/links/${link.id}/pay`, { method: 'bank_transfer', amount })).body
    }
    expect((await send(60_000)).payment_link).toMatchObject({ status: 'paid', amount_paid: 60_000 })
    expect((await send(49_999)).payment_link).toMatchObject({ status: 'partially_paid', amount_paid: 49_999 })
    expect((await send(50_000, true)).payment_link).toMatchObject({ status: 'cancelled', amount_paid: 50_000 })
  })
})
