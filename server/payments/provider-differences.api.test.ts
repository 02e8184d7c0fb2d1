import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { dayInIndia, daysBetween } from '#domain/calendar.ts'
import { paise } from '#domain/money.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { askForNextLink } from '#testkit/next-link.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { applyRefunds } from './refunds/sync-refunds.ts'

let app: App
let token: string
let lan: string
const begunAt = new Date(Date.now() - 60_000)

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_AFTER_SECONDS: '1' } })
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectInvariantsHold(app)
})
afterAll(() => app.close())

async function signInAs(number: number) {
  token = await app.signIn(demoPhone(number))
  const { body } = await app.get('/portal/loans-summary', token)
  lan = String((body['loans'] as { lan: string }[])[0]?.lan)
}

const loan = async () =>
  ((await app.get('/portal/loans-summary', token)).body['loans'] as { lan: string; dues: number; number_of_emis_paid: number }[]).find(
    (one) => one.lan === lan,
  )
async function openLink(): Promise<string> {
  const { status, body } = await askForNextLink(app, token)
  expect(status).toBe(200)
  return String(body['payment_link_id'])
}
const pay = (link: string, more: object = {}) => app.sandbox(`/links/${link}/pay`, { method: 'upi', outcome: 'success', ...more })
const statusOf = async (link: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body
const applied = (link: string) => until(async () => (await statusOf(link))['rps_updated'], 60_000)
const reviews = async () =>
  (await app.database.asSystem((sql) => sql.selectFrom('payment_reviews').select('kind').orderBy('found_at').execute())).map(
    ({ kind }) => kind,
  )
const paymentOf = (link: string) =>
  app.database.asSystem((sql) => selectLinkPayments(sql, link).selectAll('provider_payments').executeTakeFirst())
const linkRow = (link: string) =>
  app.database.asSystem((sql) =>
    sql.selectFrom('payment_links').select(['status', 'rps_updated']).where('payment_link_id', '=', link).executeTakeFirstOrThrow(),
  )
const postingOf = async (link: string) => {
  const payment = await paymentOf(link)
  return app.database.asSystem((sql) =>
    sql
      .selectFrom('ledger_transactions')
      .select(['value_date', 'purpose'])
      .where('transaction_id', '=', payment?.transaction_id ?? '')
      .executeTakeFirstOrThrow(),
  )
}
/** Without the demo town's own refund. */
const refunds = () =>
  app.database.asSystem((sql) => sql.selectFrom('refunds').selectAll().where('asked_at', '>', begunAt).orderBy('asked_at').execute())
const dropWebhooks = () => app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })

/** Calls the provider as the lender's dashboard does. */
async function atProvider(path: string, body: object): Promise<Record<string, unknown>> {
  const { keyId, keySecret } = app.context.config.razorpay
  const response = await fetch(`${app.sandboxUrl}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

/** Sends the portal an event with the provider's signature. */
async function event(id: string, type: string, payload: object): Promise<number> {
  const body = JSON.stringify({ entity: 'event', event: type, payload })
  const [secret = ''] = app.context.config.razorpay.webhookSecrets
  const response = await fetch(`${app.url}${apiPrefix}/webhooks/razorpay`, {
    method: 'POST',
    headers: { 'x-razorpay-signature': createHmac('sha256', secret).update(body).digest('hex'), 'x-razorpay-event-id': id },
    body,
  })
  return response.status
}
const inboxRow = (id: string) =>
  app.database.asSystem((sql) => sql.selectFrom('webhook_inbox').selectAll().where('event_id', '=', id).executeTakeFirstOrThrow())

describe('a report of the provider', { timeout: 120_000 }, () => {
  it('with another amount is reviewed and changes nothing until the right amount is reported', async () => {
    await signInAs(1)
    const link = await openLink()
    const before = await loan()
    await app.sandbox('/faults', { call: 'fetch', kind: 'wrong_amount', amount_delta: 100, payment_link_id: link, times: 'forever' })
    await pay(link)
    await until(async () => (await reviews()).includes('amount_mismatch'), 60_000)
    expect(await loan()).toEqual(before)
    expect(await statusOf(link)).toMatchObject({ rps_updated: false })
    await app.sandbox('/faults', { clear: true })
    await applied(link)
    expect(await reviews()).toEqual(['amount_mismatch'])
  })

  it('late and backwards changes nothing: a paid link stays paid', async () => {
    await signInAs(1)
    const link = await openLink()
    await pay(link)
    await applied(link)
    await app.sandbox('/faults', { call: 'fetch', kind: 'stale_read', payment_link_id: link, times: 'forever' })
    await app.sandbox('/webhooks/replay', { payment_link_id: link, times: 3, concurrency: 3 })
    await statusOf(link)
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
  })

  it('with an unknown status changes nothing', async () => {
    await signInAs(1)
    const link = await openLink()
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      return outcome.kind === 'found' ? { kind: 'found', link: { ...outcome.link, status: null } } : outcome
    }
    const { reference } = await app.database.asSystem((sql) =>
      sql.selectFrom('payment_links').select('reference').where('payment_link_id', '=', link).executeTakeFirstOrThrow(),
    )
    for (const type of ['payment_link.forgotten', 'refund.speed_changed', 'payment.downtime.started', 'subscription.charged'])
      expect(await event(`unknown-${type}`, type, { payment_link: { entity: { reference_id: reference, mood: 'good' } } })).toBe(200)
    expect(await event('unreadable', 'x', { payment_link: 5 })).toBe(200)
    await until(async () => (await inboxRow('unknown-payment_link.forgotten')).processed_at, 60_000)
    gateway.fetchLink = fetchLink
    expect(await statusOf(link)).toMatchObject({ status: 'created' })
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
  })

  it('of a dispute is reviewed', async () => {
    await signInAs(1)
    const link = await openLink()
    await pay(link)
    await applied(link)
    const payment = await paymentOf(link)
    const about = { id: payment?.provider_payment_id, description: `#${link.slice(6)}` }
    await event('dispute-1', 'payment.dispute.created', { payment: { entity: about }, dispute: { entity: { payment_id: about.id } } })
    await until(async () => (await reviews()).includes('dispute'), 60_000)
  })
})

