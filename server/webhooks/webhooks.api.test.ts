import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { selectLinkPayments } from '#testkit/link-payments.ts'
import { firstLoan, openLink, payLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'

let app: App
let token: string
let lan: string

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_AFTER_SECONDS: '1' } })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

async function signInAs(number: number) {
  token = await app.signIn(demoPhone(number))
  lan = await firstLoan(app, token)
}

const pay = (link: string) => payLink(app, link)
const statusOf = async (link: string) => (await app.get(`/portal/payment-link/status?payment_link_id=${link}`, token)).body
const postingsOf = (link: string) =>
  app.database.asSystem((sql) =>
    selectLinkPayments(sql, link)
      .innerJoin('ledger_transactions', (join) =>
        join
          .onRef('ledger_transactions.borrower_id', '=', 'provider_payments.borrower_id')
          .onRef('ledger_transactions.source_id', '=', 'provider_payments.provider_payment_id'),
      )
      .select('ledger_transactions.transaction_id')
      .execute(),
  )
const settled = (link: string) => until(async () => (await linkRow(link))?.rps_updated)
const linkRow = (link: string) =>
  app.database.asSystem((sql) => sql.selectFrom('payment_links').selectAll().where('payment_link_id', '=', link).executeTakeFirst())

/** Sends an event with the right signature and returns the HTTP status. */
async function send(event: object, id: string): Promise<number> {
  const body = JSON.stringify(event)
  const [secret = ''] = app.context.config.razorpay.webhookSecrets
  const answer = await fetch(`${app.url}${apiPrefix}/webhooks/razorpay`, {
    method: 'POST',
    headers: { 'x-razorpay-signature': createHmac('sha256', secret).update(body).digest('hex'), 'x-razorpay-event-id': id },
    body,
  })
  return answer.status
}
const allWorkedOn = () =>
  until(async () => {
    const open = await app.database.asSystem((sql) =>
      sql.selectFrom('webhook_inbox').select('event_id').where('processed_at', 'is', null).limit(1).execute(),
    )
    return open.length === 0
  })

describe('the webhook', () => {
  beforeAll(() => signInAs(1))

  it('50 copies at once, with polls between them, post once', async () => {
    const link = await openLink(app, token, { lan })
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    await pay(link)
    await app.sandbox('/faults', { clear: true })
    const replays = app.sandbox('/webhooks/replay', { payment_link_id: link, event: 'payment_link.paid', times: 50, concurrency: 50 })
    const polls = Promise.all(Array.from({ length: 20 }, () => statusOf(link)))
    const { statuses } = await replays
    await polls
    expect(new Set(statuses as number[])).toEqual(new Set([200]))
    await settled(link)
    expect(await postingsOf(link)).toHaveLength(1)
  })

  it('four different events of one payment, each many times and at once, post once', async () => {
    const link = await openLink(app, token, { lan })
    await pay(link)
    await app.sandbox('/webhooks/replay', { payment_link_id: link, times: 10, concurrency: 20 })
    await settled(link)
    expect(await postingsOf(link)).toHaveLength(1)
  })

  it('a flood of one link asks the provider a few times, and not at all once the link is settled', async () => {
    const link = await openLink(app, token, { lan })
    const { gateway } = app.context
    const fetchLink = gateway.fetchLink.bind(gateway)
    let asked = 0
    gateway.fetchLink = (id) => {
      asked += 1
      return fetchLink(id)
    }
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    await pay(link)
    await app.sandbox('/faults', { clear: true })
    const { reference } = (await linkRow(link)) ?? {}
    const flood = (name: string) =>
      Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          send({ event: 'payment_link.paid', payload: { payment_link: { entity: { reference_id: reference } } } }, `${name}-${index}`),
        ),
      )
    expect(new Set(await flood('first'))).toEqual(new Set([200]))
    await settled(link)
    await allWorkedOn()
    // The sweeper also checks the link while it is open.
    expect(asked).toBeLessThan(30)
    // It checks a closed link more and more rarely; not during this test.
    await app.database.asSystem((sql) =>
      sql.updateTable('payment_links').set({ next_check_at: noFurtherCheck }).where('payment_link_id', '=', link).execute(),
    )
    asked = 0
    await flood('second')
    await allWorkedOn()
    // The sweeper checks paid links more and more rarely.
    expect(asked).toBeLessThan(5)
    expect(await postingsOf(link)).toHaveLength(1)
    gateway.fetchLink = fetchLink
  })
})

