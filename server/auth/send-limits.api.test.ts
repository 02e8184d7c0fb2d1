import { sql as raw } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { serve, type Server } from '#server/serve.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { unlock } from '#cli/commands/staff.ts'
import { minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import { maintainSignInLimits } from './send-limits.ts'
import { unnamedOperator } from '../staff/operator.ts'
import { newAddress, signInSteps, strictSettings, type Answer } from './sign-in.testing.ts'

let app: App
let second: Server
let steps: ReturnType<typeof signInSteps>
/** The sign-in steps on the second server. */
let secondServerSteps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: { ...strictSettings, KIST_SMS_PER_DAY_MAX: '10000000' } })
  steps = signInSteps(app)
  second = await serve({
    config: app.context.config,
    clock: app.clock,
    databaseUrl: app.databaseUrls.appUrl,
    razorpayBaseUrl: app.sandboxUrl,
    log: pino({ level: 'silent' }),
    printSms: () => {},
  })
  secondServerSteps = signInSteps({ url: `http://127.0.0.1:${second.port}`, context: second.context })
})
afterAll(async () => {
  await second.close()
  await app.close()
})

const newPhones = (count: number) => Promise.all(Array.from({ length: count }, async () => (await steps.addPerson()).phone))
let unknown = 0
const newUnknownPhone = () => `+9170000${String(++unknown).padStart(5, '0')}`
const times = (count: number, value: number) => Array.from({ length: count }, () => value)
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()
const summarise = ({ status, body }: Answer) => [status, body.code]
const tooMany = [429, 'AuthTooManyAttemptsError']
const retryAfter = ({ headers }: Answer) => Number(headers.get('retry-after'))
/**
 * Requests codes for phones from one address each, alternating between both servers, concurrently.
 */
const loginConcurrently = (asked: readonly [phone: string, address: string][]) =>
  Promise.all(asked.map(([phone, address], index) => (index % 2 === 0 ? steps : secondServerSteps).login(phone, { address })))
const setBreaker = (fullAt: Date) => app.database.asSystem((sql) => sql.updateTable('sign_in_breaker').set({ full_at: fullAt }).execute())
const freeTokens = async () => {
  const { full_at: fullAt } = await app.database.asSystem((sql) =>
    sql.selectFrom('sign_in_breaker').select('full_at').executeTakeFirstOrThrow(),
  )
  return Math.round((dayMs - Math.max(0, fullAt.getTime() - app.clock.now().getTime())) / 288_000)
}

