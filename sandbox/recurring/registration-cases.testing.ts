import { expect } from 'vitest'
import { takesDays, cannotBeOrdered, needsPerson, registeredEvents, type SandboxCase } from './sandbox-case.testing.ts'
import { daySeconds } from './stage.testing.ts'

/** What a customer and a bank do with a registration link. */
export const registrationCases: readonly SandboxCase[] = [
  [
    needsPerson,
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
    needsPerson,
    'tells a UPI registration in the events and with the contents of the samples',
    async (stage) => {
      await stage.mandate('upi')
      await stage.expectEvents(['token.confirmed', ...registeredEvents])
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
    takesDays,
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
    needsPerson,
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
    cannotBeOrdered,
    'fails the first payment for an ordered reason',
    async (stage) => {
      const link = await stage.register('upi')
      await stage.control(`/registrations/${link.id}/decline`, { reason: 'upi_dummy_payment' })
      const { payload } = await stage.event('payment.failed')
      expect(payload['payment']?.['entity']).toMatchObject({ error_reason: 'upi_dummy_payment' })
    },
  ],
  [
    needsPerson,
    'takes one approval',
    async (stage) => {
      const { id } = await stage.register('upi')
      await stage.control(`/registrations/${id}/approve`)
      expect(await stage.controlStatus(`/registrations/${id}/approve`)).toBe(409)
      expect(await stage.controlStatus(`/registrations/${id}/decline`)).toBe(409)
    },
  ],
  [
    takesDays,
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
    needsPerson,
    'takes no approval of a cancelled link, and tells nobody of the cancellation',
    async (stage) => {
      const { id } = await stage.register('upi')
      await stage.made('POST', `/invoices/${id}/cancel`)
      expect(await stage.controlStatus(`/registrations/${id}/approve`)).toBe(409)
      expect(stage.listEvents()).toEqual([])
    },
  ],
  [
    needsPerson,
    'does not cancel a paid registration link',
    async (stage) => {
      const { id } = await stage.register('upi')
      await stage.control(`/registrations/${id}/approve`)
      expect(await stage.call('POST', `/invoices/${id}/cancel`)).toMatchObject({ status: 400 })
      expect(await stage.made('GET', `/invoices/${id}`)).toMatchObject({ status: 'paid' })
    },
  ],
  [
    needsPerson,
    'takes an eMandate’s first payment of nothing, without a reference of the bank',
    async (stage) => {
      const link = await stage.register('emandate')
      const { token } = await stage.control(`/registrations/${link.id}/approve`)
      await stage.expectEvents(registeredEvents)
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
    takesDays,
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
    cannotBeOrdered,
    'rejects an eMandate at the bank',
    async (stage) => {
      const token = await stage.mandate('emandate')
      await stage.control(`/mandates/${token.id}/reject`)
      const { payload } = await stage.event('token.rejected')
      expect(payload['token']?.['entity']).toMatchObject({
        recurring: false,
        recurring_details: { status: 'rejected', failure_reason: 'Rejected by bank' },
      })
      await stage.advance(3 * daySeconds)
      expect(await stage.statusOf(token)).toBe('rejected')
    },
  ],
]
