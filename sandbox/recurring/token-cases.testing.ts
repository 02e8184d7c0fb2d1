import { expect } from 'vitest'
import { refused } from '../contract-support.testing.ts'
import { takesDays, needsPerson, type SandboxCase } from './sandbox-case.testing.ts'
import { daySeconds, type Json } from './stage.testing.ts'

/** What becomes of a mandate's token after its registration. */
export const tokenCases: readonly SandboxCase[] = [
  [
    needsPerson,
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
    needsPerson,
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
    takesDays,
    'does not list an expired mandate',
    async (stage) => {
      const token = await stage.mandate('emandate', { expire_at: (await stage.now()) + daySeconds })
      await stage.advance(2 * daySeconds)
      expect(await stage.made('GET', `/customers/${await stage.customerOf(token)}/tokens`)).toMatchObject({ count: 0 })
    },
  ],
  [
    needsPerson,
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
    needsPerson,
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
    needsPerson,
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
    needsPerson,
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
    takesDays,
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
    needsPerson,
    'forgets a deleted UPI mandate, which stays active in the app',
    async (stage) => {
      const token = await stage.mandate('upi')
      const path = `/customers/${await stage.customerOf(token)}/tokens/${token.id}`
      const order = await stage.announced(token)
      expect(await stage.made('DELETE', path)).toEqual({ deleted: true })
      expect(await stage.call('GET', path)).toMatchObject({ status: 400 })
      expect(await stage.call('POST', '/payments/create/recurring', await stage.debitRequest(order, token))).toMatchObject({ status: 400 })
      await stage.advance(3 * daySeconds)
      const { tokens } = (await stage.bench.state()) as unknown as { tokens: Json[] }
      expect(tokens).toMatchObject([{ id: token.id, status: 'confirmed', is_deleted: true }])
    },
  ],
  [
    needsPerson,
    'pauses no eMandate, and confirms no mandate twice',
    async (stage) => {
      const token = await stage.confirmedMandate('emandate')
      expect(await stage.controlStatus(`/mandates/${token.id}/pause`)).toBe(409)
      expect(await stage.controlStatus(`/mandates/${token.id}/confirm`)).toBe(409)
      expect(await stage.controlStatus('/mandates/token_AAAAAAAAAAAAAA/confirm')).toBe(404)
    },
  ],
  [
    needsPerson,
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