describe('answers of one network', () => {
  it('are exactly ten an hour for an IPv4 address over two servers; then no phone gets one, all with the same refusal', async () => {
    const address = newAddress()
    const phones = await newPhones(7)
    const asked = [...phones, ...Array.from({ length: 7 }, newUnknownPhone)].map((phone) => [phone, address] as [string, string])
    const answers = await loginConcurrently(asked)
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(10)
    for (const answer of answers.filter(({ status }) => status === 429)) expect(summarise(answer)).toEqual(tooMany)
    const messages = asked.reduce((sum, [phone]) => sum + steps.messagesTo(phone).length + secondServerSteps.messagesTo(phone).length, 0)
    expect(messages).toBe(answers.filter(({ status }) => status === 200).length)
    const [known = ''] = await newPhones(1)
    expect((await steps.login(known, { address: newAddress() })).status).toBe(200)
    const alike = [
      await steps.login(known, { address }),
      await steps.login(newUnknownPhone(), { address }),
      await steps.login(phones[0], { address }),
    ]
    for (const answer of alike) {
      expect({ ...answer.body, request_id: '' }).toEqual({ ...alike[0]?.body, request_id: '' })
      expect(summarise(answer)).toEqual(tooMany)
      expect(retryAfter(answer)).toBeGreaterThan(3_500)
    }
    expect(steps.messagesTo(known)).toHaveLength(1)
    await app.clock.advance(hourMs + 1_000)
    expect((await steps.login(newUnknownPhone(), { address })).status).toBe(404)
  })

  it('include an answer about a limit of the phone', async () => {
    const address = newAddress()
    const [phone = ''] = await newPhones(1)
    const answers = []
    for (let ask = 0; ask < 11; ask++) answers.push((await steps.login(phone, { address })).body.code ?? 'sent')
    expect(answers).toEqual(['sent', ...Array.from({ length: 9 }, () => 'AuthResendTooSoon'), 'AuthTooManyAttemptsError'])
  })

  it('are a hundred an hour for a /24, and 10, 30 and 100 for an IPv6 /64, /56 and /48', async () => {
    const settings = app.context.config.signIn.answersPerHour
    expect(settings).toEqual({ ipv4: 10, ipv4Slash24: 100, ipv6Slash64: 10, ipv6Slash56: 30, ipv6Slash48: 100 })
    const before = { ...settings }
    // Small limits, so that the test is fast.
    Object.assign(settings, { ipv4: 2, ipv4Slash24: 5, ipv6Slash64: 2, ipv6Slash56: 3, ipv6Slash48: 5 })
    const ask = async (addresses: string[]) => statuses(await loginConcurrently(addresses.map((address) => [newUnknownPhone(), address])))
    expect(await ask(Array.from({ length: 8 }, (_, host) => `198.51.100.${host + 1}`))).toEqual([...times(5, 404), ...times(3, 429)])
    expect(await ask(Array.from({ length: 4 }, (_, host) => `2001:db8:7:900::${host + 1}`))).toEqual([...times(2, 404), ...times(2, 429)])
    expect(await ask(Array.from({ length: 4 }, (_, net) => `2001:db8:7:a0${net}::1`))).toEqual([...times(3, 404), 429])
    expect(await ask(Array.from({ length: 8 }, (_, net) => `2001:db8:8:${net}00::1`))).toEqual([...times(5, 404), ...times(3, 429)])
    Object.assign(settings, before)
  })

  it('no longer count once a sign-in has followed', async () => {
    const address = newAddress()
    for (const phone of await newPhones(12)) await steps.signInOn(phone, { address })
    expect(statuses(await loginConcurrently(Array.from({ length: 11 }, () => [newUnknownPhone(), address])))).toEqual([
      ...times(10, 404),
      429,
    ])
  })

  it('are counted for an entry with a port, and for an unreadable entry as an address of that name', async () => {
    const address = newAddress()
    const asked = Array.from({ length: 12 }, (_, index) => [newUnknownPhone(), `${address}:${4_711 + index}`] as [string, string])
    expect(statuses(await loginConcurrently(asked))).toEqual([...times(10, 404), 429, 429])
    // A trusted proxy that adds its own port does not hide the client.
    expect((await steps.login(newUnknownPhone(), { address: `${address}:4711, 127.0.0.1:8080` })).status).toBe(429)
    expect((await steps.login(newUnknownPhone(), { address })).status).toBe(429)
    expect(statuses(await loginConcurrently(Array.from({ length: 12 }, () => [newUnknownPhone(), 'garbage'])))).toEqual([
      ...times(10, 404),
      429,
      429,
    ])
    expect((await steps.login(newUnknownPhone(), { address: 'other garbage' })).status).toBe(404)
  })

  it('P11: an address from an untrusted sender is ignored, and a loopback address is counted like any other', async () => {
    const untrusting = await startApp(inject('cluster'), { settings: { KIST_LIMITS: 'strict' } })
    const { login } = signInSteps(untrusting)
    const answers = await Promise.all(Array.from({ length: 12 }, () => login(newUnknownPhone(), { address: newAddress() })))
    expect(statuses(answers)).toEqual([...times(10, 404), 429, 429])
    const rows = await untrusting.database.asSystem((sql) => sql.selectFrom('sign_in_networks').select('network').execute())
    expect(rows.map(({ network }) => network).sort()).toEqual(['127.0.0.0/24', '127.0.0.1'])
    await untrusting.close()
  })

  it('are deleted a day after the network was last seen', async () => {
    await app.clock.advance(dayMs + 1_000)
    expect(await maintainSignInLimits(app.context)).toBeGreaterThan(0)
    expect(await app.database.asSystem((sql) => sql.selectFrom('sign_in_networks').selectAll().execute())).toEqual([])
  })
})

