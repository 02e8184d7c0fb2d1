import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { dayInIndia } from '#domain/calendar.ts'
import { dayMs, minuteMs } from '#domain/durations.ts'
import { rupeesToPaise } from '#domain/money.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { countLockWaits } from '#testkit/lock-waits.ts'
import { payLink, waitingPage } from '#testkit/payments.ts'
import { noon, startApp, until, type App } from '#testkit/start-app.ts'
import { changeLoan } from '../loan-changes/change-loan.ts'
import { recordPayment } from '../loan-changes/record-payment.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { createLoanChangeContext } from './links/cancel-open-link.ts'

let app: App
let token: string
let lan: string

/** The payments that the portal offers to a borrower of the demo town. */
type Offer = {
  overdue_payment: { amount: number }
  next_emi_payment?: { amount: number }
  part_payment: { min_allowed_amount: number; max_allowed_amount: number }
  foreclosure_payment?: { amount: number; isLimited: boolean }
}

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, now: noon })
})
afterAll(async () => {
  await expectInvariantsHold(app)
  await app.close()
})

/** Each test has its own borrower of the demo town. */
async function signInAs(number: number, which = 0) {
  token = await app.signIn(demoPhone(number))
  const { body } = await app.get('/portal/loans-summary', token)
  const loans = body['loans'] as { lan: string }[]
  lan = loans[which]?.lan ?? ''
}
const offer = async () => (await app.get(`/portal/repayment-schedule?lead_id=${lan}`, token)).body['allowed_payments'] as Offer
const ongoing = async () =>
  (await app.get(`/portal/ongoing-payment?application_id=${lan}`, token)).body['payment_link'] as Record<string, unknown> | null
const completed = async () =>
  (await app.get(`/portal/completed-payments?application_id=${lan}`, token)).body['payment_links'] as Record<string, unknown>[]
const loan = async () =>
  ((await app.get('/portal/loans-summary', token)).body['loans'] as Record<string, number | string>[]).find((one) => one['lan'] === lan) ??
  {}
const order = (amount: unknown, purpose = 'PAY_EMI') => ({ amount, lead_id: lan, application_id: lan, purpose, callback_url: waitingPage })
const create = (amount: unknown, purpose?: string) => app.post('/portal/payment-link?use_razorpay=true', order(amount, purpose), token)
const statusOf = async (id: unknown) => (await app.get(`/portal/payment-link/status?payment_link_id=${id}`, token)).body
const cancel = (id: unknown) => app.patch(`/payments/payment-link/cancel?payment_link_id=${id}`, {}, token)
const pay = (id: unknown, outcome = 'success') => payLink(app, String(id), { outcome })

