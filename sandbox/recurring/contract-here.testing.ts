import { expect } from 'vitest'
import { refused } from '../contract-support.testing.ts'
import type { SandboxOptions } from '../sandbox.ts'
import { DAY_S, type Json, type Stage } from './stage.testing.ts'

/**
 * Cases of the contract that only the sandbox runs: why, title, the case itself, and the sandbox's
 * settings and its first moment in India where they matter.
 */
type HereCase = readonly [
  why: string,
  title: string,
  run: (stage: Stage) => Promise<void>,
  more?: { readonly options?: Partial<SandboxOptions>; readonly at?: string },
]

const PERSON = 'a mandate is approved by a person, in a UPI app or on the page of a bank'
const DAYS = 'the answer comes after a day or more'
const ORDERED = 'test mode has no call that orders this outcome'

const REGISTERED = ['payment.authorized', 'payment.captured', 'order.paid', 'invoice.paid']

const REGISTRATIONS: readonly HereCase[] = [
  [
    PERSON,
    'confirms a UPI mandate when the customer approves',
    async (stage) => {
      const link = await stage.register('upi')
      const { token } = await stage.control(`/registrations/${link.id}/approve`)
      expect(token).toMatchObject({
        id: expect.stringMatching(/^token_[A-Za-z0-9]{14}$/),
        entity: 'token',
        method: 'upi',
        vpa: { username: expect.any(String), handle: expect.any(String), name: null },
        recurring: true,
        recurring_details: { status: 'confirmed', failure_reason: null },
        max_amount: 1_500_000,
      })
      const paid = await stage.made('GET', `/invoices/${link.id}`)
      expect(paid).toMatchObject({ status: 'paid', amount_paid: 100, amount_due: 0, payment_id: expect.stringMatching(/^pay_/) })
      expect(await stage.payment(String(paid['payment_id']))).toMatchObject({
        status: 'captured',
        amount: 100,
        method: 'upi',
        invoice_id: link.id,
        order_id: link['order_id'],
        customer_id: link['customer_id'],
        token_id: token?.id,
        fee: 0,
        acquirer_data: { rrn: expect.stringMatching(/^\d{12}$/) },
      })
      expect(await stage.made('GET', `/orders/${link['order_id']}`)).toMatchObject({ status: 'paid', receipt: link['receipt'] })
    },
  ],
  [
    PERSON,
    'tells a UPI registration in the events and with the contents of the samples',
    async (stage) => {
      await stage.mandate('upi')
      await stage.expectEvents(['token.confirmed', ...REGISTERED])
      expect(Object.fromEntries(stage.listEvents().map(({ event, contains }) => [event, contains]))).toEqual({
        'token.confirmed': ['token'],
        'payment.authorized': ['payment'],
        'payment.captured': ['payment'],
        'order.paid': ['payment', 'order'],
        'invoice.paid': ['payment', 'order', 'invoice'],
      })
    },
  ],
  [
    DAYS,
    'sends the rupee of a UPI registration back by itself',
    async (stage) => {
      const link = await stage.register('upi')
      await stage.control(`/registrations/${link.id}/approve`)
      const { payment_id } = await stage.made('GET', `/invoices/${link.id}`)
      await stage.advance(120)
      await stage.advance(60)
      expect(await stage.payment(String(payment_id))).toMatchObject({ status: 'refunded', amount_refunded: 100 })
      const refunds = await stage.made('GET', `/payments/${payment_id}/refunds`)
      expect(refunds).toMatchObject({ count: 1, items: [{ amount: 100, status: 'processed' }] })
    },
  ],
  [
    PERSON,
    'rejects the token when the customer declines, and leaves the link open',
    async (stage) => {
      const link = await stage.register('upi')
      const { token } = await stage.control(`/registrations/${link.id}/decline`)
      expect(token).toMatchObject({ recurring_details: { status: 'rejected', failure_reason: expect.any(String) } })
      await stage.expectEvents(['token.rejected', 'payment.failed'])
      expect(await stage.made('GET', `/invoices/${link.id}`)).toMatchObject({ status: 'issued', payment_id: null })
      const { items } = await stage.made('GET', `/orders/${link['order_id']}/payments`)
      expect(items).toMatchObject([{ status: 'failed', error_reason: 'payment_declined', token_id: token?.id }])
      await stage.control(`/registrations/${link.id}/approve`)
      expect(await stage.made('GET', `/invoices/${link.id}`)).toMatchObject({ status: 'paid' })
    },
  ],
  [
    ORDERED,
    'fails the first payment for an ordered reason',
    async (stage) => {
      const link = await stage.register('upi')
      await stage.control(`/registrations/${link.id}/decline`, { reason: 'upi_dummy_payment' })
      const { payload } = await stage.event('payment.failed')
      expect(payload['payment']?.['entity']).toMatchObject({ error_reason: 'upi_dummy_payment' })
    },
  ],
  [
    PERSON,
    'takes one approval',
    async (stage) => {
      const { id } = await stage.register('upi')
      await stage.control(`/registrations/${id}/approve`)
      expect(await stage.controlStatus(`/registrations/${id}/approve`)).toBe(409)
      expect(await stage.controlStatus(`/registrations/${id}/decline`)).toBe(409)
    },
  ],
  [
    DAYS,
    'expires a registration link and tells of it',
    async (stage) => {
      const { id } = await stage.register('upi', { expire_by: (await stage.now()) + 1800 })
      await stage.advance(1801)
      expect((await stage.event('invoice.expired')).contains).toEqual(['invoice'])
      expect(await stage.made('GET', `/invoices/${id}`)).toMatchObject({
        status: 'expired',
        expired_at: expect.any(Number),
        payment_id: null,
      })
      expect(await stage.controlStatus(`/registrations/${id}/approve`)).toBe(409)
      expect(await stage.call('POST', `/invoices/${id}/cancel`)).toMatchObject({ status: 400 })
    },
  ],
  [
    PERSON,
    'takes no approval of a cancelled link, and tells nobody of the cancellation',
    async (stage) => {
      const { id } = await stage.register('upi')
      await stage.made('POST', `/invoices/${id}/cancel`)
      expect(await stage.controlStatus(`/registrations/${id}/approve`)).toBe(409)
      expect(stage.listEvents()).toEqual([])
    },
  ],
  [
    PERSON,
    'does not cancel a paid registration link',
    async (stage) => {
      const { id } = await stage.register('upi')
      await stage.control(`/registrations/${id}/approve`)
      expect(await stage.call('POST', `/invoices/${id}/cancel`)).toMatchObject({ status: 400 })
      expect(await stage.made('GET', `/invoices/${id}`)).toMatchObject({ status: 'paid' })
    },
  ],
  [
    PERSON,
    'takes an eMandate’s first payment of nothing, without a reference of the bank',
    async (stage) => {
      const link = await stage.register('emandate')
      const { token } = await stage.control(`/registrations/${link.id}/approve`)
      await stage.expectEvents(REGISTERED)
      const { payload } = await stage.event('invoice.paid')
      expect(payload['payment']?.['entity']).toMatchObject({
        amount: 0,
        status: 'captured',
        method: 'emandate',
        bank: 'HDFC',
        acquirer_data: {},
      })
      expect(payload['order']?.['entity']).toMatchObject({ token: { bank_account: { account_number: 'XXXXXXXXXXXX1121' } } })
      expect(token).toMatchObject({
        method: 'emandate',
        auth_type: 'netbanking',
        recurring_details: { status: 'initiated' },
        bank_details: { beneficiary_name: 'Asha Rao', account_number: '1121431121541121', ifsc: 'HDFC0000001', account_type: 'savings' },
      })
    },
  ],
  [
    DAYS,
    'confirms an eMandate on the next working day',
    async (stage) => {
      const token = await stage.mandate('emandate')
      await stage.advanceTo('2026-11-25T09:59')
      expect(await stage.statusOf(token)).toBe('initiated')
      await stage.advanceTo('2026-11-25T10:01')
      expect(await stage.statusOf(token)).toBe('confirmed')
      expect((await stage.event('token.confirmed')).payload['token']?.['entity']).toMatchObject({ id: token.id })
    },
    // The day after is a bank holiday.
    { at: '2026-11-23T15:00' },
  ],
  [
    ORDERED,
    'rejects an eMandate at the bank',
    async (stage) => {
      const token = await stage.mandate('emandate')
      await stage.control(`/mandates/${token.id}/reject`)
      const { payload } = await stage.event('token.rejected')
      expect(payload['token']?.['entity']).toMatchObject({
        recurring: false,
        recurring_details: { status: 'rejected', failure_reason: 'Rejected by bank' },
      })
      await stage.advance(3 * DAY_S)
      expect(await stage.statusOf(token)).toBe('rejected')
    },
  ],
]

