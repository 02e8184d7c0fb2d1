import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { minuteMs } from '#domain/durations.ts'
import { signInSteps, strictSettings, type Answer } from './sign-in.testing.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: strictSettings })
  steps = signInSteps(app)
})
afterAll(() => app.close())

const summarise = ({ status, body }: Answer) => [status, body.code ?? Object.keys(body).sort().join()]
const successor = [200, 'expires_at,resend_after_seconds,session_token']
const mismatch = [400, 'AuthInvalidOTPError']
const tooMany = [429, 'AuthTooManyAttemptsError']

async function expiredCode(phone: string) {
  const received = await steps.receiveCode(phone)
  await app.clock.advance(5 * minuteMs)
  return received
}

/** The eight rules for an expired code at POST /auth/verify. */
describe('an expired code', () => {
  it('A05: gives no token after five minutes, but a new session token and a new code that works', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await expiredCode(phone)
    const answer = await steps.verify(sessionToken, code)
    expect(summarise(answer)).toEqual(successor)
    expect(answer.body.session_token).not.toBe(sessionToken)
    const sent = steps.readCode(phone)
    expect((await steps.verify(answer.body.session_token, sent.code)).body.token).toEqual(expect.any(String))
  })

  it('A05: is valid until then', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    await app.clock.advance(4 * minuteMs + 30_000)
    expect((await steps.verify(sessionToken, code)).body.token).toEqual(expect.any(String))
  })

  it('rule 1: a consumed, superseded, exhausted or made-up token gets no successor', async () => {
    const consumed = await steps.addPerson()
    const used = await steps.receiveCode(consumed.phone)
    await steps.verify(used.sessionToken, used.code)
    const superseded = await steps.addPerson()
    const first = await steps.receiveCode(superseded.phone)
    const exhausted = await steps.addPerson()
    const tried = await steps.receiveCode(exhausted.phone)
    for (let attempt = 0; attempt < 3; attempt++) await steps.verify(tried.sessionToken, tried.wrongCode)
    await app.clock.advance(minuteMs)
    await steps.login(superseded.phone)
    await app.clock.advance(5 * minuteMs)
    expect(summarise(await steps.verify(used.sessionToken, used.code))).toEqual(mismatch)
    expect(summarise(await steps.verify(first.sessionToken, first.code))).toEqual(mismatch)
    expect(summarise(await steps.verify(tried.sessionToken, tried.code))).toEqual(tooMany)
    expect(summarise(await steps.verify('A'.repeat(43), '123456'))).toEqual(mismatch)
    expect(steps.messagesTo(consumed.phone)).toHaveLength(1)
    expect(steps.messagesTo(superseded.phone)).toHaveLength(2)
    expect(steps.messagesTo(exhausted.phone)).toHaveLength(1)
  })

  it('rule 2: gets the same answer whether it was right or wrong, and neither counts as a try', async () => {
    const right = await steps.addPerson()
    const wrong = await steps.addPerson()
    const a = await steps.receiveCode(right.phone)
    const b = await steps.receiveCode(wrong.phone)
    await app.clock.advance(5 * minuteMs)
    const answers = [await steps.verify(a.sessionToken, a.code), await steps.verify(b.sessionToken, b.wrongCode)]
    expect(answers.map(summarise)).toEqual([successor, successor])
    expect(answers.map(({ body }) => body.resend_after_seconds)).toEqual([60, 60])
    const phones = await app.context.database.asSystem((sql) =>
      sql.selectFrom('sign_in_phones').select('failures').where('phone', 'in', [right.phone, wrong.phone]).execute(),
    )
    expect(phones).toEqual([{ failures: 0 }, { failures: 0 }])
  })

  it('rule 3: its successor counts as a send; over a limit there is no successor and no message', async () => {
    const { phone } = await steps.addPerson()
    let { sessionToken, code } = await expiredCode(phone)
    for (let send = 2; send <= 5; send++) {
      const answer = await steps.verify(sessionToken, code)
      expect(summarise(answer)).toEqual(successor)
      sessionToken = answer.body.session_token ?? ''
      code = steps.readCode(phone).code
      await app.clock.advance(5 * minuteMs)
    }
    const over = await steps.verify(sessionToken, code)
    expect(summarise(over)).toEqual(tooMany)
    // Not the refusal of a code that is used up: no wrong code was entered.
    expect(over.body.refusal).toBeUndefined()
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(30 * 60)
    expect(steps.messagesTo(phone)).toHaveLength(5)
  })

  it('rule 3: the resend delay starts with its successor', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await expiredCode(phone)
    await steps.verify(sessionToken, code)
    expect(summarise(await steps.login(phone))).toEqual([429, 'AuthResendTooSoon'])
  })

  it('rule 4: has one successor, also for concurrent requests', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await expiredCode(phone)
    const answers = await Promise.all(Array.from({ length: 20 }, () => steps.verify(sessionToken, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'AuthInvalidOTPError')).toHaveLength(19)
    expect(steps.messagesTo(phone)).toHaveLength(2)
  })

  it('rule 5: has a successor for ten minutes, then none', async () => {
    const inTime = await steps.addPerson()
    const late = await steps.addPerson()
    const a = await expiredCode(inTime.phone)
    await app.clock.advance(9 * minuteMs + 30_000)
    expect(summarise(await steps.verify(a.sessionToken, a.code))).toEqual(successor)
    const b = await expiredCode(late.phone)
    await app.clock.advance(10 * minuteMs)
    expect(summarise(await steps.verify(b.sessionToken, b.code))).toEqual(mismatch)
    expect(steps.messagesTo(late.phone)).toHaveLength(1)
  })

  it('rule 6: passes its wrong tries on to the successor', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, wrongCode } = await steps.receiveCode(phone)
    for (let attempt = 0; attempt < 2; attempt++) await steps.verify(sessionToken, wrongCode)
    await app.clock.advance(5 * minuteMs)
    const { body } = await steps.verify(sessionToken, wrongCode)
    const sent = steps.readCode(phone)
    expect(summarise(await steps.verify(body.session_token, sent.wrongCode))).toEqual(mismatch)
    expect(summarise(await steps.verify(body.session_token, sent.code))).toEqual(tooMany)
  })

  it('rule 7: is invalid once its successor exists', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await expiredCode(phone)
    await steps.verify(sessionToken, code)
    const codes = await app.context.database.asSystem((sql) =>
      sql.selectFrom('sign_in_codes').select(['created_at', 'superseded_at']).where('phone', '=', phone).orderBy('created_at').execute(),
    )
    expect(codes).toEqual([
      { created_at: expect.any(Date), superseded_at: codes[1]?.created_at },
      { created_at: expect.any(Date), superseded_at: null },
    ])
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(mismatch)
  })

  it('rule 8: its successor goes to the same phone and verifies only with its own code', async () => {
    const { phone, userId } = await steps.addPerson()
    const { sessionToken, code } = await expiredCode(phone)
    const { body } = await steps.verify(sessionToken, code)
    const sent = steps.readCode(phone)
    // With a chance of one in a million the new code equals the old one.
    if (sent.code !== code) expect(summarise(await steps.verify(body.session_token, code))).toEqual(mismatch)
    expect((await steps.verify(body.session_token, sent.code)).body.user?.user_id).toBe(userId)
  })

  it('of someone disabled meanwhile has none', async () => {
    const { phone, userId } = await steps.addPerson()
    const { sessionToken, code } = await expiredCode(phone)
    await app.context.database.asSystem((sql) =>
      sql.updateTable('users').set({ disabled_at: app.context.clock.now() }).where('user_id', '=', userId).execute(),
    )
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(mismatch)
    expect(steps.messagesTo(phone)).toHaveLength(1)
  })
})