describe('paying the next instalment', () => {
  beforeAll(() => signInAs(1))

  it('updates the schedule, the outstanding amount and the lists', async () => {
    const before = await loan()
    const { next_emi_payment } = await offer()
    const { status, body } = await create(next_emi_payment?.amount)
    expect([status, String(body['redirect_url'])]).toEqual([200, expect.stringMatching(/^http:\/\/localhost:\d+\/i\//)])
    const link = body['payment_link_id']
    expect(await ongoing()).toMatchObject({
      payment_link_id: link,
      status: 'created',
      rps_updated: false,
      amount: next_emi_payment?.amount,
    })
    expect(await statusOf(link)).toEqual({ status: 'created', rps_updated: false })

    await pay(link)
    await until(async () => (await statusOf(link))['rps_updated'])
    expect(await statusOf(link)).toEqual({ status: 'paid', rps_updated: true })
    expect(await ongoing()).toBeNull()
    expect((await completed())[0]).toMatchObject({ payment_link_id: link, status: 'paid', rps_updated: true, method: 'upi' })
    const after = await loan()
    expect(after['number_of_emis_paid']).toBe(Number(before['number_of_emis_paid']) + 1)
    expect(Number(after['principal_outstanding'])).toBeLessThan(Number(before['principal_outstanding']))
  })
})

describe('polls of the waiting page', () => {
  beforeAll(() => signInAs(1))

  it('ask the provider once while its answer is fresh, however many they are', async () => {
    const { payments } = app.context.config
    const { statusFreshMs } = payments
    onTestFinished(() => void (payments.statusFreshMs = statusFreshMs))
    // Longer than a busy machine needs for the polls.
    payments.statusFreshMs = minuteMs
    const fetchLink = vi.spyOn(app.context.gateway, 'fetchLink')
    onTestFinished(() => fetchLink.mockRestore())
    const { next_emi_payment } = await offer()
    const link = (await create(next_emi_payment?.amount)).body['payment_link_id']
    const countFetches = async () => {
      // No sweep fetches the link.
      await app.database.asSystem((sql) =>
        sql
          .updateTable('payment_links')
          .set({ next_check_at: new Date(app.clock.now().getTime() + dayMs) })
          .where('payment_link_id', '=', String(link))
          .execute(),
      )
      fetchLink.mockClear()
      const polls = await Promise.all(Array.from({ length: 20 }, () => statusOf(link)))
      for (const answer of polls) expect(answer).toEqual({ status: 'created', rps_updated: false })
      return fetchLink.mock.calls.length
    }
    // The answer to the creation is fresh too.
    expect(await countFetches()).toBe(0)
    await app.clock.advance(minuteMs)
    expect(await countFetches()).toBe(1)
    expect(await countFetches()).toBe(0)
    expect((await cancel(link)).status).toBe(200)
  })
})

describe('paying the overdue amount', () => {
  beforeAll(() => signInAs(5))

  it('sets dues and days past due to zero and the loan to ACTIVE', async () => {
    expect(await loan()).toMatchObject({ loan_status: 'OVERDUE', dpd: 45 })
    const { overdue_payment } = await offer()
    const { body } = await create(overdue_payment.amount, 'OVERDUE')
    await pay(body['payment_link_id'])
    await until(async () => (await statusOf(body['payment_link_id']))['rps_updated'])
    expect(await loan()).toMatchObject({ loan_status: 'ACTIVE', dues: 0, dpd: 0 })
  })
})

describe('a refused request', () => {
  beforeEach(() => signInAs(11))

  it.each([
    ['the text 1e3', '1e3'],
    ['a text', '25019'],
    ['nothing', undefined],
    ['null', null],
    ['a list', [5]],
    ['true', true],
    ['a negative', -1],
    ['three decimals', 1.005],
    ['an object', {}],
  ])('400 for an amount that is %s', async (_name, amount) => {
    const answer = await create(amount)
    expect([answer.status, answer.body['code'], answer.body['field']]).toEqual([400, 'InvalidRequest', 'amount'])
    expect(await ongoing()).toBeNull()
  })
  it.each(['{"amount":1e3}', '{"amount":NaN}', '{"amount":0x10}', '[1', '"text"', '{"__proto__":{}}'])(
    '400 for the body %s',
    async (body) => {
      expect((await app.post('/portal/payment-link', body, token)).status).toBe(400)
    },
  )
  it('409 for an amount that is not on offer', async () => {
    const answer = await create(1)
    expect([answer.status, answer.body['code']]).toEqual([409, 'PaymentNotAllowed'])
  })
  it('409 for a foreclosure above the limit of one link', async () => {
    const { foreclosure_payment } = await offer()
    expect(foreclosure_payment?.isLimited).toBe(true)
    expect((await create(foreclosure_payment?.amount, 'FORECLOSURE')).body).toMatchObject({
      code: 'PaymentNotAllowed',
      detail: expect.stringContaining('NEFT'),
    })
  })
  it('409 for a part payment one paisa outside its bounds', async () => {
    const { part_payment } = await offer()
    for (const amount of [part_payment.min_allowed_amount - 0.01, part_payment.max_allowed_amount + 0.01])
      expect((await create(Math.round(amount * 100) / 100, 'PART_PAYMENT__REDUCE_EMI')).status).toBe(409)
  })
  it('400 for another purpose and for another callback address', async () => {
    const { next_emi_payment } = await offer()
    expect((await create(next_emi_payment?.amount, 'TIP')).body['field']).toBe('purpose')
    for (const address of [
      'https://evil.example/payments/waiting-for-payment',
      'http://localhost:3000/',
      'http://localhost:3000/payments/waiting-for-payment?x=1',
      'javascript:alert(1)',
      'nonsense',
    ]) {
      const answer = await app.post('/portal/payment-link', { ...order(next_emi_payment?.amount), callback_url: address }, token)
      expect([answer.status, answer.body['field']], address).toEqual([400, 'callback_url'])
    }
  })
  it('sends the provider the parsed callback address instead of the given text', async () => {
    const { next_emi_payment } = await offer()
    const written = String.raw`http:localhost:3000\@evil.example/../../payments/waiting-for-payment?`
    const { status, body } = await app.post('/portal/payment-link', { ...order(next_emi_payment?.amount), callback_url: written }, token)
    const { links } = (await app.sandbox('/state')) as { links: { id: string }[] }
    expect([status, links.find(({ id }) => id === body['payment_link_id'])]).toEqual([
      200,
      // The provider writes to nobody, and takes the whole amount only.
      expect.objectContaining({
        callback_url: waitingPage,
        accept_partial: false,
        notify: { sms: false, email: false, whatsapp: false },
        reminder_enable: false,
      }),
    ])
    expect((await cancel(body['payment_link_id'])).status).toBe(200)
  })
  it('accepts the waiting page under every name of this machine', async () => {
    const { next_emi_payment } = await offer()
    const { status, body } = await app.post(
      '/portal/payment-link',
      { ...order(next_emi_payment?.amount), callback_url: 'http://127.0.0.1:3000/payments/waiting-for-payment' },
      token,
    )
    expect(status).toBe(200)
    expect((await cancel(body['payment_link_id'])).status).toBe(200)
  })
  it('401 without a token', async () => {
    expect((await app.post('/portal/payment-link', order(1))).body).toMatchObject({ status: 401, code: 'AuthSessionExpired' })
  })
  it("the same 404 for another borrower's loan, an unknown loan and ids of two loans", async () => {
    await signInAs(2)
    const answers = [
      await app.get('/portal/ongoing-payment?application_id=KST-24-004173', token),
      await app.get('/portal/ongoing-payment?application_id=KST-00-000000', token),
      await app.post('/portal/payment-link', { ...order(9000), application_id: 'KST-21-000317' }, token),
    ]
    const bodies = answers.map(({ status, body: { request_id: _id, ...body } }) => ({ status, body }))
    expect(bodies[0]).toMatchObject({ status: 404, body: { code: 'NotFound' } })
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
  })
  it("404 for another's link, whatever is asked of it", async () => {
    const { next_emi_payment } = await offer()
    const { body } = await create(next_emi_payment?.amount)
    const mine = token
    await signInAs(1)
    expect((await app.get(`/portal/payment-link/status?payment_link_id=${body['payment_link_id']}`, token)).status).toBe(404)
    expect((await cancel(body['payment_link_id'])).status).toBe(404)
    expect((await app.patch(`/payments/payment-link/cancel?payment_link_id=${body['payment_link_id']}`, {}, mine)).status).toBe(200)
  })
  it('400 for a repeated parameter and for an id that is a path', async () => {
    expect((await app.get(`/portal/ongoing-payment?application_id=${lan}&application_id=${lan}`, token)).status).toBe(400)
    expect((await app.get('/portal/payment-link/status?payment_link_id=..%2Fpayments', token)).status).toBe(400)
  })
})

describe('an instalment of which less than a rupee is left', () => {
  it('is not paid by a link, which the provider would refuse', async () => {
    await signInAs(16)
    const { next_emi_payment } = await offer()
    const left = 0.5
    const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    await changeLoan(createLoanChangeContext(app.context), {
      ...(key ?? { borrowerId: '', loanId: '' }),
      actor: { actorId: 'operator', name: 'test', reason: null },
      whileLinkOpen: 'refuse',
      write: async (loan) => {
        const amountPaise = rupeesToPaise((next_emi_payment?.amount ?? 0) - left)
        const payment = { mode: 'neft', reference: 'UTR-LESS', amountPaise, date: dayInIndia(loan.now), purpose: 'PAY_EMI' } as const
        await recordPayment(loan, payment)
        return { answer: null, log: { action: 'payment_recorded', detail: {} } }
      },
    })
    expect((await offer()).next_emi_payment?.amount).toBe(left)
    expect(await create(left)).toMatchObject({
      status: 409,
      body: { code: 'PaymentNotAllowed', field: 'amount', detail: expect.stringContaining('at least ₹1') },
    })
    expect(await ongoing()).toBeNull()
  })
})

describe('one link at a time', () => {
  beforeAll(() => signInAs(7))

  it('20 simultaneous requests create one open link', async () => {
    const { next_emi_payment } = await offer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(next_emi_payment?.amount)))
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body['payment_link_id'])
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made).size).toBe(1)
    expect(
      answers
        .filter(({ status }) => status !== 200)
        .every(({ status, body }) => status === 409 && body['code'] === 'PaymentAlreadyPending'),
    ).toBe(true)
    const { links } = await app.sandbox('/state')
    expect((links as { id: string }[]).filter(({ id }) => made.includes(id))).toHaveLength(1)
    expect((await cancel(made[0])).body).toMatchObject({ success: true, payment_link: { status: 'cancelled' } })
    expect(await ongoing()).toBeNull()
  })
  it('a request that another one overtakes after its look gets the same link', async () => {
    const { next_emi_payment } = await offer()
    const key = await app.database.asSystem((sql) => findLoanKey(sql, lan))
    if (!key) throw new Error('There is no loan')
    const { gateway } = app.context
    const [released, bothAsk] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let asked = 0
    const createLink: typeof gateway.createLink = async (link) => {
      asked += 1
      if (asked === 2) bothAsk.resolve()
      await bothAsk.promise
      return gateway.createLink(link)
    }
    app.context.gateway = { ...gateway, createLink }
    // Both have seen that there is no link when they wait for the loan.
    const holding = app.database.asBorrower(key.borrowerId, async (sql) => {
      await lockOwnLoan(sql, key.borrowerId, key.loanId)
      await released.promise
    })
    const both = Promise.all([create(next_emi_payment?.amount), create(next_emi_payment?.amount)])
    try {
      await until(async () => (await countLockWaits(app.databaseUrls.superuserUrl, 'loans')) >= 2)
    } finally {
      released.resolve()
      await holding
    }
    const answers = await both
    app.context.gateway = gateway
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [link, other] = answers.map(({ body }) => body['payment_link_id'])
    expect(link).toBe(other)
    await cancel(link)
  })
  it('the same Idempotency-Key gets the same link, another body under it 422', async () => {
    const { next_emi_payment } = await offer()
    const key = { 'idempotency-key': 'tab-1-attempt-1' }
    const first = await app.post('/portal/payment-link', order(next_emi_payment?.amount), token, key)
    const again = await app.post('/portal/payment-link', order(next_emi_payment?.amount), token, key)
    expect(again.body).toEqual(first.body)
    const other = await app.post('/portal/payment-link', order(1), token, key)
    expect([other.status, other.body['code']]).toEqual([422, 'IdempotencyKeyReused'])
    await cancel(first.body['payment_link_id'])
  })
  it('cancelled twice is cancelled; expired cannot be', async () => {
    const { next_emi_payment } = await offer()
    const { body } = await create(next_emi_payment?.amount)
    expect((await cancel(body['payment_link_id'])).status).toBe(200)
    expect((await cancel(body['payment_link_id'])).status).toBe(200)
    const second = await create(next_emi_payment?.amount)
    await app.sandbox(`/links/${second.body['payment_link_id']}/expire`, {})
    const refused = await cancel(second.body['payment_link_id'])
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ code: 'PaymentLinkNotCancellable', payment_link: expect.objectContaining({ status: 'expired' }) }),
    ])
    expect(await ongoing()).toBeNull()
  })
})

