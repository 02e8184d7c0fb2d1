import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { toDay } from '#domain/calendar.ts'
import { dayMs, daySeconds } from '#domain/durations.ts'
import { addLoan, addPerson, addProduct, educationLoan } from '#testkit/builders.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { noFurtherCheck } from '../../jobs/back-off.ts'
import { sweepPaymentLinks } from './sweep-payment-links.ts'

const now = new Date('2026-11-20T05:00:00Z')
let app: App

beforeAll(async () => {
  app = await startApp(inject('cluster'), {
    now,
    // The test sweeps itself.
    settings: { KIST_SWEEP_INTERVAL_MS: '600000', KIST_SWEEP_AFTER_SECONDS: '60' },
  })
  await addProduct(app.database, now, 'education', educationLoan)
  await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

/** Adds a borrower with an open link. */
async function addLink(phone: string, lan: string): Promise<string> {
  const borrowerId = await addPerson(app.database, app.clock.now(), { phone, firstName: 'Test', lastName: 'Person' })
  await addLoan(app.database, app.clock.now(), borrowerId, {
    lan,
    leadId: `lead-${lan}`,
    title: 'Test',
    instalments: 12,
    disbursals: [{ date: toDay('2026-11-05'), rupees: 120_000 }],
    annualRatePercent: 12,
    sanctionedRupees: 120_000,
    firstDueDate: toDay('2026-12-20'),
  })
  return openLink(app, await app.signIn(phone))
}
const stored = (link: string) =>
  app.database.asSystem((sql) =>
    sql
      .selectFrom('payment_links')
      .select(['status', 'rps_updated', 'next_check_at', 'provider_checked_at'])
      .where('payment_link_id', '=', link)
      .executeTakeFirstOrThrow(),
  )
async function sweepFor(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    await app.clock.advance(dayMs)
    await sweepPaymentLinks(app.context)
  }
}

it('money that lands on a closed link while the provider is away for a week is found when it is back', async () => {
  const link = await addLink('+919000000511', 'CL-1')
  await payLink(app, link, { outcome: 'late_success', after_seconds: 3 * daySeconds })
  await sweepFor(1)
  expect(await stored(link)).toMatchObject({ status: 'expired', rps_updated: false })
  await app.sandbox('/faults', { call: 'fetch', kind: 'reset', times: 'forever' })
  await sweepFor(7)
  expect(await stored(link)).toMatchObject({ status: 'expired', rps_updated: false })
  await app.sandbox('/faults', { clear: true })
  await sweepFor(1)
  // The provider goes on reporting the link as expired.
  expect(await stored(link)).toMatchObject({ status: 'expired', rps_updated: true })
})

it('money on a closed link that could not be posted is posted soon, not at the next look', async () => {
  const link = await addLink('+919000000514', 'CL-4')
  await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
  await payLink(app, link, { outcome: 'late_success', after_seconds: 86_400 + 7_200 })
  await sweepFor(1)
  expect(await stored(link)).toMatchObject({ status: 'expired', rps_updated: false })
  await app.clock.advance(dayMs)
  const failPoint = (name: string) => (name === 'posting_begun' ? Promise.reject(new Error('broken')) : Promise.resolve())
  await expect(sweepPaymentLinks({ ...app.context, failPoint })).rejects.toThrow('could not be checked')
  const { rps_updated, next_check_at } = await stored(link)
  expect([rps_updated, next_check_at.getTime() - app.clock.now().getTime()]).toEqual([false, expect.toSatisfy((wait) => wait < 60_000)])
  await app.clock.advance(60_000)
  await sweepPaymentLinks(app.context)
  expect(await stored(link)).toMatchObject({ rps_updated: true })
})

it('money first seen with the end of its link that could not be posted is posted soon', async () => {
  const link = await addLink('+919000000515', 'CL-5')
  await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
  await payLink(app, link, { outcome: 'late_success', after_seconds: 7_200 })
  // The wait between checks of an open link grows.
  for (let check = 0; check < 4; check += 1) {
    await app.clock.advance(240_000)
    await sweepPaymentLinks(app.context)
  }
  await app.clock.advance(dayMs)
  const failPoint = (name: string) => (name === 'capture_stored' ? Promise.reject(new Error('broken')) : Promise.resolve())
  await expect(sweepPaymentLinks({ ...app.context, failPoint })).rejects.toThrow('could not be checked')
  const { status, rps_updated, next_check_at } = await stored(link)
  const waitMs = next_check_at.getTime() - app.clock.now().getTime()
  expect([status, rps_updated, waitMs]).toEqual(['expired', false, expect.toSatisfy((wait) => wait < 60_000)])
  await app.clock.advance(60_000)
  await sweepPaymentLinks(app.context)
  expect(await stored(link)).toMatchObject({ rps_updated: true })
})

it('money on a closed link is among the completed payments before it is posted, and in no other list', async () => {
  const link = await addLink('+919000000516', 'CL-6')
  await payLink(app, link, { outcome: 'late_success', after_seconds: 7_200 })
  await app.clock.advance(7_200_000)
  const failPoint = (name: string) => (name === 'posting_begun' ? Promise.reject(new Error('broken')) : Promise.resolve())
  await expect(sweepPaymentLinks({ ...app.context, failPoint })).rejects.toThrow('could not be checked')
  expect(await stored(link)).toMatchObject({ status: 'expired', rps_updated: false })
  const token = await app.signIn('+919000000516')
  const read = async (call: string) => (await app.get(`/portal/${call}?application_id=CL-6`, token)).body
  const unposted = { payment_link_id: link, status: 'expired', rps_updated: false, receipts: [] }
  expect(await read('completed-payments')).toEqual({ payment_links: [expect.objectContaining(unposted)] })
  expect(await read('ongoing-payment')).toEqual({ payment_link: null })
  await app.clock.advance(60_000)
  await sweepPaymentLinks(app.context)
  const posted = { payment_link_id: link, rps_updated: true, receipts: [expect.any(String)] }
  expect(await read('completed-payments')).toEqual({ payment_links: [expect.objectContaining(posted)] })
})

it('the page of a payment finds money on a closed link by itself, until an hour after the expiry', async () => {
  const [link, unpaid] = [await addLink('+919000000517', 'CL-7'), await addLink('+919000000518', 'CL-8')]
  const [token, other] = [await app.signIn('+919000000517'), await app.signIn('+919000000518')]
  const statusOf = async (id: string, by: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${id}`, by)).body
  for (const [id, by] of [[link, token] as const, [unpaid, other] as const])
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${id}`, {}, by)).status).toBe(200)
  await payLink(app, link, { outcome: 'late_success', after_seconds: 5 })
  await app.clock.advance(60_000)
  expect(await statusOf(link, token)).toEqual({ status: 'cancelled', rps_updated: true })
  expect(await statusOf(unpaid, other)).toEqual({ status: 'cancelled', rps_updated: false })
  const { provider_checked_at: checkedAt } = await stored(unpaid)
  expect(app.clock.now().getTime() - (checkedAt?.getTime() ?? 0)).toBeLessThan(60_000)
  await app.clock.advance(2 * dayMs)
  expect(await statusOf(unpaid, await app.signIn('+919000000518'))).toEqual({ status: 'cancelled', rps_updated: false })
  expect((await stored(unpaid)).provider_checked_at).toEqual(checkedAt)
})

it('a closed link is looked at until the provider has answered after five days', async () => {
  const link = await addLink('+919000000512', 'CL-2')
  await sweepFor(5)
  expect((await stored(link)).next_check_at).not.toEqual(noFurtherCheck)
  await sweepFor(3)
  expect((await stored(link)).next_check_at).toEqual(noFurtherCheck)
})

it('a link whose provider never answers is given up after thirty days', async () => {
  const link = await addLink('+919000000513', 'CL-3')
  await sweepFor(1)
  await app.sandbox('/faults', { call: 'fetch', kind: 'reset', times: 'forever' })
  await sweepFor(28)
  expect((await stored(link)).next_check_at).not.toEqual(noFurtherCheck)
  await sweepFor(2)
  expect((await stored(link)).next_check_at).toEqual(noFurtherCheck)
  await app.sandbox('/faults', { clear: true })
})
