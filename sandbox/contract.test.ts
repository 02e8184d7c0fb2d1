import type Razorpay from 'razorpay'
import { validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { againstReal } from './contract-run.ts'
import { providerAt, refusal, refused, type Answer, type Case, type Provider } from './contract-support.testing.ts'
import {
  testKeyId,
  testKeySecret,
  startBench,
  startReceiver,
  testWebhookSecret,
  type Bench,
  type PaidJson,
  type Receiver,
} from './bench.testing.ts'

/**
 * What the provider does, tested on the sandbox; `node sandbox/contract-run.ts --against real`
 * tests it on the provider's test mode. By the official client where it has the call, else by
 * fetch.
 */

const real = againstReal(process.env)
let bench: Bench
let receiver: Receiver
let provider: Provider

beforeAll(async () => {
  if (real) {
    provider = providerAt('https://api.razorpay.com', real)
    for (const [title, , why] of sandboxOnlyCases) console.log(`left out: "${title}", because ${why}`)
    return
  }
  receiver = await startReceiver()
  bench = await startBench({ webhookUrl: receiver.url })
  provider = providerAt(bench.sandbox.url, { keyId: testKeyId, keySecret: testKeySecret })
})
afterAll(async () => {
  if (real) return
  await bench.close()
  await receiver.close()
})

type CreateRequest = Parameters<Razorpay['paymentLink']['create']>[0]

const request = (reference_id: string): CreateRequest => ({
  amount: 1_050_000,
  currency: 'INR',
  reference_id,
  description: 'EMI of December 2026',
  customer: { name: 'Asha Rao', contact: '+919000000001', email: 'asha@example.in' },
  notify: { sms: false, email: false },
  notes: { lan: 'KST-1' },
  callback_url: 'https://example.in/payments/waiting-for-payment',
  callback_method: 'get',
})

const text = expect.any(String) as string
const number = expect.any(Number) as number

/** True at the provider and in the sandbox. */
const sharedCases: readonly Case[] = [
  [
    'creates a link with the shape of the samples',
    async ({ client, reference }) => {
      const link = await client.paymentLink.create(request(reference()))
      expect(link).toMatchObject({
        id: expect.stringMatching(/^plink_[A-Za-z0-9]{14}$/),
        accept_partial: false,
        amount: 1_050_000,
        amount_paid: 0,
        callback_method: 'get',
        cancelled_at: 0,
        created_at: number,
        currency: 'INR',
        customer: { name: 'Asha Rao', contact: '+919000000001', email: 'asha@example.in' },
        expire_by: 0,
        expired_at: 0,
        notes: { lan: 'KST-1' },
        notify: { sms: false, email: false },
        reference_id: text,
        short_url: expect.stringMatching(/^https?:\/\//),
        status: 'created',
        updated_at: number,
        upi_link: false,
        user_id: text,
      })
      // Null, or an empty array: the samples have both.
      expect([null, []]).toContainEqual((link as unknown as { payments: unknown }).payments)
    },
  ],
  [
    'says that a reference was used before, whatever became of its link',
    async ({ client, reference }) => {
      const again = request(reference())
      const taken = refusal(400, 'payment link creation with reference ID already attempted')
      const link = await client.paymentLink.create(again)
      await expect(client.paymentLink.create(again)).rejects.toMatchObject(taken)
      await client.paymentLink.cancel(link.id)
      await expect(client.paymentLink.create(again)).rejects.toMatchObject(taken)
    },
  ],
  [
    'finds a link by its reference, and none by an unknown one',
    async ({ client, reference }) => {
      const [known, unknown] = [reference(), reference()]
      const link = await client.paymentLink.create(request(known))
      const found = async (reference_id: string): Promise<string[]> =>
        (await client.paymentLink.all({ reference_id } as object)).payment_links.map(({ id }) => id)
      expect(await found(known)).toEqual([link.id])
      expect(await found(unknown)).toEqual([])
    },
  ],
  [
    'fetches a link, and answers 400 to an unknown id',
    async ({ client, reference }) => {
      const link = await client.paymentLink.create(request(reference()))
      expect(await client.paymentLink.fetch(link.id)).toMatchObject({ id: link.id, amount: 1_050_000, status: 'created' })
      await expect(client.paymentLink.fetch('plink_AAAAAAAAAAAAAA')).rejects.toMatchObject({ statusCode: 400 })
    },
  ],
  [
    'edits an open link, but not its amount',
    async ({ client, reference }) => {
      const link = await client.paymentLink.create(request(reference()))
      const expire_by = Math.floor(Date.now() / 1000) + 3600
      expect(await client.paymentLink.edit(link.id, { expire_by, notes: { a: 'b' } })).toMatchObject({ id: link.id, expire_by })
      await expect(client.paymentLink.edit(link.id, { amount: 1 } as object)).rejects.toMatchObject({ statusCode: 400 })
    },
  ],
  [
    'cancels an open link once',
    async ({ client, reference }) => {
      const open = await client.paymentLink.create(request(reference()))
      expect(await client.paymentLink.cancel(open.id)).toMatchObject({ status: 'cancelled', cancelled_at: number })
      await expect(client.paymentLink.cancel(open.id)).rejects.toMatchObject(refusal(400, 'cannot cancel or expire an expired link'))
      expect(await client.paymentLink.fetch(open.id)).toMatchObject({ status: 'cancelled' })
    },
  ],
  [
    'refuses input in the published words',
    async ({ call, reference }) => {
      const make = (change: object): Promise<Answer> =>
        call('POST', '/payment_links', { amount: 10_000, reference_id: reference(), ...change })
      const soon = Math.floor(Date.now() / 1000) + 600
      expect(await make({ expire_by: soon })).toMatchObject(refused('timestamp must be atleast 15 minutes in future'))
      expect(await make({ upi_link: true })).toMatchObject(
        refused('UPI Payment Links is not supported in Test Mode. Please experience the product in Live Mode.'),
      )
      expect(await make({ notes: { a: 'x'.repeat(256) } })).toMatchObject({ status: 400 })
      expect(await make({ amount: 99 })).toMatchObject({ status: 400 })
      expect(await make({ amount: 100.5 })).toMatchObject({ status: 400 })
    },
  ],
  [
    'takes forms, and a slash at the end',
    async ({ call, reference }) => {
      const form = `amount=10000&currency=INR&reference_id=${reference()}&customer[name]=Asha&notes[lan]=42`
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      expect(await call('POST', '/payment_links/', form, type)).toMatchObject({
        status: 200,
        body: { amount: 10_000, notes: { lan: '42' } },
      })
    },
  ],
  [
    'wants the right key, and the word Basic to the letter',
    async ({ call }) => {
      for (const authorization of ['Basic eDp5', 'basic eDp5', 'Bearer x']) {
        expect(await call('GET', '/payment_links', undefined, { authorization })).toMatchObject({
          status: 401,
          body: { error: { code: 'BAD_REQUEST_ERROR' } },
        })
      }
    },
  ],
  [
    'lists payments, refunds and settlements as collections',
    async ({ call }) => {
      for (const path of ['/payments', '/refunds', '/settlements']) {
        const { status, body } = await call('GET', `${path}?count=2`)
        expect({ status, body }).toMatchObject({ status: 200, body: { entity: 'collection', count: number, items: expect.any(Array) } })
      }
      expect(await call('GET', '/settlements/recon/combined?year=2026&month=1')).toMatchObject({
        status: 200,
        body: { entity: 'collection' },
      })
      expect(await call('GET', '/methods')).toMatchObject({ status: 200, body: { entity: 'methods', card: expect.any(Boolean) } })
    },
  ],
  [
    'answers 400, never 404, to ids it does not know',
    async ({ call }) => {
      for (const path of ['/payments/pay_AAAAAAAAAAAAAA', '/orders/order_AAAAAAAAAAAAAA', '/refunds/rfnd_AAAAAAAAAAAAAA']) {
        expect(await call('GET', path)).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST_ERROR' } } })
      }
      expect(await call('POST', '/payments/pay_AAAAAAAAAAAAAA/refund', { amount: 100 })).toMatchObject({ status: 400 })
    },
  ],
]

const paid = async (change: object = {}): Promise<PaidJson> => {
  const link = await bench.link({ amount: 1_050_000, notes: { lan: 'KST-1' }, ...change })
  return (await bench.control<PaidJson>(`/links/${link.id}/pay`)).body
}

/** What cannot be tested in test mode, and why. */
const sandboxOnlyCases: readonly (readonly [...Case, why: string])[] = [
  [
    'never cancels a paid link',
    async ({ client }) => {
      const { payment_link } = await paid()
      const text = 'cannot cancel or expire an already paid/partially paid link'
      await expect(client.paymentLink.cancel(payment_link.id)).rejects.toMatchObject(refusal(400, text))
    },
    'a link is paid by a person on the hosted page',
  ],
  [
    'captures a payment and its order, with the fee',
    async ({ client }) => {
      const { payment_link, payment } = await paid()
      const fetched = await client.payments.fetch(payment.id)
      // 2 % of 10,50,000 paise is 21,000, with 18 % GST on it.
      expect(fetched).toMatchObject({
        entity: 'payment',
        status: 'captured',
        captured: true,
        fee: 24_780,
        tax: 3780,
        vpa: 'success@razorpay',
        description: `#${payment_link.id.slice(6)}`,
        acquirer_data: { rrn: expect.stringMatching(/^\d{12}$/) },
        notes: { lan: 'KST-1' },
      })
      expect(await client.orders.fetch(fetched.order_id)).toMatchObject({ status: 'paid', receipt: payment_link.reference_id })
      expect((await client.orders.fetchPayments(fetched.order_id)).items).toHaveLength(1)
      expect(await client.paymentLink.fetch(payment_link.id)).toMatchObject({
        payments: [{ amount: 1_050_000, method: 'upi', payment_id: payment.id, plink_id: payment_link.id, status: 'captured' }],
      })
    },
    'a link is paid by a person on the hosted page',
  ],
  [
    'refunds a part, and no more than there is',
    async ({ client }) => {
      const { payment } = await paid()
      const refund = await client.payments.refund(payment.id, { amount: 50_000 })
      expect(refund).toMatchObject({ entity: 'refund', amount: 50_000, payment_id: payment.id, speed_requested: 'normal' })
      expect(await client.refunds.fetch(refund.id)).toMatchObject({ id: refund.id })
      expect(await client.payments.fetch(payment.id)).toMatchObject({ refund_status: 'partial', amount_refunded: 50_000 })
      await expect(client.payments.refund(payment.id, { amount: 1_050_000 })).rejects.toMatchObject({ statusCode: 400 })
    },
    'there is no payment to refund',
  ],
  [
    'settles what was captured, and reports it row by row',
    async ({ client }) => {
      const { payment } = await paid()
      await bench.control('/settle')
      const { items } = await client.settlements.all()
      const settlement = items[0] as unknown as { id: string }
      expect(await client.settlements.fetch(settlement.id)).toMatchObject({ entity: 'settlement', status: 'processed', utr: text })
      const india = new Date(Date.now() + 19_800_000)
      const when = { year: india.getUTCFullYear(), month: india.getUTCMonth() + 1, count: 1000 }
      const report = (await client.settlements.reports(when as never)) as unknown as { items: { entity_id: string }[] }
      expect(report.items.find(({ entity_id }) => entity_id === payment.id)).toMatchObject({
        type: 'payment',
        credit: 1_050_000 - 24_780,
        debit: 0,
        fee: 24_780,
        tax: 3780,
        settled: true,
        settlement_id: settlement.id,
        notes: '{"lan":"KST-1"}',
      })
    },
    'test mode settles nothing on demand',
  ],
  [
    'tells a payment in four signed events of the published envelope',
    async () => {
      const { payment_link, payment } = await paid()
      type Envelope = { event: string; contains: string[]; payload: Record<string, { entity: { id: string } }> }
      // Events of payments before this one may still arrive.
      const eventsOfPayment = () =>
        receiver.received
          .map(({ raw, signature }) => ({ raw, signature, ...(JSON.parse(raw) as Envelope) }))
          .filter(({ payload }) => payload['payment']?.entity.id === payment.id)
      await vi.waitFor(() => expect(eventsOfPayment()).toHaveLength(4), { timeout: 60_000 })
      const told = eventsOfPayment()
      for (const { raw, signature } of told) expect(validateWebhookSignature(raw, signature, testWebhookSecret)).toBe(true)
      expect(told.map(({ event, contains }) => [event, ...contains]).sort()).toEqual([
        ['order.paid', 'payment', 'order'],
        ['payment.authorized', 'payment'],
        ['payment.captured', 'payment'],
        ['payment_link.paid', 'payment_link', 'order', 'payment'],
      ])
      expect(told.find(({ event }) => event === 'payment_link.paid')?.payload['payment_link']?.entity.id).toBe(payment_link.id)
    },
    'events go to a public address with a name',
  ],
]

describe('the provider', () => {
  const cases: readonly Case[] = real ? sharedCases : [...sharedCases, ...sandboxOnlyCases.map(([title, run]): Case => [title, run])]
  it.each(cases)('%s', async (_title, run) => run(provider))
})

describe('the command that asks the provider', () => {
  it('takes test keys only, and only when it is asked to', () => {
    expect(againstReal({})).toBeNull()
    const asked = { SANDBOX_CONTRACT_AGAINST: 'real', RAZORPAY_KEY_ID: 'rzp_test_abc', RAZORPAY_KEY_SECRET: 'x' }
    expect(againstReal(asked)).toEqual({ keyId: 'rzp_test_abc', keySecret: 'x' })
    expect(() => againstReal({ ...asked, RAZORPAY_KEY_ID: 'rzp_live_abc' })).toThrow('live')
    expect(() => againstReal({ ...asked, RAZORPAY_KEY_SECRET: '' })).toThrow('RAZORPAY_KEY_SECRET')
  })
})
