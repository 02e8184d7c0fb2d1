import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { againstReal } from '../contract-run.ts'
import { providerAt, refusal, refused, type Answer, type Case, type Provider } from '../contract-support.testing.ts'
import { testKeyId, testKeySecret, startBench, type Bench } from '../bench.testing.ts'
import { debitCases, notificationCases } from './debit-cases.testing.ts'
import { enachCases } from './enach-cases.testing.ts'
import { registrationCases } from './registration-cases.testing.ts'
import { tokenCases } from './token-cases.testing.ts'
import { daySeconds, startInIndia, registrationRequest, Stage, type Json } from './stage.testing.ts'

/**
 * What the provider does with recurring payments, as `../contract.test.ts` for links. The account
 * must have recurring payments enabled.
 */

const real = againstReal(process.env)
const sandboxCases = [...registrationCases, ...tokenCases, ...notificationCases, ...debitCases, ...enachCases]
let bench: Bench
let provider: Provider

beforeAll(async () => {
  if (real) {
    provider = providerAt('https://api.razorpay.com', real)
    for (const [why, title] of sandboxCases) console.log(`left out: "${title}", because ${why}`)
    return
  }
  bench = await startBench()
  provider = providerAt(bench.sandbox.url, { keyId: testKeyId, keySecret: testKeySecret })
})
afterAll(async () => {
  if (!real) await bench.close()
})

const text = expect.any(String) as string
const number = expect.any(Number) as number
const nowSeconds = (): number => Math.floor(Date.now() / 1000)

const request = ({ reference }: Provider, method: 'upi' | 'emandate', change: object = {}, terms: object = {}): object =>
  registrationRequest(method, reference(), nowSeconds(), change, terms)

async function register(provider: Provider, method: 'upi' | 'emandate' = 'upi', change: object = {}, terms: object = {}): Promise<Json> {
  const { status, body } = await attempt(provider, method, change, terms)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as Json
}
const attempt = (provider: Provider, method: 'upi' | 'emandate', change: object = {}, terms: object = {}): Promise<Answer> =>
  provider.call('POST', '/subscription_registration/auth_links', request(provider, method, change, terms))

const person = (reference: string): object => ({ name: 'Asha Rao', email: `${reference}@example.in`, contact: '+919000000001' })
const order = (provider: Provider, change: object = {}): Promise<Answer> =>
  provider.call('POST', '/orders', { amount: 850_000, currency: 'INR', receipt: provider.reference(), ...change })
const debit = (provider: Provider, change: object = {}): Promise<Answer> =>
  provider.call('POST', '/payments/create/recurring', {
    email: 'asha@example.in',
    contact: '+919000000001',
    amount: 850_000,
    currency: 'INR',
    order_id: 'order_AAAAAAAAAAAAAA',
    customer_id: 'cust_AAAAAAAAAAAAAA',
    token: 'token_AAAAAAAAAAAAAA',
    recurring: true,
    description: 'EMI of December 2026',
    ...change,
  })
const unknownId = refused('The id provided does not exist')

type Refusal = readonly [what: string, method: 'upi' | 'emandate', change: object, terms: object]
const refusalCase = ([what, method, change, terms]: Refusal): Case => [
  `refuses ${what}`,
  async (provider) => {
    expect(await attempt(provider, method, change, terms)).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST_ERROR' } } })
  },
]

