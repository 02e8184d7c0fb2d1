import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { nilUuid } from '#contract/uuid.ts'
import { advanceUntil, quickSweeps } from '#testkit/advance-until.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { holdStep } from '#testkit/hold-step.ts'
import { expectInvariantsHold } from '#testkit/invariants.ts'
import { firstLoan, waitingPage } from '#testkit/payments.ts'
import { startApp, type Answer, type App } from '#testkit/start-app.ts'
import { findLoanKey } from '../loans/loan-store.ts'
import { Failure } from './failure.ts'
import { answerOnce } from './idempotency.ts'

let app: App
let token: string
let lan: string
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { ...quickSweeps, KIST_FAIL: 'none' } })
})
afterEach(async () => {
  await app.sandbox('/faults', { clear: true })
  await expectInvariantsHold(app)
})
afterAll(() => app.close())

async function signInAs(number: number, on = app) {
  token = await on.signIn(demoPhone(number))
  lan = await firstLoan(on, token)
}
const order = (amount: unknown) => ({
  amount,
  lead_id: lan,
  application_id: lan,
  purpose: 'PART_PAYMENT__REDUCE_EMI',
  callback_url: waitingPage,
})
const createLink = (key: string, amount: unknown = 12_345): Promise<Answer> =>
  app.post('/portal/payment-link', order(amount), token, { 'idempotency-key': key })
const cancel = (link: unknown) => app.patch(`/payments/payment-link/cancel?payment_link_id=${link}`, {}, token)
const withoutRequestId = ({ status, body: { request_id: _id, ...body } }: Answer) => ({ status, body })
const linksAtProvider = async () => ((await app.sandbox('/state')) as { links: { id: string; status: string }[] }).links
const openAtProvider = async () => (await linksAtProvider()).filter(({ status }) => status === 'created').map(({ id }) => id)
const rowsOf = (key: string) =>
  app.database.asSystem((sql) => sql.selectFrom('idempotent_requests').selectAll().where('idempotency_key', '=', key).execute())

