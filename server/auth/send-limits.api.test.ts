import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { serve, type Server } from '#server/serve.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { pino } from 'pino'
import { signInSteps } from './sign-in.testing.ts'

/** Every request comes through a proxy that is believed, so that a test can come from anywhere. */
const settings = { KIST_LIMITS: 'strict', KIST_TRUSTED_PROXIES: '127.0.0.1', KIST_SMS_PER_MINUTE_MAX: '100000' }

let app: App
let second: Server
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings })
  steps = signInSteps(app)
  second = await serve({
    config: app.context.config,
    clock: app.clock,
    databaseUrl: app.databaseUrls.appUrl,
    razorpayBaseUrl: app.sandboxUrl,
    log: pino({ level: 'silent' }),
    printSms: () => {},
  })
})
afterAll(async () => {
  await second.close()
  await app.close()
})

const hourMs = 3_600_000
let addresses = 0
const newAddress = () => `198.51.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`
const login = async (phone: string, address: string, port: number | null = null) => {
  const url = port === null ? app.url : `http://127.0.0.1:${port}`
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ phone }),
  })
  return {
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')),
    body: (await response.json()) as { code?: string },
  }
}
const newPhones = (count: number) => Promise.all(Array.from({ length: count }, async () => (await steps.addPerson()).phone))
let unknown = 0
const nobody = () => `+9170000${String(++unknown).padStart(5, '0')}`
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('A13: sends from one address', () => {
  it('reach 20 phones that never signed in, in an hour, exactly, over two servers at once', async () => {
    const address = newAddress()
    const phones = await newPhones(24)
    const answers = await Promise.all(phones.map((phone, index) => login(phone, address, index % 2 === 0 ? null : second.port)))
    expect(statuses(answers)).toEqual([...Array.from({ length: 20 }, () => 200), 429, 429, 429, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.code).toBe('AuthTooManyAttemptsError')
    expect(refused?.retryAfter).toBeGreaterThan(3_500)
    const [another = ''] = await newPhones(1)
    expect((await login(another, newAddress())).status).toBe(200)
    await app.clock.advance(hourMs + 1_000)
    expect((await login(phones.at(-1) ?? '', address)).status).toBe(200)
  })

  it('count by the /64 of an IPv6 address', async () => {
    const phones = await newPhones(21)
    for (const [index, phone] of phones.entries())
      expect((await login(phone, `2001:db8:7:9::${index + 1}`)).status).toBe(index < 20 ? 200 : 429)
  })

  it('go on to phones that have signed in before, up to a hundred', async () => {
    const address = newAddress()
    const people = await newPhones(101)
    await app.database.asSystem((sql) =>
      sql
        .insertInto('sign_in_phones')
        .values(people.map((phone) => ({ phone, signed_in_at: new Date(0) })))
        .execute(),
    )
    const answers = []
    for (const phone of people) answers.push((await login(phone, address)).status)
    expect(answers).toEqual([...Array.from({ length: 100 }, () => 200), 429])
  })

  it('P11: an address that nobody trusted tells is not believed', async () => {
    const untrusting = await startApp(inject('cluster'), { settings: { KIST_LIMITS: 'strict' } })
    const { addPerson } = signInSteps(untrusting)
    const { phone, userId } = await addPerson()
    await fetch(`${untrusting.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' },
      body: JSON.stringify({ phone }),
    })
    expect(await untrusting.database.asSystem((sql) => sql.selectFrom('sign_in_addresses').selectAll().execute())).toEqual([])
    expect(userId).toBeTruthy()
    await untrusting.close()
  })
})

describe('asking who has an account', () => {
  it('is answered ten times an hour for one address; then there is no answer for any phone, alike', async () => {
    const address = newAddress()
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) => login(nobody(), address, index % 2 === 0 ? null : second.port)),
    )
    expect(statuses(answers)).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429, 429, 429])
    const [known = ''] = await newPhones(1)
    const [forKnown, forUnknown] = [await login(known, address), await login(nobody(), address)]
    expect(forKnown.status).toBe(429)
    expect({ ...forKnown.body, request_id: '' }).toEqual({ ...forUnknown.body, request_id: '' })
    expect(steps.messagesTo(known)).toEqual([])
    expect((await login(known, newAddress())).status).toBe(200)
    await app.clock.advance(hourMs + 1_000)
    expect((await login(nobody(), address)).status).toBe(404)
  })
})

describe('the budget of all sends', () => {
  it('is exact over two servers, a minute and a day', async () => {
    const { signIn } = app.context.config
    const before = { minute: signIn.smsPerMinuteMax, day: signIn.smsPerDayMax }
    await app.clock.advance(60_000 - (app.clock.now().getTime() % 60_000) + 100)
    signIn.smsPerMinuteMax = 10
    const phones = await newPhones(28)
    const answers = await Promise.all(
      phones.slice(0, 14).map((phone, index) => login(phone, newAddress(), index % 2 === 0 ? null : second.port)),
    )
    expect(statuses(answers)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.retryAfter).toBeLessThanOrEqual(60)
    await app.clock.advance(60_000)
    expect((await login(phones[20] ?? '', newAddress())).status).toBe(200)
    signIn.smsPerMinuteMax = before.minute
    signIn.smsPerDayMax = 1
    expect((await login(phones[21] ?? '', newAddress())).status).toBe(429)
    signIn.smsPerDayMax = before.day
  })
})

describe('the breaker', () => {
  it('opens when fifty codes of ten minutes were used by fewer than half, and closes by itself', async () => {
    await app.clock.advance(hourMs)
    const known = await steps.addPerson()
    const home = newAddress()
    await app.database.asSystem((sql) =>
      sql
        .insertInto('sessions')
        .values({
          user_id: known.userId,
          session_id: crypto.randomUUID(),
          created_at: new Date(0),
          expires_at: new Date(1),
          last_seen_at: new Date(0),
          remote_address: home,
        })
        .execute(),
    )
    for (const phone of await newPhones(50)) expect((await login(phone, newAddress())).status).toBe(200)
    const [one = '', other = ''] = await newPhones(2)
    expect((await login(one, newAddress())).status).toBe(200)
    await app.clock.advance(3 * 60_000)
    const refused = await login(other, newAddress())
    expect([refused.status, refused.retryAfter]).toEqual([429, 120])
    expect((await login(known.phone, newAddress())).status).toBe(429)
    expect((await login(known.phone, home)).status).toBe(200)
    await app.clock.advance(12 * 60_000)
    expect((await login(other, newAddress())).status).toBe(200)
  })
})