describe('codes to one phone on unknown devices', () => {
  it('are exactly 3 a day from one network and 9 in total, over two servers', async () => {
    const [phone = ''] = await newPhones(1)
    const networks = Array.from({ length: 4 }, newAddress)
    const outcomes = []
    for (const address of networks)
      for (let ask = 0; ask < 4; ask++) {
        await app.clock.advance(hourMs)
        // Of two concurrent requests on two servers at most one is sent, because of the resend
        // delay.
        const pair = await loginConcurrently([
          [phone, address],
          [phone, address.replace(/1$/, '2')],
        ])
        outcomes.push(pair.filter(({ status }) => status === 200).length)
      }
    expect(outcomes).toEqual([1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0])
    const refused = await steps.login(phone, { address: newAddress() })
    expect(summarise(refused)).toEqual(tooMany)
    await app.clock.advance(dayMs)
    expect((await steps.login(phone, { address: networks[0] ?? '' })).status).toBe(200)
  })

  it('store no address with the phone', async () => {
    const [phone = ''] = await newPhones(1)
    const address = newAddress()
    await steps.login(phone, { address })
    const row = await app.database.asSystem((sql) =>
      sql.selectFrom('sign_in_phones').selectAll().where('phone', '=', phone).executeTakeFirstOrThrow(),
    )
    expect(row.sent_from).toEqual([expect.stringMatching(/^[\w-]{22}$/)])
    expect(JSON.stringify(row)).not.toContain(address.split('.').slice(0, 3).join('.'))
  })
})

describe('the budget of all sends', () => {
  it('is exact over two servers, per minute and per day', async () => {
    const { signIn } = app.context.config
    const before = { minute: signIn.smsPerMinuteMax, day: signIn.smsPerDayMax }
    const phones = await newPhones(28)
    await app.clock.advance(60_000 - (app.clock.now().getTime() % 60_000) + 100)
    signIn.smsPerMinuteMax = 10
    const answers = await loginConcurrently(phones.slice(0, 14).map((phone) => [phone, newAddress()]))
    expect(statuses(answers)).toEqual([...times(10, 200), ...times(4, 429)])
    expect(retryAfter(answers.find(({ status }) => status === 429) as Answer)).toBeLessThanOrEqual(60)
    await app.clock.advance(60_000)
    expect((await steps.login(phones[20])).status).toBe(200)
    signIn.smsPerMinuteMax = before.minute
    signIn.smsPerDayMax = 1
    expect((await steps.login(phones[21])).status).toBe(429)
    signIn.smsPerDayMax = before.day
  })
})

