import Razorpay from 'razorpay'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  KEY_ID,
  KEY_SECRET,
  startBench,
  type Bench,
  type ErrorJson,
  type LinkJson,
  type PaidJson,
  type PaymentJson,
} from './test-support.ts'

let bench: Bench
let razorpay: Razorpay

/** The official client has no setting for its host; this is the way around it. */
function clientFor(url: string): Razorpay {
  const client = new Razorpay({ key_id: KEY_ID, key_secret: KEY_SECRET })
  const { rq } = client.api as unknown as { rq: { defaults: { baseURL: string; timeout: number } } }
  expect(rq.defaults.baseURL).toBe('https://api.razorpay.com')
  rq.defaults.baseURL = url
  rq.defaults.timeout = 5000
  return client
}

const request = (reference_id: string): Parameters<Razorpay['paymentLink']['create']>[0] => ({
  amount: 1_050_000,
  currency: 'INR',
  reference_id,
  description: 'EMI of December 2026',
  customer: { name: 'Asha Rao', contact: '+919000000001', email: 'asha@example.in' },
  notify: { sms: false, email: false },
  notes: { lan: 'KST-1' },
  callback_url: 'http://localhost:3000/payments/waiting-for-payment',
  callback_method: 'get',
})

const refusal = (statusCode: number, description: string): object => ({
  statusCode,
  error: expect.objectContaining({ code: 'BAD_REQUEST_ERROR', description }),
})

beforeAll(async () => {
  bench = await startBench()
  razorpay = clientFor(bench.sandbox.url)
})
afterAll(() => bench.close())

describe('the official client', () => {
  it('creates a link with the shape of the samples', async () => {
    const link = await razorpay.paymentLink.create(request('shape-1'))
    expect(link).toMatchObject({
      id: expect.stringMatching(/^plink_[A-Za-z0-9]{14}$/),
      amount: 1_050_000,
      amount_paid: 0,
      status: 'created',
      payments: null,
      expire_by: 0,
      expired_at: 0,
      cancelled_at: 0,
      notes: { lan: 'KST-1' },
      reminders: [],
      upi_link: false,
      short_url: expect.stringMatching(/^http:\/\/localhost:\d+\/i\/[A-Za-z0-9]{8}$/),
    })
  })

  it('is told that a reference was used before, whatever became of its link', async () => {
    const link = await razorpay.paymentLink.create(request('twice-1'))
    const text = 'payment link creation with reference ID already attempted'
    await expect(razorpay.paymentLink.create(request('twice-1'))).rejects.toMatchObject(refusal(400, text))
    await razorpay.paymentLink.cancel(link.id)
    await expect(razorpay.paymentLink.create(request('twice-1'))).rejects.toMatchObject(refusal(400, text))
  })

  it('finds a link by its reference, and none by an unknown one', async () => {
    const link = await razorpay.paymentLink.create(request('find-1'))
    const byReference = async (reference_id: string): Promise<string[]> => {
      const found = await razorpay.paymentLink.all({ reference_id } as object)
      return found.payment_links.map(({ id }) => id)
    }
    expect(await byReference('find-1')).toEqual([link.id])
    expect(await byReference('find-2')).toEqual([])
  })

  it('fetches a link, and gets 400 for unknown and malformed ids', async () => {
    const link = await razorpay.paymentLink.create(request('fetch-1'))
    expect(await razorpay.paymentLink.fetch(link.id)).toEqual(link)
    await expect(razorpay.paymentLink.fetch('plink_AAAAAAAAAAAAAA')).rejects.toMatchObject(refusal(400, 'The id provided does not exist'))
    await expect(razorpay.paymentLink.fetch('plink_short')).rejects.toMatchObject(refusal(400, 'invalid input [strippedId] = [short]'))
  })

  it('edits an open link, but not its amount', async () => {
    const link = await razorpay.paymentLink.create(request('edit-1'))
    const expire_by = Math.floor(Date.now() / 1000) + 3600
    const edited = await razorpay.paymentLink.edit(link.id, { expire_by, notes: { a: 'b' } })
    expect(edited).toMatchObject({ id: link.id, expire_by, notes: { a: 'b' } })
    await expect(razorpay.paymentLink.edit(link.id, { amount: 1 } as object)).rejects.toMatchObject(
      refusal(400, 'wrong input fields sent.'),
    )
  })

  it('cancels an open link once, and never a paid one', async () => {
    const open = await razorpay.paymentLink.create(request('cancel-1'))
    const cancelled = await razorpay.paymentLink.cancel(open.id)
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) })
    await expect(razorpay.paymentLink.cancel(open.id)).rejects.toMatchObject(refusal(400, 'cannot cancel or expire an expired link'))
    const paid = await razorpay.paymentLink.create(request('cancel-2'))
    await bench.control(`/links/${paid.id}/pay`, { method: 'upi', outcome: 'success' })
    await expect(razorpay.paymentLink.cancel(paid.id)).rejects.toMatchObject(
      refusal(400, 'cannot cancel or expire an already paid/partially paid link'),
    )
  })

  it('sees the captured payment, its order, and refunds it', async () => {
    const link = await razorpay.paymentLink.create(request('refund-1'))
    const { body } = await bench.control<PaidJson>(`/links/${link.id}/pay`, { outcome: 'success' })
    const payment = await razorpay.payments.fetch(body.payment.id)
    // 2 % of 10,50,000 paise is 21,000, with 18 % GST on it.
    expect(payment).toMatchObject({
      status: 'captured',
      captured: true,
      fee: 24_780,
      tax: 3780,
      vpa: 'success@razorpay',
      description: `#${link.id.slice(6)}`,
      acquirer_data: { rrn: expect.stringMatching(/^\d{12}$/) },
      notes: { lan: 'KST-1' },
    })
    expect(await razorpay.orders.fetch(payment.order_id)).toMatchObject({ status: 'paid', receipt: 'refund-1' })
    expect((await razorpay.orders.fetchPayments(payment.order_id)).items).toHaveLength(1)
    expect(await razorpay.payments.refund(payment.id, { amount: 50_000 })).toMatchObject({ amount: 50_000 })
    expect(await razorpay.payments.fetch(payment.id)).toMatchObject({ refund_status: 'partial' })
    await expect(razorpay.payments.refund(payment.id, { amount: 1_050_000 })).rejects.toMatchObject({ statusCode: 400 })
  })

  it('is refused with a wrong secret', async () => {
    const stranger = new Razorpay({ key_id: KEY_ID, key_secret: 'wrong' })
    const { rq } = stranger.api as unknown as { rq: { defaults: { baseURL: string } } }
    rq.defaults.baseURL = bench.sandbox.url
    await expect(stranger.paymentLink.all()).rejects.toMatchObject(refusal(401, 'The api secret provided is invalid'))
  })
})