const TOKENS: readonly HereCase[] = [
  [
    PERSON,
    'lists eMandates of a customer, and no UPI mandates',
    async (stage) => {
      const [upi, enach] = [await stage.mandate('upi'), await stage.mandate('emandate')]
      const customer = await stage.customerOf(upi)
      const { items } = await stage.made('GET', `/customers/${customer}/tokens`)
      expect((items as Json[]).map(({ id }) => id)).toEqual([enach.id])
      expect(await stage.token(upi)).toMatchObject({ id: upi.id })
    },
  ],
  [
    PERSON,
    'lists UPI mandates where the account saves UPI ids',
    async (stage) => {
      const upi = await stage.mandate('upi')
      expect(await stage.made('GET', `/customers/${await stage.customerOf(upi)}/tokens`)).toMatchObject({
        count: 1,
        items: [{ id: upi.id }],
      })
    },
    { options: { listUpiTokens: true } },
  ],
  [
    DAYS,
    'does not list an expired mandate',
    async (stage) => {
      const token = await stage.mandate('emandate', { expire_at: (await stage.now()) + DAY_S })
      await stage.advance(2 * DAY_S)
      expect(await stage.made('GET', `/customers/${await stage.customerOf(token)}/tokens`)).toMatchObject({ count: 0 })
    },
  ],
  [
    PERSON,
    'tells a pause and a resumption in the UPI app',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control(`/mandates/${token.id}/pause`)
      expect((await stage.event('token.paused')).payload['token']?.['entity']).toMatchObject({ recurring_details: { status: 'paused' } })
      expect(await stage.statusOf(token)).toBe('paused')
      await stage.control(`/mandates/${token.id}/resume`)
      expect((await stage.event('token.resumed')).payload['token']?.['entity']).toMatchObject({ recurring_details: { status: 'resumed' } })
      expect(await stage.statusOf(token)).toBe('confirmed')
    },
  ],
  [
    PERSON,
    'tells a cancellation by the customer',
    async (stage) => {
      for (const method of ['upi', 'emandate'] as const) {
        const token = await stage.confirmedMandate(method)
        stage.forgetEvents()
        await stage.control(`/mandates/${token.id}/cancel`)
        expect((await stage.event('token.cancelled')).payload['token']?.['entity']).toMatchObject({ id: token.id })
        expect(await stage.statusOf(token)).toBe('cancelled')
      }
    },
  ],
  [
    PERSON,
    'begins to cancel a UPI mandate, and tells when NPCI has ended it',
    async (stage) => {
      const token = await stage.mandate('upi')
      const path = `/customers/${await stage.customerOf(token)}/tokens/${token.id}/cancel`
      expect(await stage.made('PUT', path)).toEqual({ status: 'cancellation_initiated' })
      expect(await stage.statusOf(token)).toBe('cancellation_initiated')
      expect(await stage.call('PUT', path)).toMatchObject({ status: 400 })
      await stage.advance(61)
      await stage.event('token.cancelled')
      expect(await stage.statusOf(token)).toBe('cancelled')
    },
  ],
  [
    PERSON,
    'cancels a paused mandate, but no ended one',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control(`/mandates/${token.id}/pause`)
      const path = `/customers/${await stage.customerOf(token)}/tokens/${token.id}/cancel`
      expect(await stage.call('PUT', path)).toMatchObject({ status: 200 })
      await stage.advance(61)
      expect(await stage.call('PUT', path)).toMatchObject({ status: 400 })
    },
  ],
  [
    DAYS,
    'cancels an eMandate by deletion, on the next working day',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const path = `/customers/${await stage.customerOf(token)}/tokens/${token.id}`
      expect(await stage.call('PUT', `${path}/cancel`)).toMatchObject({ status: 400 })
      expect(await stage.made('DELETE', path)).toEqual({ deleted: true })
      expect(await stage.statusOf(token)).toBe('confirmed')
      await stage.advanceTo('2026-11-26T10:01')
      await stage.event('token.cancelled')
      expect(await stage.statusOf(token)).toBe('cancelled')
    },
  ],
  [
    PERSON,
    'forgets a deleted UPI mandate, which stays active in the app',
    async (stage) => {
      const token = await stage.mandate('upi')
      const path = `/customers/${await stage.customerOf(token)}/tokens/${token.id}`
      const order = await stage.announced(token)
      expect(await stage.made('DELETE', path)).toEqual({ deleted: true })
      expect(await stage.call('GET', path)).toMatchObject({ status: 400 })
      expect(await stage.call('POST', '/payments/create/recurring', await stage.debitRequest(order, token))).toMatchObject({ status: 400 })
      await stage.advance(3 * DAY_S)
      const { tokens } = (await stage.bench.state()) as unknown as { tokens: Json[] }
      expect(tokens).toMatchObject([{ id: token.id, status: 'confirmed', is_deleted: true }])
    },
  ],
  [
    PERSON,
    'pauses no eMandate, and confirms no mandate twice',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      expect(await stage.controlStatus(`/mandates/${token.id}/pause`)).toBe(409)
      expect(await stage.controlStatus(`/mandates/${token.id}/confirm`)).toBe(409)
      expect(await stage.controlStatus('/mandates/token_AAAAAAAAAAAAAA/confirm')).toBe(404)
    },
  ],
  [
    PERSON,
    'knows a mandate only by its own customer',
    async (stage) => {
      const token = await stage.mandate('upi')
      const customer = { name: 'Ravi', email: 'ravi@example.in', contact: '+919000000002' }
      const { id } = await stage.made('POST', '/customers', customer)
      expect(await stage.call('GET', `/customers/${id}/tokens/${token.id}`)).toMatchObject(refused('The id provided does not exist'))
      const order = await stage.announced(token)
      const request = await stage.debitRequest(order, token, { customer_id: id })
      expect(await stage.call('POST', '/payments/create/recurring', request)).toMatchObject({ status: 400 })
    },
  ],
]

