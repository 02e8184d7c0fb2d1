import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

/** 23:20 in India. */
const evening = new Date('2026-11-20T17:50:00Z')
let app: App
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: evening })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

type Part = { component: string; amount: number; instalment_number?: number; due_date?: string; charge_type?: string }
type Quote = { parts: Part[]; valid_until: string }
type Offer = {
  overdue_payment: { amount: number; parts: Record<string, number> }
  next_emi_payment?: { amount: number; due_date: string; parts: Record<string, number> }
  foreclosure_payment?: { amount: number; parts: Record<string, number> }
  part_payment: { min_allowed_amount: number; max_allowed_amount: number }
}

async function signedIn(number: number) {
  const token = await app.signIn(demoPhone(number))
  const { body } = await app.get('/portal/loans-summary', token)
  const { lan } = (body['loans'] as { lan: string }[])[0] ?? { lan: '' }
  return {
    offer: async () => (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body['allowed_payments'] as Offer,
    ongoing: async () =>
      (await app.get(`/portal/ongoing-payment?application_id=${lan}`, token)).body['payment_link'] as Record<string, unknown>,
    status: async (id: unknown) => (await app.get(`/portal/payment-link/status?payment_link_id=${String(id)}`, token)).body['status'],
    cancel: (id: unknown) => app.patch(`/payments/payment-link/cancel?payment_link_id=${String(id)}`, {}, token),
    create: async (amount: number | undefined, purpose: string) => {
      const callback_url = 'http://localhost:3000/payments/waiting-for-payment'
      const answer = await app.post('/portal/payment-link', { amount, lead_id: lan, application_id: lan, purpose, callback_url }, token)
      expect(answer.status).toBe(200)
      return answer.body as { payment_link_id: string; amount: number; expires_at: string; quote: Quote }
    },
  }
}

const paiseOf = (amount: number): number => Math.round(amount * 100)
const total = (parts: readonly Part[], component?: string): number =>
  parts.filter((part) => component === undefined || part.component === component).reduce((sum, part) => sum + paiseOf(part.amount), 0)
const at = (instant: string): Promise<void> => app.clock.moveTo(instant)

describe('the quote of a link', () => {
  it('is returned by parts when the link is created and while it is open', async () => {
    const { offer, create, ongoing, cancel } = await signedIn(5)
    const { overdue_payment: overdue } = await offer()
    const link = await create(overdue.amount, 'OVERDUE')
    const { parts } = link.quote
    expect(total(parts)).toBe(paiseOf(overdue.amount))
    for (const component of ['principal', 'interest', 'charges'])
      expect(total(parts, component)).toBe(paiseOf(overdue.parts[component] ?? 0))
    expect(parts.find(({ component }) => component === 'charges')?.charge_type).toBe('LATE_PAYMENT_CHARGE')
    expect(parts[0]).toMatchObject({ component: 'interest', instalment_number: 15, due_date: expect.stringMatching(/^2026-/) })
    expect((await ongoing())['quote']).toEqual(link.quote)
    await cancel(link.payment_link_id)
  })

  it.each(['PAY_EMI', 'PART_PAYMENT__REDUCE_EMI', 'PART_PAYMENT__REDUCE_TENOR', 'FORECLOSURE'])('adds up for %s', async (purpose) => {
    const { offer, create, cancel } = await signedIn(1)
    const { next_emi_payment: emi, foreclosure_payment: payoff, part_payment: range } = await offer()
    const amounts: Record<string, number | undefined> = { PAY_EMI: emi?.amount, FORECLOSURE: payoff?.amount }
    const amount = amounts[purpose] ?? range.min_allowed_amount
    const link = await create(amount, purpose)
    expect(total(link.quote.parts)).toBe(paiseOf(link.amount))
    if (purpose !== 'PAY_EMI')
      expect(link.quote.parts.some(({ component, due_date }) => component === 'principal' && due_date === undefined)).toBe(true)
    await cancel(link.payment_link_id)
  })
})

describe('how long it holds', () => {
  const endOf20th = '2026-11-20T18:29:59.999Z'
  const endOf21st = '2026-11-21T18:29:59.999Z'
  it.each([
    ['23:29', '2026-11-20T17:59:00Z', endOf20th, endOf20th],
    ['23:30', '2026-11-20T18:00:00Z', endOf21st, '2026-11-20T19:00'],
    ['23:59', '2026-11-20T18:29:00Z', endOf21st, '2026-11-20T19:29'],
  ])('at %s IST to the end of the India day it is for, and the link never longer', async (_time, instant, validUntil, expiresAt) => {
    await at(instant)
    const { offer, create, cancel } = await signedIn(11)
    const { next_emi_payment: emi } = await offer()
    const link = await create(emi?.amount, 'PAY_EMI')
    expect(link.quote.valid_until).toBe(validUntil)
    expect(link.expires_at.startsWith(expiresAt)).toBe(true)
    const left = new Date(link.expires_at).getTime() - app.clock.now().getTime()
    // The provider creates no link with less than fifteen minutes to its expiry.
    expect(left).toBeGreaterThanOrEqual(15 * 60_000)
    await cancel(link.payment_link_id)
  })

  it('ends with the link, also at the provider', async () => {
    await at('2026-11-21T17:58:00Z')
    const { offer, create, status } = await signedIn(11)
    const link = await create((await offer()).next_emi_payment?.amount, 'PAY_EMI')
    expect(link).toMatchObject({ expires_at: endOf21st, quote: { valid_until: endOf21st } })
    await at('2026-11-21T18:26:00Z')
    expect(await status(link.payment_link_id)).toBe('created')
    await at('2026-11-21T18:31:00Z')
    await until(async () => (await status(link.payment_link_id)) === 'expired')
  })
})