describe('a payment link asked for under an Idempotency-Key', () => {
  beforeAll(() => signInAs(7))

  it('200 is repeated unchanged, whatever the link’s status is', async () => {
    const first = await createLink('repeated-200')
    expect(first.status).toBe(200)
    expect((await cancel(first.body['payment_link_id'])).status).toBe(200)
    const again = await createLink('repeated-200')
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await openAtProvider()).toEqual([])
  })

  it('409 is repeated unchanged; a new attempt needs a new key', async () => {
    const other = await createLink('other-tab-of-409')
    const first = await createLink('repeated-409')
    expect([first.status, first.body['code']]).toEqual([409, 'PaymentAlreadyPending'])
    await cancel(other.body['payment_link_id'])
    expect(withoutRequestId(await createLink('repeated-409'))).toEqual(withoutRequestId(first))
    const anew = await createLink('attempt-after-409')
    expect(anew.status).toBe(200)
    await cancel(anew.body['payment_link_id'])
  })

  it('502 is repeated unchanged, without another call to the provider', async () => {
    await app.sandbox('/faults', { call: 'create', kind: 'status', status: 400, times: 1 })
    const first = await createLink('repeated-502')
    expect([first.status, first.body['code']]).toEqual([502, 'PaymentGatewayRefused'])
    expect(withoutRequestId(await createLink('repeated-502'))).toEqual(withoutRequestId(first))
    expect(await openAtProvider()).toEqual([])
  })

  it('has 1 to 255 printable characters', async () => {
    for (const key of ['x'.repeat(256), 'with space'])
      expect((await createLink(key)).body).toMatchObject({ code: 'InvalidRequest', field: 'Idempotency-Key' })
    const first = await createLink('k')
    expect(first.status).toBe(200)
    expect((await createLink('k')).body).toEqual(first.body)
    await cancel(first.body['payment_link_id'])
  })

  it('422 for another body with it, and the first answer stays', async () => {
    const first = await createLink('another-body')
    const other = await createLink('another-body', 12_346)
    expect([other.status, other.body['code'], other.body['field']]).toEqual([422, 'IdempotencyKeyReused', 'Idempotency-Key'])
    expect((await createLink('another-body')).body).toEqual(first.body)
    await cancel(first.body['payment_link_id'])
  })

  it('400, 401 and 404 are not stored: the same key works after a correction', async () => {
    expect((await createLink('not-final', 'nonsense')).status).toBe(400)
    const key = { 'idempotency-key': 'not-final' }
    expect((await app.post('/portal/payment-link', { ...order(12_345), callback_url: 'http://evil.example/' }, token, key)).status).toBe(
      400,
    )
    expect((await app.post('/portal/payment-link', order(12_345), undefined, key)).status).toBe(401)
    expect((await app.post('/portal/payment-link', { ...order(12_345), lead_id: 'NONE' }, token, key)).status).toBe(404)
    expect(await rowsOf('not-final')).toEqual([])
    const { status, body } = await createLink('not-final')
    expect(status).toBe(200)
    await cancel(body['payment_link_id'])
  })

  it('after 503 the retry finds the created link, once', async () => {
    await app.sandbox('/faults', { call: 'create', kind: 'reset_after', times: 1 })
    await app.sandbox('/faults', { call: 'list', kind: 'reset', times: 2 })
    expect((await createLink('unknown-count')).status).toBe(503)
    expect((await createLink('unknown-count')).status).toBe(503)
    const [count] = await openAtProvider()
    const { status, body } = await createLink('unknown-count')
    expect([status, body['payment_link_id']]).toEqual([200, count])
    expect(body['redirect_url']).toMatch(/^http/)
    expect(await openAtProvider()).toEqual([count])
    await cancel(count)
  })

  it('after 503 the retry for a link that was never created is 502 once that is certain, and never 200', async () => {
    await app.sandbox('/faults', { call: 'create', kind: 'reset', times: 1 })
    expect((await createLink('unknown-lost')).status).toBe(503)
    await advanceUntil(app, 300_000, async () => {
      const link = await app.database.asSystem((sql) =>
        sql.selectFrom('payment_links').select('status').orderBy('created_at', 'desc').executeTakeFirst(),
      )
      return link?.status === 'refused'
    })
    // The first session may have been idle for too long.
    await signInAs(7)
    const settled = await createLink('unknown-lost')
    expect([settled.status, settled.body['code']]).toEqual([502, 'PaymentGatewayRefused'])
    expect((await createLink('unknown-lost')).status).toBe(502)
    const anew = await createLink('attempt-after-lost')
    expect(anew.status).toBe(200)
    await cancel(anew.body['payment_link_id'])
  })

  it('409 RequestInProgress, with Retry-After, while the first call runs; then its answer', async () => {
    const provider = holdStep(app, 'link_made')
    const first = createLink('still-running')
    await provider.reached()
    const [second, third] = await Promise.all([createLink('still-running'), createLink('still-running')])
    for (const { status, headers, body } of [second, third])
      expect([status, body['code'], headers.get('retry-after')]).toEqual([409, 'RequestInProgress', '2'])
    provider.release()
    const { status, body } = await first
    expect(status).toBe(200)
    expect((await createLink('still-running')).body).toEqual(body)
    await cancel(body['payment_link_id'])
  })

  it('is taken over from a process that died, with the link it created', async () => {
    const first = await createLink('process-died')
    const died = { status: null, answer: null, running_until: new Date(app.clock.now().getTime() + 60_000) }
    await app.database.asSystem((sql) =>
      sql.updateTable('idempotent_requests').set(died).where('idempotency_key', '=', 'process-died').execute(),
    )
    expect((await createLink('process-died')).status).toBe(409)
    await app.clock.advance(70_000)
    expect((await createLink('process-died')).body).toEqual(first.body)
    expect(await openAtProvider()).toEqual([first.body['payment_link_id']])
    await cancel(first.body['payment_link_id'])
  })

  it('makes nothing in an attempt that another one took over meanwhile', async () => {
    const borrowerId = await app.database.asSystem(async (sql) => (await findLoanKey(sql, lan))!.borrowerId)
    const caller = { borrowerId, actorId: borrowerId } as Parameters<typeof answerOnce>[1]
    const request = { call: 'createPaymentLink', key: 'taken-over', body: {} }
    // The attempt is paused: its lease ends without a renewal.
    const paused = answerOnce(app.context, caller, request, async (attempt) => {
      await app.database.asSystem((sql) =>
        sql
          .updateTable('idempotent_requests')
          .set({ running_until: new Date(0) })
          .where('idempotency_key', '=', 'taken-over')
          .execute(),
      )
      expect(await answerOnce(app.context, caller, request, () => Promise.resolve('made by the next'))).toBe('made by the next')
      await app.database.asBorrower(borrowerId, (sql) => attempt.remember(sql, nilUuid))
      return 'made twice'
    })
    await expect(paused).rejects.toMatchObject({ code: 'RequestInProgress' })
    expect(await answerOnce(app.context, caller, request, () => Promise.resolve('made again'))).toBe('made by the next')
  })

  it('is free for the next attempt once one has ended, also if its last renewal took long', async () => {
    const borrowerId = await app.database.asSystem(async (sql) => (await findLoanKey(sql, lan))!.borrowerId)
    const caller = { borrowerId, actorId: borrowerId } as Parameters<typeof answerOnce>[1]
    const request = { call: 'createPaymentLink', key: 'late-renewal', body: {} }
    const renewal = Promise.withResolvers<void>()
    const transactions: Promise<unknown>[] = []
    const database: App['database'] = {
      ...app.database,
      // The first begins the attempt, the second renews it.
      asBorrower: (id, work) => {
        const before = transactions.length === 1 ? renewal.promise : Promise.resolve()
        const transaction = before.then(() => app.database.asBorrower(id, work))
        transactions.push(transaction)
        return transaction
      },
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = answerOnce({ ...app.context, database }, caller, request, async (attempt) => {
      await app.database.asBorrower(borrowerId, (sql) => attempt.remember(sql, nilUuid))
      vi.advanceTimersByTime(2_000)
      setTimeout(renewal.resolve, 50)
      throw new Failure('PaymentGatewayUnavailable', 'not confirmed')
    })
    await expect(first).rejects.toThrow('not confirmed')
    await Promise.all(transactions)
    const next = answerOnce(app.context, caller, request, async ({ madeBefore }) => JSON.stringify(madeBefore))
    expect(await next).toBe(JSON.stringify(nilUuid))
  })

  it('belongs to one person, and expires after 24 hours', async () => {
    const first = await createLink('one-person')
    await cancel(first.body['payment_link_id'])
    await signInAs(1)
    const others = await createLink('one-person')
    expect([others.status, others.body]).toMatchObject([200, {}])
    expect(others.body['payment_link_id']).not.toBe(first.body['payment_link_id'])
    await cancel(others.body['payment_link_id'])
    await app.clock.advance(24 * 3_600_000 + 60_000)
    await signInAs(7)
    const nextDay = await createLink('one-person')
    expect([nextDay.status, nextDay.body]).toMatchObject([200, {}])
    expect(nextDay.body['payment_link_id']).not.toBe(first.body['payment_link_id'])
    await cancel(nextDay.body['payment_link_id'])
  })
})

