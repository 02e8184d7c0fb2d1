import { expect } from 'vitest'
import { refused } from '../contract-support.testing.ts'
import { takesDays, cannotBeOrdered, needsPerson, registeredEvents, type SandboxCase } from './sandbox-case.testing.ts'
import { daySeconds, type Json, type Stage } from './stage.testing.ts'

/** Pre-debit notifications. */
export const notificationCases: readonly SandboxCase[] = [
  [
    needsPerson,
    'delivers a pre-debit notification, with its time inside the payload',
    async (stage) => {
      const token = await stage.mandate('upi')
      const payment_after = (await stage.now()) + 2 * daySeconds
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
    cannotBeOrdered,
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
    cannotBeOrdered,
    'delivers a pre-debit notification late',
    async (stage) => {
      const token = await stage.mandate('upi')
      await stage.control('/notifications/next', { outcome: 'late' })
      const order = await stage.order(token)
      const statusOf = async (): Promise<unknown> => (await stage.made('GET', `/orders/${order.id}`))['notification']
      await stage.advance(daySeconds)
      expect(await statusOf()).toMatchObject({ status: 'pending', delivered_at: null })
      await stage.advance(daySeconds)
      expect(await statusOf()).toMatchObject({ status: 'delivered' })
    },
  ],
  [
    needsPerson,
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
    needsPerson,
    'refuses to announce more than the cap, in the published words',
    async (stage) => {
      const token = await stage.mandate('upi')
      const notification = { token_id: token.id, payment_after: (await stage.now()) + 2 * daySeconds }
      expect(await stage.call('POST', '/orders', { amount: 1_500_001, currency: 'INR', notification })).toMatchObject(
        refused('The order amount cannot be greater than the token max amount for upi recurring.'),
      )
    },
  ],
  [
    needsPerson,
    'refuses to announce a debit in the past',
    async (stage) => {
      const token = await stage.mandate('upi')
      const notification = { token_id: token.id, payment_after: (await stage.now()) - 1 }
      expect(await stage.call('POST', '/orders', { amount: 1000, currency: 'INR', notification })).toMatchObject({ status: 400 })
    },
  ],
  [
    needsPerson,
    'takes the mandate at the top of an order',
    async (stage) => {
      const token = await stage.mandate('upi')
      expect(await stage.order(token, { token_id: token.id })).toMatchObject({ entity: 'order' })
    },
  ],
  [
    needsPerson,
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
  await stage.expectEvents(['token.confirmed', ...registeredEvents, 'order.notification.delivered'])
  stage.forgetEvents()
  return { token, order, id: await stage.debit(order, token) }
}

/** Debits of UPI mandates, and what all debits have in common. */
export const debitCases: readonly SandboxCase[] = [
  [
    takesDays,
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
    takesDays,
    'lists the payments of a debit’s order',
    async (stage) => {
      const { order, id } = await announcedDebit(stage)
      expect(await stage.made('GET', `/orders/${order.id}/payments`)).toMatchObject({ count: 1, items: [{ id }] })
    },
  ],
  [
    takesDays,
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
    takesDays,
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
    takesDays,
    'waits for the announced time of a debit',
    async (stage) => {
      const token = await stage.mandate('upi')
      const order = await stage.order(token, {}, (await stage.now()) + 2 * daySeconds)
      await stage.advance(2 * daySeconds - 3600)
      const id = await stage.debit(order, token)
      await stage.advance(3500)
      expect(await stage.payment(id)).toMatchObject({ status: 'created' })
      await stage.advance(200)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured' })
    },
  ],
  [
    takesDays,
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
    takesDays,
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
    cannotBeOrdered,
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
    cannotBeOrdered,
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
    cannotBeOrdered,
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
    cannotBeOrdered,
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
    cannotBeOrdered,
    'captures another amount than the asked one',
    async (stage) => {
      await stage.control('/debits/next', { outcome: 'success', amount: 849_900 })
      const { id } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'captured', amount: 849_900 })
    },
  ],
  [
    cannotBeOrdered,
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
    needsPerson,
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
    needsPerson,
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
    takesDays,
    'fails a debit of an expired mandate',
    async (stage) => {
      const token = await stage.mandate('upi', { expire_at: (await stage.now()) + daySeconds })
      const id = await stage.debit(await stage.announced(token), token)
      await stage.advance(60)
      expect(await stage.payment(id)).toMatchObject({ status: 'failed', error_reason: 'mandate_expired' })
    },
  ],
  [
    takesDays,
    'takes no second payment on a paid order',
    async (stage) => {
      const { token, order } = await announcedDebit(stage)
      await stage.advance(60)
      expect(await stage.call('POST', '/payments/create/recurring', await stage.debitRequest(order, token))).toMatchObject({ status: 400 })
    },
  ],
  [
    takesDays,
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
    needsPerson,
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
    takesDays,
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
    takesDays,
    'does not settle an eMandate’s first payment of nothing',
    async (stage) => {
      await stage.mandate('emandate')
      expect(await stage.controlStatus('/settle')).toBe(409)
    },
  ],
]