const NOTIFICATIONS: readonly HereCase[] = [
  [
    PERSON,
    'delivers a pre-debit notification, with its time inside the payload',
    async (stage) => {
      const token = await stage.mandate('upi')
      const payment_after = (await stage.now()) + 2 * DAY_S
      const order = await stage.order(token, {}, payment_after)
      expect(order['notification']).toEqual({ token_id: token.id, payment_after, id: expect.stringMatching(/^notification_/) })
      await stage.advance(60)
      const { payload, ...envelope } = await stage.event('order.notification.delivered')
      const delivered_at = expect.any(Number) as number
      expect(payload).toMatchObject({
        notification: {
          entity: { entity: 'notification', order_id: order.id, token_id: token.id, status: 'delivered', delivered_at, payment_after },
        },
        created_at: expect.any(Number),
      })
      expect(envelope).not.toHaveProperty('created_at')
      expect(await stage.made('GET', `/orders/${order.id}`)).toMatchObject({ notification: { status: 'delivered', delivered_at } })
    },
  ],
  [
    ORDERED,
    'fails a pre-debit notification',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control('/notifications/next', { outcome: 'failed' })
      const order = await stage.order(token)
      await stage.advance(60)
      const { payload } = await stage.event('order.notification.failed')
      expect(payload['notification']?.['entity']).toMatchObject({ order_id: order.id, status: 'failed', delivered_at: null })
    },
  ],
  [
    ORDERED,
    'delivers a pre-debit notification late',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control('/notifications/next', { outcome: 'late' })
      const order = await stage.order(token)
      const statusOf = async (): Promise<unknown> => (await stage.made('GET', `/orders/${order.id}`))['notification']
      await stage.advance(DAY_S)
      expect(await statusOf()).toMatchObject({ status: 'pending', delivered_at: null })
      await stage.advance(DAY_S)
      expect(await statusOf()).toMatchObject({ status: 'delivered' })
    },
  ],
  [
    PERSON,
    'does not announce a debit of a paused mandate',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control(`/mandates/${token.id}/pause`)
      await stage.order(token)
      await stage.advance(60)
      await stage.event('order.notification.failed')
    },
  ],
  [
    PERSON,
    'refuses to announce more than the cap, in the published words',
    async (stage) => {
      const token = await stage.mandate('upi')
      const notification = { token_id: token.id, payment_after: (await stage.now()) + 2 * DAY_S }
      expect(await stage.call('POST', '/orders', { amount: 1_500_001, currency: 'INR', notification })).toMatchObject(
        refused('The order amount cannot be greater than the token max amount for upi recurring.'),
      )
    },
  ],
  [
    PERSON,
    'refuses to announce a debit in the past',
    async (stage) => {
      const token = await stage.mandate('upi')
      const notification = { token_id: token.id, payment_after: (await stage.now()) - 1 }
      expect(await stage.call('POST', '/orders', { amount: 1000, currency: 'INR', notification })).toMatchObject({ status: 400 })
    },
  ],
  [
    PERSON,
    'takes the mandate at the top of an order',
    async (stage) => {
      const token = await stage.mandate('upi')
      expect(await stage.order(token, { token_id: token.id })).toMatchObject({ entity: 'order' })
    },
  ],
  [
    PERSON,
    'refuses the mandate at the top of an order at some accounts',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = { amount: 1000, currency: 'INR', token_id: token.id }
      expect(await stage.call('POST', '/orders', order)).toMatchObject({ status: 400, body: { error: { field: 'token_id' } } })
    },
    { options: { refuseOrderTokenId: true } },
  ],
]