/** True at the provider and in the sandbox. */
const sharedCases: readonly Case[] = [
  [
    'creates a registration link of UPI with the shape of the samples',
    async (provider) => {
      expect(await provider.client.subscriptions.createRegistrationLink(request(provider, 'upi') as never)).toMatchObject({
        id: expect.stringMatching(/^inv_[A-Za-z0-9]{14}$/),
        entity: 'invoice',
        receipt: text,
        invoice_number: text,
        customer_id: expect.stringMatching(/^cust_[A-Za-z0-9]{14}$/),
        customer_details: { name: 'Asha Rao', email: 'asha@example.in' },
        order_id: expect.stringMatching(/^order_[A-Za-z0-9]{14}$/),
        line_items: [],
        payment_id: null,
        status: 'issued',
        issued_at: number,
        paid_at: null,
        cancelled_at: null,
        expired_at: null,
        amount: 100,
        amount_paid: 0,
        amount_due: 100,
        currency: 'INR',
        notes: { lan: 'KST-1' },
        short_url: expect.stringMatching(/^https?:\/\//),
        type: 'link',
        view_less: true,
        created_at: number,
        idempotency_key: null,
      })
    },
  ],
  [
    'creates a registration link of an eMandate, which takes no money',
    async (provider) => {
      expect(await register(provider, 'emandate')).toMatchObject({ amount: 0, amount_due: 0, status: 'issued' })
    },
  ],
  [
    'takes every way to authenticate an eMandate',
    async (provider) => {
      for (const auth_type of ['netbanking', 'debitcard', 'aadhaar']) await register(provider, 'emandate', {}, { auth_type })
    },
  ],
  [
    'takes amounts and switches as texts, as the samples write them',
    async (provider) => {
      const terms = { max_amount: '1500000' }
      expect(await register(provider, 'upi', { amount: '100', sms_notify: 0, email_notify: '0' }, terms)).toMatchObject({ amount: 100 })
    },
  ],
  [
    'finds a registration link by its receipt, and none by an unknown one',
    async (provider) => {
      const { id, receipt } = await register(provider)
      const found = async (asked: string): Promise<unknown> =>
        ((await provider.call('GET', `/invoices?receipt=${asked}`)).body['items'] as Json[]).map((one) => one.id)
      expect(await found(String(receipt))).toEqual([id])
      expect(await found(provider.reference())).toEqual([])
    },
  ],
  [
    'fetches a registration link, and answers 400 to an unknown id',
    async (provider) => {
      const { id } = await register(provider)
      expect(await provider.client.invoices.fetch(id)).toMatchObject({ id, status: 'issued' })
      expect(await provider.call('GET', '/invoices/inv_AAAAAAAAAAAAAA')).toMatchObject(unknownId)
    },
  ],
  [
    'cancels an issued registration link once',
    async (provider) => {
      const { id } = await register(provider)
      expect(await provider.client.invoices.cancel(id)).toMatchObject({ id, status: 'cancelled', cancelled_at: number })
      await expect(provider.client.invoices.cancel(id)).rejects.toMatchObject({ statusCode: 400 })
      expect(await provider.call('GET', `/invoices/${id}`)).toMatchObject({ body: { status: 'cancelled' } })
    },
  ],
  [
    'does not cancel a registration link that it does not know',
    async ({ call }) => {
      expect(await call('POST', '/invoices/inv_AAAAAAAAAAAAAA/cancel')).toMatchObject({ status: 400 })
    },
  ],
  [
    'gives the order of a registration link its receipt and amount',
    async (provider) => {
      const { order_id, receipt } = await register(provider)
      expect(await provider.call('GET', `/orders/${order_id}`)).toMatchObject({
        status: 200,
        body: { entity: 'order', receipt, amount: 100, status: 'created', attempts: 0 },
      })
      expect(await provider.call('GET', `/orders/${order_id}/payments`)).toMatchObject({ body: { entity: 'collection', count: 0 } })
    },
  ],
  [
    'makes one customer of one email address and contact',
    async (provider) => {
      const customer = person(provider.reference())
      const [one, other] = [await register(provider, 'upi', { customer }), await register(provider, 'emandate', { customer })]
      expect(one['customer_id']).toBe(other['customer_id'])
      expect(await provider.call('GET', `/customers/${one['customer_id']}`)).toMatchObject({ body: { ...customer, entity: 'customer' } })
    },
  ],
  [
    'lists registration links as a collection',
    async (provider) => {
      await register(provider)
      expect(await provider.call('GET', '/invoices?count=1')).toMatchObject({ status: 200, body: { entity: 'collection', count: 1 } })
    },
  ],
  [
    'sends a registration link by known media only',
    async (provider) => {
      const { id } = await register(provider)
      expect(await provider.call('POST', `/invoices/${id}/notify_by/pigeon`)).toMatchObject({ status: 400 })
    },
  ],
  ...(
    [
      ['another amount than ₹1 for UPI', 'upi', { amount: 0 }, {}],
      ['an amount for an eMandate', 'emandate', { amount: 100 }, {}],
      ['a cap above the limit of UPI', 'upi', {}, { max_amount: 2_00_000_00 + 1 }],
      ['a cap above ₹1 crore', 'emandate', {}, { max_amount: 1_00_00_000_00 + 1 }],
      ['a cap that is no whole number', 'upi', {}, { max_amount: 1500.5 }],
      ['a UPI mandate of more than 30 years', 'upi', {}, { expire_at: nowSeconds() + 32 * 366 * daySeconds }],
      ['an eMandate of more than 40 years', 'emandate', {}, { expire_at: nowSeconds() + 42 * 366 * daySeconds }],
      ['a mandate that has expired', 'upi', {}, { expire_at: nowSeconds() - daySeconds }],
      ['a frequency that it does not know', 'upi', {}, { frequency: 'sometimes' }],
      ['a method that it does not know', 'upi', {}, { method: 'barter' }],
      ['a way to authenticate that it does not know', 'emandate', {}, { auth_type: 'handshake' }],
      ['an eMandate without an account', 'emandate', {}, { bank_account: null }],
      [
        'a wrong IFSC',
        'emandate',
        {},
        { bank_account: { beneficiary_name: 'Asha Rao', account_number: '1121431121', ifsc_code: 'HDFC1' } },
      ],
      [
        'a name of three letters',
        'emandate',
        {},
        { bank_account: { beneficiary_name: 'Ann', account_number: '1121431121', ifsc_code: 'HDFC0000001' } },
      ],
      ['a link without an email address', 'upi', { customer: { name: 'Asha Rao', contact: '+919000000001' } }, {}],
      ['another currency than the rupee', 'upi', { currency: 'USD' }, {}],
      ['another type than a link', 'upi', { type: 'parcel' }, {}],
      ['a link that has expired', 'upi', { expire_by: nowSeconds() - 60 }, {}],
      ['a receipt of more than 40 letters', 'upi', { receipt: 'x'.repeat(41) }, {}],
      ['notes of more than 255 letters', 'upi', { notes: { a: 'x'.repeat(513) } }, {}],
    ] as const
  ).map(refusalCase),
  [
    'creates a customer, and another of the same addresses only as the same',
    async (provider) => {
      const customer = person(provider.reference())
      const made = await provider.client.customers.create(customer as never)
      expect(made).toMatchObject({ id: expect.stringMatching(/^cust_/), entity: 'customer', ...customer, created_at: number })
      await expect(provider.client.customers.create(customer as never)).rejects.toMatchObject({ statusCode: 400 })
      const again = await provider.client.customers.create({ ...customer, fail_existing: 0 } as never)
      expect(again.id).toBe(made.id)
    },
  ],
  [
    'edits a customer',
    async (provider) => {
      const { id } = await provider.client.customers.create(person(provider.reference()) as never)
      expect(await provider.client.customers.edit(id, { name: 'Asha R' } as never)).toMatchObject({ id, name: 'Asha R' })
    },
  ],
  [
    'lists no tokens of a new customer',
    async (provider) => {
      const { id } = await provider.client.customers.create(person(provider.reference()) as never)
      expect(await provider.client.customers.fetchTokens(id)).toMatchObject({ entity: 'collection', count: 0, items: [] })
    },
  ],
  [
    'answers 400 to customers and tokens that it does not know',
    async (provider) => {
      const { id } = await provider.client.customers.create(person(provider.reference()) as never)
      expect(await provider.call('GET', '/customers/cust_AAAAAAAAAAAAAA')).toMatchObject(unknownId)
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['PUT', '/cancel'],
      ] as const) {
        expect(await provider.call(method, `/customers/${id}/tokens/token_AAAAAAAAAAAAAA${path}`)).toMatchObject({ status: 400 })
      }
    },
  ],
  [
    'creates the order of a debit',
    async (provider) => {
      const { status, body } = await order(provider, { payment_capture: true, notes: { kind: 'EMI' } })
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          id: expect.stringMatching(/^order_/),
          entity: 'order',
          amount: 850_000,
          amount_due: 850_000,
          status: 'created',
          attempts: 0,
        },
      })
      expect(body).not.toHaveProperty('notification')
      expect(await provider.call('GET', `/orders/${String(body['id'])}`)).toMatchObject({
        body: { id: body['id'], notes: { kind: 'EMI' } },
      })
    },
  ],
  [
    'finds orders by their receipt, newest first, and none by an unknown one',
    async (provider) => {
      const receipt = provider.reference()
      const [one, other] = [await order(provider, { receipt }), await order(provider, { receipt })]
      const found = async (asked: string): Promise<unknown[]> =>
        ((await provider.call('GET', `/orders?receipt=${asked}`)).body['items'] as Json[]).map(({ id }) => id)
      expect(await found(receipt)).toEqual([other.body['id'], one.body['id']])
      expect(await found(provider.reference())).toEqual([])
    },
  ],
  [
    'refuses an order of less than a rupee',
    async (provider) => {
      expect(await order(provider, { amount: 99 })).toMatchObject({ status: 400 })
      expect(await order(provider, { amount: 100.5 })).toMatchObject({ status: 400 })
    },
  ],
  [
    'refuses to announce a debit of a mandate that it does not know',
    async (provider) => {
      const notification = { token_id: 'token_AAAAAAAAAAAAAA', payment_after: nowSeconds() + 2 * daySeconds }
      expect(await order(provider, { notification })).toMatchObject({ status: 400 })
    },
  ],
  [
    'refuses a recurring payment whose order, customer or mandate it does not know',
    async (provider) => {
      expect(await debit(provider)).toMatchObject(unknownId)
      const known = await order(provider)
      expect(await debit(provider, { order_id: known.body['id'] })).toMatchObject({ status: 400 })
    },
  ],
  [
    'refuses a recurring payment without an email address',
    async (provider) => {
      expect(await debit(provider, { email: undefined })).toMatchObject({ status: 400 })
    },
  ],
  [
    'refuses a recurring payment in another currency',
    async (provider) => {
      expect(await debit(provider, { currency: 'USD' })).toMatchObject({ status: 400 })
    },
  ],
  [
    'wants the key for each of these calls',
    async ({ call }) => {
      const authorization = 'Basic eDp5'
      for (const [method, path] of [
        ['POST', '/subscription_registration/auth_links'],
        ['GET', '/invoices'],
        ['GET', '/customers'],
        ['GET', '/orders'],
        ['POST', '/payments/create/recurring'],
      ] as const) {
        expect(await call(method, path, method === 'POST' ? {} : undefined, { authorization })).toMatchObject({ status: 401 })
      }
    },
  ],
  [
    'refuses by the official client as by HTTP',
    async (provider) => {
      const wrong = provider.client.invoices.fetch('inv_AAAAAAAAAAAAAA')
      await expect(wrong).rejects.toMatchObject(refusal(400, 'The id provided does not exist'))
    },
  ],
]

describe('recurring payments at the provider', () => {
  it.each(sharedCases)('%s', async (_title, run) => run(provider))

  const runnable = real ? [] : sandboxCases
  it.each(runnable.map(([, title, run, more]) => [title, run, more ?? {}] as const))('%s', async (_title, run, { options, at }) => {
    const stage = await Stage.start(options, at ?? startInIndia)
    try {
      await run(stage)
    } finally {
      await stage.close()
    }
  })

  it('has at least sixty cases', () => {
    expect(new Set([...sharedCases.map(([title]) => title), ...sandboxCases.map(([, title]) => title)]).size).toBe(
      sharedCases.length + sandboxCases.length,
    )
    expect(sharedCases.length + sandboxCases.length).toBeGreaterThanOrEqual(60)
  })
})