describe('a session under strict limits', () => {
  let strict: App
  beforeAll(async () => {
    strict = await startApp(inject('cluster'), { town: true, settings: { KIST_LIMITS: 'strict' } })
  })
  afterAll(() => strict.close())

  it('can create 20 links an hour, then gets 429 with Retry-After; another session has its own limit', async () => {
    await signInAs(7, strict)
    const once = async (key: string) => {
      const answer = await strict.post('/portal/payment-link', order(12_345), token, { 'idempotency-key': key })
      if (answer.status === 200)
        await strict.patch(`/payments/payment-link/cancel?payment_link_id=${answer.body['payment_link_id']}`, {}, token)
      return answer
    }
    const startedAt = strict.clock.now().getTime()
    for (let count = 1; count <= 20; count += 1) expect((await once(`quota-${count}-of-20`)).status).toBe(200)
    const refused = await once('quota-21-of-20')
    expect([refused.status, refused.body['code']]).toEqual([429, 'TooManyRequests'])
    const elapsedSeconds = (strict.clock.now().getTime() - startedAt) / 1_000
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(3_600 - elapsedSeconds))
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3_600)
    await strict.clock.advance(120_000)
    await signInAs(7, strict)
    expect((await once('quota-21-of-20')).status).toBe(200)
  })
})