const announcedDebit = async (stage: Stage): Promise<{ token: Json; order: Json; id: string }> => {
  const token = await stage.mandate('upi')
  const order = await stage.announced(token)
  await stage.expectEvents(['token.confirmed', ...REGISTERED, 'order.notification.delivered'])
  stage.forgetEvents()
  return { token, order, id: await stage.debit(order, token) }
}

const DEBITS: readonly HereCase[] = [
  [
    DAYS,
    'captures a debit a little later, and tells it in two events',
    async (stage) => {
      const { token, order, id } = await announcedDebit(stage)
      expect(await stage.payment(id)).toMatchObject({
        status: 'created',
        captured: false,
        order_id: order.id,
        token_id: token.id,
        invoice_id: null,
      })
      await stage.advance(60)
      // 2 % of 8,50,000 paise is 17,000, with 18 % GST on it.
      expect(await stage.payment(id)).toMatchObject({
        status: 'captured',
        captured: true,
        amount: 850_000,
        fee: 20_060,
        tax: 3060,
        customer_id: await stage.customerOf(token),
        description: 'EMI of December 2026',
        acquirer_data: { rrn: expect.stringMatching(/^\d{12}$/) },
      })
      expect(await stage.made('GET', `/orders/${order.id}`)).toMatchObject({ status: 'paid', amount_paid: 850_000, attempts: 1 })
      await stage.expectEvents(['payment.captured', 'order.paid'])
    },
  ],
  [
    DAYS,
    'lists the payments of a debit’s order',
    async (stage) => {
      const { order, id } = await announcedDebit(stage)
      expect(await stage.made('GET', `/orders/${order.id}/payments`)).toMatchObject({ count: 1, items: [{ id }] })
    },
  ],
  [
    DAYS,
    'fails a debit whose notification was not delivered',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control('/notifications/next', { outcome: 'failed' })
      const id = await stage.debit(await stage.announced(token), token)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'pre_debit_notification_failed' })
    },
  ],
  [
    DAYS,
    'fails a debit less than a day after its notification',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = await stage.order(token, {}, (await stage.now()) + 3600)
      await stage.advance(23 * 3600)
      const id = await stage.debit(order, token)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'pre_debit_notification_failed' })
    },
  ],
  [
    DAYS,
    'waits for the announced time of a debit',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = await stage.order(token, {}, (await stage.now()) + 2 * DAY_S)
      await stage.advance(2 * DAY_S - 3600)
      const id = await stage.debit(order, token)
      await stage.advance(3500)
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advance(200)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    DAYS,
    'runs UPI debits in the hours of NPCI',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = await stage.announced(token)
      await stage.advanceTo('2026-11-27T11:00')
      const id = await stage.debit(order, token)
      await stage.advanceTo('2026-11-27T12:59')
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advanceTo('2026-11-27T13:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    DAYS,
    'announces by itself what the merchant has not, and debits after 25 hours',
    async (stage) => {
      const token = await stage.mandate('upi')
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advance(24 * 3600)
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advance(2 * 3600)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    ORDERED,
    'fails debits for lack of money, unless another reason is ordered',
    async (stage) => {
      const token = await stage.mandate('upi')
      const asked = [null, 'bank_technical_error', 'debit_instrument_blocked', 'umn_does_not_exist_payer', 'a_new_reason']
      for (const reason of asked) await stage.control('/debits/next', { outcome: 'failure', reason })
      const orders = [
        await stage.order(token),
        await stage.order(token),
        await stage.order(token),
        await stage.order(token),
        await stage.announced(token),
      ]
      const ids: string[] = []
      for (const order of orders) ids.push(await stage.debit(order, token))
      await stage.advance(60)
      const found = await Promise.all(ids.map((id) => stage.payment(id)))
      expect(found.map((payment) => payment['error_reason'])).toEqual(['insufficient_funds', ...asked.slice(1)])
      expect(found).toMatchObject(
        ids.map(() => ({ status: 'failed', captured: false, error_code: expect.any(String), error_step: expect.any(String) })),
      )
      expect(await stage.made('GET', `/orders/${orders[0]?.id}`)).toMatchObject({ status: 'attempted', amount_paid: 0 })
    },
  ],
  [
    ORDERED,
    'captures a debit that has failed before',
    async (stage) => {
      await stage.control('/debits/next', { outcome: 'late_success', after_seconds: 7200 })
      const { order, id } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'payment_timed_out' })
      expect(await stage.made('GET', `/orders/${order.id}`)).toMatchObject({ status: 'attempted' })
      await stage.advance(7200)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured', error_reason: null })
      expect(await stage.made('GET', `/orders/${order.id}`)).toMatchObject({ status: 'paid' })
      await stage.expectEvents(['payment.failed', 'payment.captured', 'order.paid'])
    },
  ],
  [
    ORDERED,
    'answers late',
    async (stage) => {
      await stage.control('/debits/next', { outcome: 'success', after_seconds: 7200 })
      const { id } = await announcedDebit(stage)
      await stage.advance(7000)
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advance(400)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    ORDERED,
    'takes a captured debit back as a lost dispute',
    async (stage) => {
      await stage.control('/debits/next', { outcome: 'success_then_return', after_seconds: 3600 })
      const { id } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
      await stage.advance(3600)
      expect(await stage.made('GET', '/disputes')).toMatchObject({
        count: 1,
        items: [{ payment_id: id, amount: 850_000, amount_deducted: 850_000, status: 'lost', reason_code: 'debit_returned' }],
      })
      await stage.expectEvents(['payment.captured', 'order.paid', 'payment.dispute.created', 'payment.dispute.lost'])
    },
  ],
  [
    ORDERED,
    'captures another amount than the asked one',
    async (stage) => {
      await stage.control('/debits/next', { outcome: 'success', amount: 849_900 })
      const { id } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured', amount: 849_900 })
    },
  ],
  [
    ORDERED,
    'keeps an ordered outcome for the debit with its receipt',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control('/debits/next', { outcome: 'failure', receipt: 'KC-2' })
      const [one, two] = [await stage.order(token, { receipt: 'KC-1' }), await stage.announced(token, { receipt: 'KC-2' })]
      const ids = [await stage.debit(one, token), await stage.debit(two, token)]
      await stage.advance(60)
      expect((await Promise.all(ids.map((id) => stage.payment(id)))).map(({ status }) => status)).toEqual(['captured', 'failed'])
    },
  ],
  [
    PERSON,
    'fails a debit of a mandate that the customer pauses meanwhile',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = await stage.announced(token)
      await stage.control(`/mandates/${token.id}/pause`)
      const id = await stage.debit(order, token)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'mandate_paused' })
    },
  ],
  [
    PERSON,
    'tells both the cancellation and the failed debit',
    async (stage) => {
      const { token, id } = await announcedDebit(stage)
      await stage.control(`/mandates/${token.id}/cancel`)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'mandate_cancelled' })
      await stage.expectEvents(['token.cancelled', 'payment.failed'])
    },
  ],
  [
    DAYS,
    'fails a debit of an expired mandate',
    async (stage) => {
      const token = await stage.mandate('upi', { expire_at: (await stage.now()) + DAY_S })
      const id = await stage.debit(await stage.announced(token), token)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'mandate_expired' })
    },
  ],
  [
    DAYS,
    'takes no second payment on a paid order',
    async (stage) => {
      const { token, order } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.call('POST', '/payments/create/recurring', await stage.debitRequest(order, token))).toMatchObject({ status: 400 })
    },
  ],
  [
    DAYS,
    'debits an order once, when two payments are asked for at the same time',
    async (stage) => {
      const { token, order, id } = await announcedDebit(stage)
      const second = await stage.debit(order, token)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
      expect(await stage.payment(second)).toMatchObject({ status: 'refunded', captured: false, amount_refunded: 850_000 })
    },
  ],
  [
    PERSON,
    'refuses a debit of another amount than its order, or above the cap',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = await stage.order(token)
      const ask = async (amount: number): Promise<unknown> =>
        stage.call('POST', '/payments/create/recurring', await stage.debitRequest(order, token, { amount }))
      expect(await ask(849_999)).toMatchObject({ status: 400 })
      expect(await ask(1_500_001)).toMatchObject(refused('Amount exceeds maximum amount allowed'))
      expect(await ask(99)).toMatchObject(refused('The amount must be at least INR 1.00.'))
    },
  ],
  [
    DAYS,
    'refunds a debit, and settles it under the receipt of its order',
    async (stage) => {
      const { order, id } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.made('POST', `/payments/${id}/refund`, { amount: 50_000 })).toMatchObject({ payment_id: id, amount: 50_000 })
      const { items } = await stage.control('/settle')
      expect(items).toContainEqual(
        expect.objectContaining({ entity_id: id, type: 'payment', order_receipt: order['receipt'], amount: 850_000 }),
      )
    },
  ],
  [
    DAYS,
    'does not settle an eMandate’s first payment of nothing',
    async (stage) => {
      await stage.mandate('emandate')
      expect(await stage.controlStatus('/settle')).toBe(409)
    },
  ],
]