describe('when the provider fails', () => {
  beforeEach(async () => {
    await signInAs(7)
    await app.sandbox('/faults', { clear: true })
  })

  it('503 when the creation is not confirmed, then the same link is found', async () => {
    const { next_emi_payment } = await offer()
    await app.sandbox('/faults', { call: 'create', kind: 'reset_after', times: 1 })
    await app.sandbox('/faults', { call: 'list', kind: 'reset', times: 1 })
    const lost = await create(next_emi_payment?.amount)
    expect([lost.status, lost.body['code']]).toEqual([503, 'PaymentGatewayUnavailable'])
    expect(await ongoing()).toBeNull()
    const { part_payment } = await offer()
    const other = await create(part_payment.min_allowed_amount, 'PART_PAYMENT__REDUCE_EMI')
    expect([other.status, other.body['code'], other.headers.get('retry-after'), other.body['detail']]).toEqual([
      409,
      'PaymentAlreadyPending',
      '120',
      'Your last attempt is still being checked. Try again in two minutes, or make the same payment again.',
    ])
    const found = await create(next_emi_payment?.amount)
    expect(found.status).toBe(200)
    const { links } = await app.sandbox('/state')
    expect((links as { status: string }[]).filter(({ status }) => status === 'created')).toHaveLength(1)
    await cancel(found.body['payment_link_id'])
  })
  it('503 when the link was not created, then it is created once under the same reference', async () => {
    const { next_emi_payment } = await offer()
    await app.sandbox('/faults', { call: 'create', kind: 'reset', times: 1 })
    expect((await create(next_emi_payment?.amount)).status).toBe(503)
    const made = await create(next_emi_payment?.amount)
    expect(made.status).toBe(200)
    await cancel(made.body['payment_link_id'])
  })
  it('502 when the provider refuses, and a new link is possible', async () => {
    const { next_emi_payment } = await offer()
    await app.sandbox('/faults', { call: 'create', kind: 'status', status: 400, times: 1 })
    expect((await create(next_emi_payment?.amount)).body).toMatchObject({ status: 502, code: 'PaymentGatewayRefused' })
    const made = await create(next_emi_payment?.amount)
    expect(made.status).toBe(200)
    await cancel(made.body['payment_link_id'])
  })
  it('a link with a different amount is never shown', async () => {
    const { next_emi_payment } = await offer()
    await app.sandbox('/faults', { call: 'create', kind: 'wrong_amount', amount_delta: 100, times: 1 })
    expect((await create(next_emi_payment?.amount)).status).toBe(502)
    expect(await ongoing()).toBeNull()
  })
  it('503 for a cancel that is not confirmed, nothing changed', async () => {
    const { next_emi_payment } = await offer()
    const { body } = await create(next_emi_payment?.amount)
    await app.sandbox('/faults', { call: 'cancel', kind: 'reset', times: 1 })
    expect((await cancel(body['payment_link_id'])).status).toBe(503)
    expect(await ongoing()).toMatchObject({ status: 'created' })
    expect((await cancel(body['payment_link_id'])).status).toBe(200)
  })
  it('a cancel after the payment answers that the link is paid', async () => {
    const { next_emi_payment } = await offer()
    const { body } = await create(next_emi_payment?.amount)
    await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
    await pay(body['payment_link_id'])
    const refused = await cancel(body['payment_link_id'])
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ payment_link: expect.objectContaining({ status: 'paid' }) }),
    ])
    expect((await completed())[0]).toMatchObject({ payment_link_id: body['payment_link_id'], rps_updated: true })
  })
})