describe('the breaker', () => {
  const emptyBut = (tokens: number) => setBreaker(new Date(app.clock.now().getTime() + dayMs - tokens * 288_000))

  it('allows exactly as many unused codes as there are tokens, over two servers', async () => {
    const phones = await newPhones(9)
    const setAt = app.clock.now().getTime()
    await emptyBut(5)
    const answers = await loginConcurrently(phones.map((phone) => [phone, newAddress()]))
    const tookMs = app.clock.now().getTime() - setAt
    expect(statuses(answers)).toEqual([...times(5, 200), ...times(4, 429)])
    const refused = answers.find(({ status }) => status === 429) as Answer
    expect(summarise(refused)).toEqual(tooMany)
    expect(retryAfter(refused)).toBeGreaterThanOrEqual(168 - tookMs / 1_000)
    expect(retryAfter(refused)).toBeLessThanOrEqual(168)
  })

  it('then answers 200 and sends the message when a token is free, at most 120 s later; the code’s lifetime starts then', async () => {
    // The next token is free in 100 s, the one after it in 388.
    const setAt = app.clock.now().getTime()
    await setBreaker(new Date(setAt + dayMs - 188_000))
    const [phone = '', other = ''] = await newPhones(2)
    const answer = await steps.login(phone)
    expect(answer.status).toBe(200)
    // Meanwhile the waiting time has decreased by the elapsed time.
    const tookMs = app.clock.now().getTime() - setAt
    const [message] = steps.messagesTo(phone)
    expect(message?.delayMs).toBeGreaterThanOrEqual(100_000 - tookMs)
    expect(message?.delayMs).toBeLessThanOrEqual(100_000)
    const lifetimeMs = Date.parse(answer.body.expires_at ?? '') - setAt
    expect(lifetimeMs).toBeGreaterThanOrEqual(5 * minuteMs + 100_000 - tookMs)
    expect(lifetimeMs).toBeLessThanOrEqual(5 * minuteMs + 100_000 + tookMs)
    expect(answer.body.resend_after_seconds).toBeGreaterThanOrEqual(Math.floor(130 - tookMs / 1_000))
    expect(answer.body.resend_after_seconds).toBeLessThanOrEqual(130)
    expect((await steps.login(other)).status).toBe(429)
    await app.clock.advance(101_000)
    // The resend delay starts when the code is sent.
    expect((await steps.login(phone)).body.code).toBe('AuthResendTooSoon')
    await app.clock.advance(3.5 * minuteMs)
    expect((await steps.verify(answer.body.session_token, steps.readCode(phone).code)).body.token).toEqual(expect.any(String))
  })

  it('stores a waiting message in the database, so that another process sends it in time', async () => {
    const [phone = ''] = await newPhones(1)
    const asking = await serve({
      // One token is added every 10 s.
      config: { ...app.context.config, role: 'web', signIn: { ...app.context.config.signIn, unusedCodesPerDay: 8_640 } },
      clock: app.clock,
      databaseUrl: app.databaseUrls.appUrl,
      razorpayBaseUrl: app.sandboxUrl,
      log: pino({ level: 'silent' }),
    })
    const { login } = signInSteps({ url: `http://127.0.0.1:${asking.port}`, context: asking.context })
    const setAt = app.clock.now().getTime()
    await setBreaker(new Date(setAt + dayMs))
    const answer = await login(phone)
    const tookMs = app.clock.now().getTime() - setAt
    await asking.close()
    expect(answer.status).toBe(200)
    const { rows } = await app.database.asSystem((sql) =>
      raw<{ waits: number }>`
        select extract(epoch from start_after - created_on)::float8 as waits from pgboss.job where name = 'send-sms' order by created_on desc limit 1
      `.execute(sql),
    )
    expect(rows[0]?.waits).toBeGreaterThanOrEqual(Math.floor(10 - tookMs / 1_000))
    expect(rows[0]?.waits).toBeLessThanOrEqual(10)
    await until(() => app.outbox().some(({ to }) => to === phone))
  })

  it('gets a token back with each sign-in, and so never opens for people who use their codes', async () => {
    await emptyBut(2)
    for (const phone of await newPhones(4)) await steps.signIn(phone)
    expect(await freeTokens()).toBe(2)
  })

  it('does not apply to known devices, and closes by itself', async () => {
    const { phone } = await steps.addPerson()
    const { device } = await steps.signInOn(phone)
    await emptyBut(0)
    await app.clock.advance(60_000)
    const [other = ''] = await newPhones(1)
    expect((await steps.login(other)).status).toBe(429)
    expect((await steps.login(phone)).status).toBe(429)
    expect((await steps.login(phone, { device })).status).toBe(200)
    await app.clock.advance(288_000)
    expect((await steps.login(other)).status).toBe(200)
  })

  it('allows a phone that an operator has unlocked for an hour, also a staff member’s', async () => {
    const staff = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'] })
    await emptyBut(0)
    expect((await steps.login(staff.phone)).status).toBe(429)
    const operatorContext = {
      database: app.database,
      databaseUrl: app.databaseUrls.appUrl,
      ownerUrl: app.databaseUrls.ownerUrl,
      clock: app.clock,
      operator: unnamedOperator(),
    }
    expect(await unlock(operatorContext, staff.phone)).toMatch(/^unlocked: /)
    expect(await unlock(operatorContext, staff.phone)).toMatch(/^unchanged: /)
    const { device } = await steps.signInOn(staff.phone)
    await emptyBut(0)
    await app.clock.advance(hourMs)
    await emptyBut(0)
    expect((await steps.login(staff.phone)).status).toBe(429)
    expect((await steps.login(staff.phone, { device })).status).toBe(200)
  })

  it('has 1 % of the month’s sign-ins where that is more, counted once a day', async () => {
    const codes = Array.from({ length: 40_000 }, (_, index) => index)
    const { userId } = await steps.addPerson()
    const at = new Date(app.clock.now().getTime() - 20 * dayMs)
    await app.database.asSystem(async (sql) => {
      for (let from = 0; from < codes.length; from += 4_000)
        await sql
          .insertInto('sign_in_codes')
          .values(
            codes.slice(from, from + 4_000).map((index) => ({
              token_hash: Buffer.from(`month ${index}`),
              phone: '+910000000000',
              user_id: userId,
              code_hmac: Buffer.alloc(1),
              created_at: at,
              expires_at: at,
              consumed_at: at,
            })),
          )
          .execute()
    })
    await app.clock.advance(dayMs + 1_000)
    await maintainSignInLimits(app.context)
    const counted = await app.database.asSystem((sql) => sql.selectFrom('sign_in_breaker').selectAll().executeTakeFirstOrThrow())
    expect(Number(counted.month_sign_ins)).toBeGreaterThanOrEqual(40_000)
    // 400 a day: a token every 216 s. With 300, the next would be free in 144 s.
    await setBreaker(new Date(app.clock.now().getTime() + dayMs - 144_000))
    const [phone = ''] = await newPhones(1)
    expect((await steps.login(phone)).status).toBe(200)
    expect(steps.messagesTo(phone)[0]?.delayMs).toBeLessThan(75_000)
  })
})