describe('input', () => {
  const now = (): number => Math.floor(Date.now() / 1000)
  const notes = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`n${n}`, 'x']))
  it.each<[string, Record<string, unknown>, string]>([
    ['no amount', { amount: undefined }, 'The amount is required'],
    ['too small', { amount: 99 }, 'The amount must be at least INR 1.00'],
    ['a fraction', { amount: 100.5 }, 'The amount must be an integer'],
    ['a text', { amount: '100' }, 'The amount must be an integer'],
    ['too large', { amount: 50_000_001 }, 'Amount exceeds maximum amount allowed.'],
    ['an unknown field', { amonut: 1 }, 'wrong input fields sent.'],
    ['a long reference', { reference_id: 'r'.repeat(41) }, 'reference_id: the length must not be greater than 40.'],
    ['a long note', { notes: { a: 'x'.repeat(256) } }, 'value: the length must not be greater than 255.'],
    ['many notes', { notes }, 'The notes is invalid'],
    ['expiry too soon', { expire_by: now() + 890 }, 'timestamp must be atleast 15 minutes in future'],
    ['expiry too far', { expire_by: now() + 200 * 86_400 }, 'timestamp must not be more than 6 months in future'],
    ['a UPI link', { upi_link: true }, 'UPI Payment Links is not supported in Test Mode. Please experience the product in Live Mode.'],
    ['a UPI link in parts', { upi_link: true, accept_partial: true }, 'partial payment not supported in upi link'],
    ['a callback without method', { callback_url: 'http://a.in/' }, 'The callback_method is required'],
    ['a callback by post', { callback_url: 'http://a.in/', callback_method: 'post' }, 'The callback_method is invalid'],
    ['a callback of no web', { callback_url: 'javascript:alert(1)', callback_method: 'get' }, 'The callback_url is invalid'],
  ])('refuses %s', async (_name, change, description) => {
    const body = { amount: 10_000, ...change }
    const answer = await bench.api<ErrorJson>('POST', '/payment_links', body)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST_ERROR', description } } })
  })

  it('takes form bodies and a trailing slash', async () => {
    const form = 'amount=10000&reference_id=form-1&customer[name]=Asha&notify[sms]=1&notes[lan]=42'
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const made = await bench.api<LinkJson>('POST', '/payment_links/', form, type)
    expect(made).toMatchObject({
      status: 200,
      body: { amount: 10_000, reference_id: 'form-1', customer: { name: 'Asha' }, notes: { lan: '42' } },
    })
  })

  it('answers an envelope to a broken body, an unknown path and a missing key', async () => {
    expect(await bench.api('POST', '/payment_links', '{"amount":')).toMatchObject({ status: 400 })
    expect(await bench.api('GET', '/nothing')).toMatchObject({ status: 404 })
    const open = await fetch(`${bench.sandbox.url}/v1/payment_links`)
    expect(open.status).toBe(401)
    const lower = await bench.api('GET', '/payment_links', undefined, { authorization: 'basic eDp5' })
    expect(lower).toMatchObject({ status: 401, body: { error: { description: 'The api key provided is invalid' } } })
  })

  it('breaks the connection at the amount that means unreachable', async () => {
    await expect(bench.api('POST', '/payment_links', { amount: 1_031_313 })).rejects.toThrow()
  })
})

describe('refund idempotency', () => {
  it('answers the first refund again, and 409 to another body under the same key', async () => {
    const link = await bench.link()
    const { payment } = (await bench.control<PaidJson>(`/links/${link.id}/pay`)).body
    const refund = (amount: number): Promise<{ status: number; body: PaymentJson }> =>
      bench.api('POST', `/payments/${payment.id}/refund`, { amount }, { 'x-refund-idempotency': 'key-0000000001' })
    const first = await refund(1000)
    expect(await refund(1000)).toEqual(first)
    expect((await refund(2000)).status).toBe(409)
    const all = await bench.api<{ count: number }>('GET', `/payments/${payment.id}/refunds`)
    expect(all.body.count).toBe(1)
  })
})

describe('parts', () => {
  it('goes over partially_paid to paid', async () => {
    const link = await bench.link({ accept_partial: true })
    const pay = (amount: number): Promise<{ body: PaidJson }> => bench.control(`/links/${link.id}/pay`, { amount })
    expect((await pay(20_000)).body.payment_link).toMatchObject({ status: 'partially_paid', amount_paid: 20_000 })
    expect((await pay(30_000)).body.payment_link).toMatchObject({ status: 'paid', amount_paid: 50_000 })
  })
})
