import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { paise } from '#domain/money.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { razorpayGateway } from './razorpay.ts'
import { createRecurringCalls } from './razorpay-recurring.ts'
import type { PaymentGateway } from './payment-gateway.ts'

/** The adapter alone, by the official SDK, against the sandbox and its faults. */

let app: App
let gateway: PaymentGateway
/** For the faults that leave it without an answer. */
let gatewayWithShortTimeout: PaymentGateway
beforeAll(async () => {
  app = await startApp(inject('cluster'))
  const options = { ...app.context.config.razorpay, baseUrl: app.sandboxUrl }
  gateway = razorpayGateway({ ...options, timeoutMs: 60_000 })
  gatewayWithShortTimeout = razorpayGateway({ ...options, timeoutMs: 400 })
})
afterEach(() => app.sandbox('/faults', { clear: true }))
afterAll(() => app.close())

const idOf = (prefix: string) => `${prefix}_Kist0000000001`
let references = 0
const newReference = (prefix: 'KM' | 'KC') => `${prefix}${String((references += 1)).padStart(32, '0')}`
const customer = { email: 'meera@example.in', phone: '+919700000001' }
const registration = (reference = newReference('KM')) => ({
  reference,
  customer: { ...customer, name: 'Meera Joshi' },
  method: 'upi' as const,
  authType: null,
  account: null,
  maximumPaise: paise(600_000n),
  description: 'Loan instalments',
  expiresAt: new Date(app.clock.now().getTime() + 3_600_000),
  endsAt: new Date(app.clock.now().getTime() + 365 * 86_400_000),
})
const order = (reference = newReference('KC')) => ({ reference, amountPaise: paise(470_800n), notification: null, namesToken: false })
const debit = {
  orderId: idOf('order'),
  tokenId: idOf('token'),
  customerId: idOf('cust'),
  customer,
  amountPaise: paise(470_800n),
  reference: 'KC1',
  description: 'Loan instalment',
}

/** Every call, with the name of its fault, and its answer for an id that the provider lacks. */
const calls: readonly [fault: string, ask: (gateway: PaymentGateway) => Promise<{ kind: string }>, ofUnknownId: string][] = [
  ['registration_create', (gateway) => gateway.createRegistration(registration()), 'created'],
  ['invoices', (gateway) => gateway.findRegistration(newReference('KM')), 'absent'],
  ['invoice', (gateway) => gateway.fetchRegistration(idOf('inv')), 'absent'],
  ['invoice_cancel', (gateway) => gateway.cancelRegistration(idOf('inv')), 'refused'],
  ['token', (gateway) => gateway.fetchToken(idOf('cust'), idOf('token')), 'absent'],
  ['token_cancel', (gateway) => gateway.endToken('upi', idOf('cust'), idOf('token')), 'absent'],
  ['token_delete', (gateway) => gateway.endToken('emandate', idOf('cust'), idOf('token')), 'absent'],
  ['order_create', (gateway) => gateway.createDebitOrder(order()), 'created'],
  ['orders', (gateway) => gateway.findDebitOrder(newReference('KC')), 'absent'],
  ['order', (gateway) => gateway.fetchDebitOrder(idOf('order')), 'absent'],
  ['recurring', (gateway) => gateway.requestDebit(debit), 'refused'],
  ['order_payments', (gateway) => gateway.debitsOfOrder(idOf('order')), 'absent'],
  ['payment', (gateway) => gateway.fetchDebit(idOf('pay')), 'absent'],
  ['disputes', (gateway) => gateway.listDisputes(), 'found'],
]
it('reads every page of disputes', async () => {
  const all = Array.from({ length: 205 }, (_, index) => ({
    id: `disp_${index}`,
    payment_id: `pay_${index}`,
    amount: 100,
    status: index === 204 ? 'lost' : 'open',
    reason_code: null,
  }))
  const get = async ({ data: { count, skip } }: { data: { count: number; skip: number } }) => ({ items: all.slice(skip, skip + count) })
  const outcome = await createRecurringCalls({ api: { get } } as never).listDisputes()
  expect(outcome).toMatchObject({ kind: 'found', disputes: { length: 205 } })
  expect(outcome.kind === 'found' && outcome.disputes.filter(({ isLost }) => isLost).map(({ paymentId }) => paymentId)).toEqual(['pay_204'])
})

const faults = [
  { kind: 'timeout_before' },
  { kind: 'timeout_after' },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429 },
  { kind: 'reset' },
  { kind: 'reset_after' },
  { kind: 'malformed_json' },
]

describe.each(calls)('%s', (call, ask, ofUnknownId) => {
  it.each(faults)('is unknown after %o', async (fault) => {
    await app.sandbox('/faults', { call, ...fault, times: 'forever' })
    const leavesNoAnswer = fault.kind.startsWith('timeout')
    expect(await ask(leavesNoAnswer ? gatewayWithShortTimeout : gateway)).toMatchObject({ kind: 'unknown', reason: expect.any(String) })
  })
  it(`is ${ofUnknownId} without a fault`, async () => {
    expect(await ask(gateway)).toMatchObject({ kind: ofUnknownId })
  })
})

it('finds what a call made whose answer was lost, by its reference', async () => {
  const [page, debited] = [newReference('KM'), newReference('KC')]
  await app.sandbox('/faults', { call: 'registration_create', kind: 'timeout_after' })
  expect(await gatewayWithShortTimeout.createRegistration(registration(page))).toMatchObject({ kind: 'unknown' })
  // A busy provider makes it after the timeout.
  const found = await until(async () => {
    const outcome = await gateway.findRegistration(page)
    return outcome.kind === 'found' ? outcome : null
  })
  expect(found).toMatchObject({ registration: { reference: page, status: 'issued' } })
  await app.sandbox('/faults', { call: 'order_create', kind: 'reset_after' })
  expect(await gateway.createDebitOrder(order(debited))).toMatchObject({ kind: 'unknown' })
  expect(await gateway.findDebitOrder(debited)).toMatchObject({ kind: 'found', order: { reference: debited, amountPaise: 470_800n } })
})

it('sends no id that is not one of the provider', async () => {
  for (const id of ['../payments', 'inv_1/cancel', '', 'pay_Kist0000000001'])
    expect(await gateway.fetchRegistration(id)).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('Not a inv id') })
})