describe('a signature', () => {
  const body = JSON.stringify({ entity: 'event', event: 'payment_link.paid', payload: {} })
  const send = (headers: Record<string, string>, content: string = body) =>
    fetch(`${app.url}${apiPrefix}/webhooks/razorpay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: content,
    })
  const sign = (secret: string | undefined, content: string = body) =>
    createHmac('sha256', secret ?? '')
      .update(content)
      .digest('hex')
  const secret = () => app.context.config.razorpay.webhookSecrets[0]
  const inbox = async () =>
    Number(
      (
        await app.database.asSystem((sql) =>
          sql
            .selectFrom('webhook_inbox')
            .select((eb) => eb.fn.countAll().as('n'))
            .executeTakeFirstOrThrow(),
        )
      ).n,
    )

  it.each([
    ['missing', () => ({})],
    ['of another secret', () => ({ 'x-razorpay-signature': sign('wrong') })],
    ['made with the API key', () => ({ 'x-razorpay-signature': sign(app.context.config.razorpay.keySecret) })],
    ['of another body', () => ({ 'x-razorpay-signature': sign(secret(), `${body} `) })],
    ['too short', () => ({ 'x-razorpay-signature': sign(secret()).slice(2) })],
    ['no hex', () => ({ 'x-razorpay-signature': 'z'.repeat(64) })],
  ])('%s: 400 and nothing stored', async (_name, headers) => {
    const before = await inbox()
    const answer = await send(headers())
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'WebhookSignatureInvalid'])
    expect(await inbox()).toBe(before)
  })
  it('that is right: 200, also for an unknown event or link', async () => {
    const unknown = JSON.stringify({ event: 'something.new', payload: { payment_link: { entity: { reference_id: 'nobody' } } } })
    const answer = await send({ 'x-razorpay-signature': sign(secret(), unknown), 'x-razorpay-event-id': 'event-unknown' }, unknown)
    expect(answer.status).toBe(200)
    const row = await until(() =>
      app.database.asSystem((sql) =>
        sql
          .selectFrom('webhook_inbox')
          .selectAll()
          .where('event_id', '=', 'event-unknown')
          .where('processed_at', 'is not', null)
          .executeTakeFirst(),
      ),
    )
    expect(row.outcome).toBe('ignored')
  })
  it.each([
    ['a type with NUL', { event: 'payment\u0000.captured', payload: {} }],
    ['a reference with NUL', { event: 'payment_link.paid', payload: { payment_link: { entity: { reference_id: 'a\u0000b' } } } }],
    [
      'a reference of 10,000 letters',
      { event: 'payment_link.paid', payload: { payment_link: { entity: { reference_id: 'r'.repeat(10_000) } } } },
    ],
    ['a receipt with NUL', { event: 'order.paid', payload: { order: { entity: { receipt: '\u0000' } } } }],
    [
      'a note with NUL',
      { event: 'payment.captured', payload: { payment: { entity: { id: 'pay_x', notes: { kist_reference: '\u0000' } } } } },
    ],
    ['a payment id with NUL', { event: 'payment.captured', payload: { payment: { entity: { id: 'pay_\u0000', description: null } } } }],
  ])('M21: a signed event with %s is stored once and answered 200', async (name, event) => {
    const body = JSON.stringify(event)
    const headers = { 'x-razorpay-signature': sign(secret(), body), 'x-razorpay-event-id': `odd-${name.replaceAll(' ', '-')}` }
    expect((await send(headers, body)).status).toBe(200)
    expect((await send(headers, body)).status).toBe(200)
    const rows = await app.database.asSystem((sql) =>
      sql.selectFrom('webhook_inbox').selectAll().where('event_id', '=', headers['x-razorpay-event-id']).execute(),
    )
    expect(rows.map((row) => [row.reference, row.outcome, row.body.toString()])).toEqual([[null, 'ignored', body]])
  })

  it('of more than a megabyte: 413', async () => {
    expect((await send({ 'x-razorpay-signature': sign(secret()) }, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413)
  })
  it('a paid event that was forged with the right secret moves nothing', async () => {
    await signInAs(7)
    const link = await openLink(app, token, { lan })
    const row = await linkRow(link)
    const forged = JSON.stringify({
      event: 'payment_link.paid',
      payload: { payment_link: { entity: { id: link, reference_id: row?.reference, status: 'paid', amount_paid: 1e9 } } },
    })
    expect((await send({ 'x-razorpay-signature': sign(secret(), forged), 'x-razorpay-event-id': 'forged' }, forged)).status).toBe(200)
    expect(await statusOf(link)).toEqual({ status: 'created', rps_updated: false })
    await app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
  })
})

describe('without webhooks', () => {
  beforeAll(() => signInAs(11))

  it('the sweeper posts the payment, also without an open tab', async () => {
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    const link = await openLink(app, token, { lan })
    await pay(link)
    await settled(link)
    expect(await postingsOf(link)).toHaveLength(1)
    await app.sandbox('/faults', { clear: true })
  })
  it('the sweeper closes a link that expired at the provider', async () => {
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    const link = await openLink(app, token, { lan })
    await app.sandbox(`/links/${link}/expire`, {})
    await until(async () => (await linkRow(link))?.status === 'expired')
    expect((await app.get(`/portal/ongoing-payment?application_id=${lan}`, token)).body).toEqual({ payment_link: null })
    await app.sandbox('/faults', { clear: true })
  })
  it('events before the stored create answer cause one posting', async () => {
    const link = await openLink(app, token, { lan })
    await pay(link)
    await settled(link)
    expect(await postingsOf(link)).toHaveLength(1)
  })
  it('a reported payment that the provider does not list yet is paid, and rps_updated once it is listed', async () => {
    await app.sandbox('/faults', { call: 'payment', kind: 'status', status: 500, times: 'forever' })
    const link = await openLink(app, token, { lan })
    await pay(link)
    await until(async () => (await statusOf(link))['status'] === 'paid')
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: false })
    await app.sandbox('/faults', { clear: true })
    await settled(link)
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
    expect(await postingsOf(link)).toHaveLength(1)
  })
})

describe('a loan whose posting fails', () => {
  it('is paid without rps_updated, and is posted by the sweeper later', async () => {
    await signInAs(2)
    const { body } = await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)
    const { overdue_payment } = body['allowed_payments'] as { overdue_payment: { amount: number } }
    const made = await app.post(
      '/portal/payment-link',
      {
        amount: overdue_payment.amount,
        lead_id: lan,
        application_id: lan,
        purpose: 'OVERDUE',
        callback_url: 'http://localhost:3000/payments/waiting-for-payment',
      },
      token,
    )
    const link = String(made.body['payment_link_id'])
    let release = () => {}
    const locked = new Promise<void>((resolve) => (release = resolve))
    const holding = app.database.asSystem(async (sql) => {
      const { borrower_id } = await sql.selectFrom('loan_numbers').select('borrower_id').where('lan', '=', lan).executeTakeFirstOrThrow()
      await sql.selectFrom('loans').select('loan_id').where('borrower_id', '=', borrower_id).where('lan', '=', lan).forUpdate().execute()
      await locked
    })
    await pay(link)
    await until(async () => (await linkRow(link))?.status === 'paid')
    expect(await linkRow(link)).toMatchObject({ status: 'paid', rps_updated: false })
    expect((await app.get(`/portal/ongoing-payment?application_id=${lan}`, token)).body['payment_link']).toMatchObject({
      status: 'paid',
      rps_updated: false,
    })
    release()
    await holding
    await settled(link)
    expect(await postingsOf(link)).toHaveLength(1)
  })
})
