import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { failingPhone } from '../adapters/sms/outbox.ts'
import { signInSteps, strictSettings } from './sign-in.testing.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: strictSettings })
  steps = signInSteps(app)
})
afterAll(() => app.close())

describe('POST /auth/login', () => {
  it('200: sends a code and returns what the next step needs', async () => {
    const { phone } = await steps.addPerson()
    const now = app.context.clock.now().getTime()
    const { status, body } = await steps.login(phone)
    expect(status).toBe(200)
    expect(body).toEqual({
      session_token: expect.stringMatching(/^[\w-]{43}$/),
      session: body.session_token,
      resend_after_seconds: 30,
      expires_at: expect.stringMatching(/Z$/),
    })
    const lifetimeMs = Date.parse(body.expires_at ?? '') - now
    expect(lifetimeMs).toBeGreaterThanOrEqual(5 * 60_000)
    expect(lifetimeMs).toBeLessThanOrEqual(5 * 60_000 + app.context.clock.now().getTime() - now)
    expect(steps.messagesTo(phone)).toHaveLength(1)
  })

  it('200: the message is in the demo’s outbox a moment later', async () => {
    const { phone } = await steps.addPerson()
    await steps.login(phone)
    const [message] = steps.messagesTo(phone)
    await vi.waitFor(
      () =>
        expect(app.outbox().filter(({ to }) => to === phone)).toEqual([
          { at: expect.stringMatching(/Z$/), to: phone, text: message?.text, code: message?.code },
        ]),
      60_000,
    )
  })

  it('200: a message refused by the carrier does not change the answer', async () => {
    const { phone } = await steps.addPerson({ phone: failingPhone })
    expect((await steps.login(phone)).status).toBe(200)
  })

  it('200: reads ten digits as an Indian number', async () => {
    const { phone } = await steps.addPerson()
    expect((await steps.login(phone.slice('+91'.length))).status).toBe(200)
    expect(steps.messagesTo(phone)).toHaveLength(1)
  })

  it('A22: the message names the service, warns, and ends with the line that binds the code to our host', async () => {
    const { phone } = await steps.addPerson()
    await steps.login(phone)
    const [message] = steps.messagesTo(phone)
    const { brand } = app.context.config.portal
    expect(message?.text).toContain(brand.name)
    expect(message?.text).toMatch(/do not share/i)
    const host = new URL(app.context.config.origins[0] ?? '').hostname
    expect(message?.text.split('\n').at(-1)).toBe(`@${host} #${message?.code}`)
    expect(message?.text.length).toBeLessThanOrEqual(160)
  })

  it('404: an unknown or disabled phone, and no message', async () => {
    const { phone } = await steps.addPerson({ disabled: true })
    for (const unknownPhone of [phone, '+919999999999', '9999999999']) {
      const { status, body, headers } = await steps.login(unknownPhone)
      expect([status, body.code]).toEqual([404, 'AuthUserNotFoundError'])
      expect(headers.get('content-type')).toContain('application/problem+json')
    }
    expect(steps.messagesTo(phone)).toEqual([])
  })

  it('404: a phone outside India gets no message, not even a user’s', async () => {
    const { phone } = await steps.addPerson({ phone: '+18005550123' })
    const { status, body } = await steps.login(phone)
    expect([status, body.code]).toEqual([404, 'AuthUserNotFoundError'])
    expect(steps.messagesTo(phone)).toEqual([])
  })

  it.each([
    ['nine digits', '811000000'],
    ['eleven digits', '81100000001'],
    ['a country code of four digits', '+12348110000001'],
    ['a plus sign alone before ten digits', '+8110000001'],
    ['letters', '81100000ab'],
    ['spaces', ' 8110000001'],
    ['a line end', '8110000001\n'],
    ['A23: Devanagari digits', '८११००००००१'],
    ['A23: full-width digits', '８１１００００００１'],
    ['NUL', '8110000001\u0000'],
    ['nothing', ''],
    ['null', null],
    ['a number', 8110000001],
    ['a list', ['8110000001']],
    ['an object', { phone: '8110000001' }],
  ])('400: %s', async (_what, phone) => {
    const { status, body } = await steps.login(phone)
    expect([status, body.code, body.field]).toEqual([400, 'InvalidRequest', 'phone'])
  })

  it('400: no body at all', async () => {
    const { status, body } = await steps.call('POST', '/auth/login')
    expect([status, body.code]).toEqual([400, 'InvalidRequest'])
  })

  it('A12: 429 from the server before the resend delay is over, with Retry-After; then 60, then 120 s', async () => {
    const { phone } = await steps.addPerson()
    const askedAt = app.clock.now().getTime()
    await steps.login(phone)
    await app.clock.advance(10_000)
    const early = await steps.login(phone)
    const elapsedSeconds = (app.clock.now().getTime() - askedAt) / 1_000
    expect([early.status, early.body.code]).toEqual([429, 'AuthResendTooSoon'])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(30 - elapsedSeconds)
    expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(20)
    await app.clock.advance(20_000)
    expect((await steps.login(phone)).body.resend_after_seconds).toBe(60)
    await app.clock.advance(40_000)
    expect((await steps.login(phone)).body.code).toBe('AuthResendTooSoon')
    await app.clock.advance(20_000)
    expect((await steps.login(phone)).body.resend_after_seconds).toBe(120)
    expect(steps.messagesTo(phone)).toHaveLength(3)
  })

  it('A12: the delay applies to concurrent calls: one message', async () => {
    const { phone } = await steps.addPerson()
    const answers = await Promise.all(Array.from({ length: 20 }, () => steps.login(phone)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'AuthResendTooSoon')).toHaveLength(19)
    expect(steps.messagesTo(phone)).toHaveLength(1)
  })

  it('A13: 429 over the sends of a phone, without a message, until the oldest one no longer counts', async () => {
    const { phone } = await steps.addPerson()
    const other = await steps.addPerson()
    const askedAt = app.clock.now().getTime()
    for (let send = 0; send < 3; send++) {
      expect((await steps.login(phone)).status).toBe(200)
      await app.clock.advance(120_000)
    }
    const over = await steps.login(phone)
    const elapsedSeconds = (app.clock.now().getTime() - askedAt) / 1_000
    expect([over.status, over.body.code]).toEqual([429, 'AuthTooManyAttemptsError'])
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThanOrEqual(600 - elapsedSeconds)
    expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(240)
    expect((await steps.login(other.phone)).status).toBe(200)
    await app.clock.advance(240_000)
    expect((await steps.login(phone)).status).toBe(200)
    expect(steps.messagesTo(phone)).toHaveLength(4)
  })

  it('A07: a new code ends the previous one', async () => {
    const { phone } = await steps.addPerson()
    const first = await steps.receiveCode(phone)
    await app.clock.advance(30_000)
    const second = await steps.receiveCode(phone)
    const old = await steps.verify(first.sessionToken, first.code)
    expect([old.status, old.body.code]).toEqual([400, 'AuthInvalidOTPError'])
    expect((await steps.verify(second.sessionToken, second.code)).status).toBe(200)
  })
})