const ENACH: readonly HereCase[] = [
  [
    DAYS,
    'reports an eNACH debit two working days after a presentation before 09:00',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const order = await stage.order(token, {}, null)
      await stage.advanceTo('2026-11-25T08:59')
      const id = await stage.debit(order, token)
      expect(await stage.payment(id)).toMatchObject({ status: 'created', method: 'emandate', bank: 'HDFC' })
      await stage.advanceTo('2026-11-27T09:59')
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured', acquirer_data: {} })
    },
    { at: '2026-11-23T07:00' },
  ],
  [
    DAYS,
    'presents an eNACH debit that is asked for from 09:00 on the next day',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const order = await stage.order(token, {}, null)
      await stage.advanceTo('2026-11-25T09:01')
      const id = await stage.debit(order, token)
      // The 28th is a fourth Saturday.
      await stage.advanceTo('2026-11-28T12:00')
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advanceTo('2026-11-30T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    ORDERED,
    'tells a failed eNACH debit with its result',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      await stage.control('/debits/next', { outcome: 'failure', reason: 'insufficient_funds' })
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'insufficient_funds' })
      await stage.event('payment.failed')
    },
  ],
  [
    DAYS,
    'presents an eNACH debit of a holiday on that day',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advanceTo('2026-11-26T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
    { at: '2026-11-24T07:00' },
  ],
  [
    DAYS,
    'does not stop a presented eNACH debit by a cancellation',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      const [before, after] = [await stage.order(token, {}, null), await stage.order(token, {}, null)]
      const presented = await stage.debit(before, token)
      await stage.control(`/mandates/${token.id}/cancel`)
      const refusedByBank = await stage.debit(after, token)
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(presented)).toMatchObject({ status: 'captured' })
      expect(await stage.payment(refusedByBank)).toMatchObject({ status: 'failed', error_reason: 'mandate_cancelled' })
    },
  ],
  [
    DAYS,
    'fails an eNACH debit of a mandate that the bank has not confirmed',
    async (stage) => {
      const token = await stage.mandate('emandate')
      const id = await stage.debit(await stage.order(token, {}, null), token)
      await stage.advanceTo('2026-11-27T10:01')
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'mandate_not_active' })
    },
  ],
]

export const HERE: readonly HereCase[] = [...REGISTRATIONS, ...TOKENS, ...NOTIFICATIONS, ...DEBITS, ...ENACH]