describe('a refund made without Kist', { timeout: 120_000 }, () => {
  it('in the dashboard reduces its payment once and is reviewed', async () => {
    await signInAs(11)
    const before = await loan()
    const link = await openLink()
    await pay(link)
    await applied(link)
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    const payment = await paymentOf(link)
    await atProvider(`/payments/${payment?.provider_payment_id}/refund`, { amount: Number(payment?.amount_paise) })
    await until(async () => {
      await app.clock.advance(5_000)
      return (await refunds()).some(({ status }) => status === 'processed')
    }, 60_000)
    await app.sandbox('/webhooks/replay', { payment_link_id: link, times: 5, concurrency: 5 })
    expect(await refunds()).toMatchObject([{ reason: 'by_lender', status: 'processed', asked_by: 'razorpay' }])
    expect(await loan()).toEqual(before)
    expect(await reviews()).toContain('refund_by_lender')
  })

  it('that fails and is made again there is taken over', async () => {
    await signInAs(11)
    const [before, known] = [await loan(), (await refunds()).length]
    const link = await openLink()
    await pay(link)
    await applied(link)
    const payment = await paymentOf(link)
    if (!payment) throw new Error('There is no payment')
    const report = (id: string, status: 'pending' | 'failed' | 'processed') =>
      applyRefunds(app.context, payment, [
        {
          providerRefundId: id,
          providerPaymentId: payment.provider_payment_id,
          amountPaise: payment.amount_paise,
          status,
          refundId: null,
          tryNumber: null,
          bankReference: null,
          createdAt: app.clock.now(),
        },
      ])
    await report('rfnd_A', 'pending')
    expect(await loan()).toEqual(before)
    await report('rfnd_A', 'failed')
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    await report('rfnd_B', 'processed')
    expect((await refunds()).slice(known)).toMatchObject([
      { provider_refund_id: 'rfnd_A', status: 'failed' },
      { provider_refund_id: 'rfnd_B', status: 'processed', reason: 'by_lender' },
    ])
    expect(await loan()).toEqual(before)
    expect(await reviews()).not.toContain('refund_mismatch')
  })

  it('that is reported before its payment waits for the payment', async () => {
    await signInAs(11)
    const known = (await refunds()).length
    const link = await openLink()
    await dropWebhooks()
    // No scheduled check of the link runs for now.
    await app.database.asSystem((sql) =>
      sql
        .updateTable('payment_links')
        .set({ next_check_at: new Date('9999-12-31') })
        .where('payment_link_id', '=', link)
        .execute(),
    )
    await app.sandbox('/faults', { call: 'fetch', kind: 'stale_read', payment_link_id: link, times: 'forever' })
    await app.sandbox('/faults', { call: 'payment', kind: 'status', status: 503, times: 'forever' })
    const { payment } = (await pay(link)) as { payment: { id: string } }
    const refund = await atProvider(`/payments/${payment.id}/refund`, { amount: 10_000 })
    const about = { payment: { entity: { id: payment.id, description: `#${link.slice(6)}` } }, refund: { entity: refund } }
    expect(await event('early-refund', 'refund.created', about)).toBe(200)
    await until(async () => (await inboxRow('early-refund')).attempts > 0, 60_000)
    expect((await inboxRow('early-refund')).processed_at).toBeNull()
    expect(await refunds()).toHaveLength(known)
    await app.sandbox('/faults', { clear: true })
    await until(async () => {
      await app.clock.advance(5_000)
      const added = (await refunds()).slice(known)
      return added.length > 0 && added.every(({ status }) => status === 'processed')
    }, 60_000)
    await until(async () => {
      await app.clock.advance(5_000)
      return (await inboxRow('early-refund')).outcome === 'applied'
    }, 60_000)
    expect((await refunds()).at(-1)).toMatchObject({ reason: 'by_lender', amount_paise: 10_000n })
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
  })
})

