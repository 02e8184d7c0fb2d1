import { sql as raw } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { failingPhone } from '../adapters/sms/outbox.ts'
import { createJobHandlers } from '../job-handlers.ts'
import { newAddress, signInSteps, strictSettings, type Answer, type From } from './sign-in.testing.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: strictSettings })
  steps = signInSteps(app)
  await steps.addPerson({ phone: failingPhone })
})
afterAll(() => app.close())

const ask = (sessionToken: string, from?: From): Promise<Answer> =>
  steps.call('GET', `/auth/code-status?session_token=${encodeURIComponent(sessionToken)}`, undefined, undefined, from)
const statusOf = async (sessionToken: string): Promise<unknown> => (await ask(sessionToken)).body.status
const setRetries = (delaySeconds: number) =>
  app.database.asSystem((sql) => raw`update pgboss.queue set retry_delay = ${delaySeconds}, retry_backoff = false`.execute(sql))
/** Each test of the failing phone needs a new code of it. */
const receiveFailingCode = async (): Promise<string> => {
  await app.clock.advance(86_400_000)
  return String((await steps.login(failingPhone)).body.session_token)
}

describe('GET /auth/code-status', () => {
  beforeEach(() => setRetries(3_600))

  it('200 sent: once the carrier has taken the message', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken } = await steps.receiveCode(phone)
    await until(async () => (await statusOf(sessionToken)) === 'sent')
    expect(app.outbox().filter(({ to }) => to === phone)).toHaveLength(1)
  })

  it('200 waiting: while the sending job is retried', async () => {
    const sessionToken = await receiveFailingCode()
    const isRetried = async () =>
      (await app.database.asSystem((sql) => raw`select 1 from pgboss.job where name = 'send-sms' and state = 'retry'`.execute(sql))).rows
        .length > 0
    await until(isRetried)
    expect((await ask(sessionToken)).body).toEqual({ status: 'waiting' })
  })

  it('200 waiting: a code that waits for a token of the breaker', async () => {
    const { phone } = await steps.addPerson()
    // The bucket is empty; the next of 300 tokens a day, one in 288 s, is free in a minute.
    const fullAt = new Date(app.clock.now().getTime() + 86_400_000 - 288_000 + 60_000)
    await app.database.asSystem((sql) => sql.updateTable('sign_in_breaker').set({ full_at: fullAt }).execute())
    const { sessionToken } = await steps.receiveCode(phone)
    await app.database.asSystem((sql) => sql.updateTable('sign_in_breaker').set({ full_at: app.clock.now() }).execute())
    expect(steps.messagesTo(phone)[0]?.delayMs).toBeGreaterThan(0)
    expect(await statusOf(sessionToken)).toBe('waiting')
  })

  it('200 failed: once the retries are given up; the next code is reported anew', async () => {
    await setRetries(0)
    const sessionToken = await receiveFailingCode()
    await until(async () => (await statusOf(sessionToken)) === 'failed')
    await setRetries(3_600)
    expect(await statusOf(await receiveFailingCode())).toBe('waiting')
  })

  it('200 failed: a message that was dropped because its code had expired', async () => {
    const sessionToken = await receiveFailingCode()
    const message = steps.messagesTo(failingPhone).at(-1)
    expect(message?.tokenHash).toBeTypeOf('string')
    await app.clock.advance(5 * 60_000)
    const work = createJobHandlers(app.context, { send: () => Promise.reject(new Error('nothing may be sent')) })
    await work['send-sms']({ ...message, expiresAt: app.clock.now().toISOString() } as typeof message & object, {
      isLast: false,
    })
    expect(await statusOf(sessionToken)).toBe('failed')
  })

  it('400: a session token that verify refuses gets the same refusal', async () => {
    const unused = await steps.addPerson()
    const superseded = (await steps.receiveCode(unused.phone)).sessionToken
    await app.clock.advance(30_000)
    const latest = (await steps.receiveCode(unused.phone)).sessionToken
    const signedIn = await steps.addPerson()
    const used = await steps.receiveCode(signedIn.phone)
    await steps.verify(used.sessionToken, used.code)
    const closed = await steps.addPerson()
    const ofClosed = (await steps.receiveCode(closed.phone)).sessionToken
    await app.database.asSystem((sql) =>
      sql.updateTable('users').set({ disabled_at: app.clock.now() }).where('user_id', '=', closed.userId).execute(),
    )
    const refuses = async (sessionToken: string) => {
      const [status, verified] = [await ask(sessionToken), await steps.verify(sessionToken, '000000')]
      expect([status.status, status.body.code]).toEqual([400, 'AuthInvalidOTPError'])
      expect({ ...status.body, request_id: '' }).toEqual({ ...verified.body, request_id: '' })
    }
    for (const sessionToken of ['nobody', superseded, used.sessionToken, ofClosed]) await refuses(sessionToken)
    expect((await ask(latest)).status).toBe(200)
    await app.clock.advance(14 * 60_000)
    expect((await ask(latest)).status).toBe(200)
    await app.clock.advance(60_000)
    await refuses(latest)
  })

  it('400: a session token that is empty or too long', async () => {
    for (const sessionToken of ['', 'x'.repeat(201)]) {
      const { status, body } = await ask(sessionToken)
      expect([status, body.code, body.field]).toEqual([400, 'InvalidRequest', 'session_token'])
    }
  })

  it('uses up no answer of the network and no guess of the code', async () => {
    const { phone } = await steps.addPerson()
    const address = newAddress()
    const { sessionToken, code } = await steps.receiveCode(phone, { address })
    for (let asked = 0; asked < 15; asked += 1) expect((await ask(sessionToken, { address })).status).toBe(200)
    expect((await steps.login('+919999999999', { address })).status).toBe(404)
    expect((await steps.verify(sessionToken, code, { address })).status).toBe(200)
  })
})