describe('a payment begun before its link expired', { timeout: 120_000 }, () => {
  it.each([
    ['before', 'PAY_EMI'],
    ['after', null],
  ] as const)('and confirmed after it, with a transfer of the same day %s the link was made: purpose %s', async (when, purpose) => {
    await signInAs(7)
    const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    if (!key) throw new Error('There is no loan')
    const transfer = () =>
      app.database.asBorrower(key.borrowerId, async (sql) =>
        recordPayment(
          sql,
          await lockOwnLoan(sql, key.borrowerId, key.loanId),
          { mode: 'neft', reference: `UTR-${when}`, amountPaise: paise(100n), date: dayInIndia(app.clock.now()), purpose: null },
          app.clock.now(),
          'operator',
        ),
      )
    if (when === 'before') await transfer()
    await app.clock.advance(60_000)
    const link = await openLink()
    await dropWebhooks()
    await pay(link, { outcome: 'late_success', after_seconds: 3 * 3_600 })
    await app.clock.advance(2 * 3_600_000)
    await until(async () => (await linkRow(link)).status === 'expired', 60_000)
    if (when === 'after') await transfer()
    await until(async () => {
      await app.clock.advance(30 * 60_000)
      return (await linkRow(link)).rps_updated
    }, 60_000)
    expect((await postingOf(link)).purpose).toBe(purpose)
  })

  it('and confirmed by the bank two days later keeps its purpose and its own date', async () => {
    await signInAs(7)
    const before = await loan()
    const link = await openLink()
    await dropWebhooks()
    await pay(link, { outcome: 'late_success', after_seconds: 2 * 86_400 })
    await app.clock.advance(2 * 3_600_000)
    await until(async () => (await linkRow(link)).status === 'expired', 60_000)
    await app.clock.advance(2 * 86_400_000)
    await until(async () => {
      await app.clock.advance(3_600_000)
      return (await linkRow(link)).rps_updated
    }, 60_000)
    await signInAs(7)
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    const posted = await postingOf(link)
    expect(posted.purpose).toBe('PAY_EMI')
    expect(daysBetween(posted.value_date, dayInIndia(app.clock.now()))).toBeGreaterThanOrEqual(2)
  })
})

describe('money on a closed link while the loan’s next link is open', { timeout: 120_000 }, () => {
  it.each([
    ['expired', 11],
    ['paid', 7],
  ] as const)('is posted at once, and the next link stays open; the provider reports the first as %s', async (reported, borrower) => {
    await signInAs(borrower)
    const before = await loan()
    const first = await openLink()
    await pay(first, { outcome: 'late_success', after_seconds: 9_000 })
    await app.clock.advance(7_200_000)
    await signInAs(borrower)
    await until(async () => (await statusOf(first))['status'] === 'expired', 60_000)
    const second = await openLink()
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    gateway.fetchLink = async (id) => {
      const outcome = await fetchLink(id)
      const hasMoney = outcome.kind === 'found' && outcome.link.payments.length > 0
      return hasMoney && id === first ? { kind: 'found', link: { ...outcome.link, status: reported } } : outcome
    }
    await app.clock.advance(1_800_000)
    await signInAs(borrower)
    await until(async () => (await statusOf(first))['rps_updated'], 60_000)
    gateway.fetchLink = fetchLink
    expect(await statusOf(first)).toEqual({ status: reported, rps_updated: true })
    expect(await statusOf(second)).toEqual({ status: 'created', rps_updated: false })
    expect((await loan())?.number_of_emis_paid).toBe((before?.number_of_emis_paid ?? 0) + 1)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${second}`, {}, token)).status).toBe(200)
  })
})
