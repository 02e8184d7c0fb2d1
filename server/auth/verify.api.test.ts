import { decodeJwt, decodeProtectedHeader } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { minuteMs, hourSeconds } from '#domain/durations.ts'
import { signInSteps, strictSettings, type Answer } from './sign-in.testing.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: strictSettings })
  steps = signInSteps(app)
})
afterAll(() => app.close())

const summarise = ({ status, body }: Answer) => [status, body.code ?? (body.token === undefined ? 'no token' : 'token')]
const accepted = [200, 'token']
const mismatch = [400, 'AuthInvalidOTPError']
const tooMany = [429, 'AuthTooManyAttemptsError']

const failuresOf = (phone: string) =>
  app.context.database.asSystem((sql) =>
    sql.selectFrom('sign_in_phones').select(['failures', 'locked_until']).where('phone', '=', phone).executeTakeFirstOrThrow(),
  )
const logOf = (userId: string) =>
  app.context.database.asSystem((sql) =>
    sql.selectFrom('access_log').selectAll().where('subject_id', '=', userId).orderBy('entry_id').execute(),
  )

/** Enters `tries` wrong codes, and requests a new code when one is exhausted. */
async function failTimes(phone: string, tries: number): Promise<number> {
  let askedAt = 0
  for (let left = tries; left > 0; left -= 3) {
    await app.clock.advance(60 * minuteMs)
    askedAt = app.clock.now().getTime()
    const { sessionToken, wrongCode } = await steps.receiveCode(phone)
    for (let attempt = 0; attempt < Math.min(left, 3); attempt++)
      expect(summarise(await steps.verify(sessionToken, wrongCode))).toEqual(mismatch)
  }
  return askedAt
}

/** Every row of every table, as text. */
async function dumpEveryTable(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')",
  )
  const rows: string[] = []
  for (const { name } of tables)
    rows.push(...(await client.query<{ row: string }>(`select t::text as row from ${name} as t`)).rows.map(({ row }) => row))
  await client.end()
  return rows.join('\n')
}

describe('POST /auth/verify', () => {
  it('200: a token with the claims of decision 4 and the user as decision 30 shows them', async () => {
    const { phone, userId } = await steps.addPerson({ permissions: ['document:read'] })
    const { sessionToken, code } = await steps.receiveCode(phone)
    const nowSeconds = Math.floor(app.context.clock.now().getTime() / 1_000)
    const { status, body } = await steps.verify(sessionToken, code)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['token', 'user'])
    const contact = { phone, email: 'asha@example.in', pan: 'ABCDE1234F' }
    expect(body.user).toEqual({
      user_id: userId,
      ...contact,
      metadata: { ...contact, first_name: 'Asha', last_name: 'Rao', email_verified: false, is_ongoing_application: false },
    })
    const claims = decodeJwt(body.token ?? '')
    expect(claims).toMatchObject({ sub: userId, roles: [], sid: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(claims).not.toHaveProperty('assumed_user_id')
    expect((claims.exp ?? 0) - nowSeconds).toBeGreaterThanOrEqual(12 * hourSeconds)
    expect((claims.exp ?? 0) - 12 * hourSeconds).toBeLessThanOrEqual(Math.ceil(app.context.clock.now().getTime() / 1_000))
    expect(decodeProtectedHeader(body.token ?? '')).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: expect.any(String) })
  })

  it('200: staff sign in by the same two calls, for 8 hours, with their roles', async () => {
    const { phone } = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
    const claims = decodeJwt(await steps.signIn(phone))
    expect(claims['roles']).toEqual(['tech/assume'])
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(8 * hourSeconds)
  })

  it('200: reports an ongoing application, and not a closed one', async () => {
    const { phone, userId } = await steps.addPerson()
    const closed = await steps.addPerson()
    const at = app.context.clock.now()
    await app.context.database.asSystem((sql) =>
      sql
        .insertInto('loan_applications')
        .values([
          { borrower_id: userId, application_id: 'APP-1', submitted_at: at, closed_at: null },
          { borrower_id: closed.userId, application_id: 'APP-2', submitted_at: at, closed_at: at },
        ])
        .execute(),
    )
    for (const [person, ongoing] of [
      [phone, true],
      [closed.phone, false],
    ] as const) {
      const { sessionToken, code } = await steps.receiveCode(person)
      expect((await steps.verify(sessionToken, code)).body.user?.metadata.is_ongoing_application).toBe(ongoing)
    }
  })

  it('A02: a code can be used once', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(accepted)
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(mismatch)
  })

  it('A03: 50 right codes at once give exactly one token and one session', async () => {
    const { phone, userId } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    const answers = await Promise.all(Array.from({ length: 50 }, () => steps.verify(sessionToken, code)))
    expect(answers.filter(({ body }) => body.token !== undefined)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'AuthInvalidOTPError')).toHaveLength(49)
    const sessions = await app.context.database.asSystem((sql) =>
      sql.selectFrom('sessions').select('session_id').where('user_id', '=', userId).execute(),
    )
    expect(sessions).toHaveLength(1)
  })

  it('A04: 50 wrong codes at once are compared three times and counted three times', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, wrongCode } = await steps.receiveCode(phone)
    const answers = await Promise.all(Array.from({ length: 50 }, () => steps.verify(sessionToken, wrongCode)))
    expect(answers.filter(({ body }) => body.code === 'AuthInvalidOTPError')).toHaveLength(3)
    expect(answers.filter(({ body }) => body.code === 'AuthTooManyAttemptsError')).toHaveLength(47)
    expect((await failuresOf(phone)).failures).toBe(3)
  })

  it('A09: after three wrong tries on an unknown device the right code gets 429 with Retry-After', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code, wrongCode } = await steps.receiveCode(phone)
    for (let attempt = 0; attempt < 3; attempt++) expect(summarise(await steps.verify(sessionToken, wrongCode))).toEqual(mismatch)
    const refused = await steps.verify(sessionToken, code)
    expect([...summarise(refused), refused.body.refusal]).toEqual([...tooMany, 'code_used_up'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30)
    await app.clock.advance(30_000)
    await steps.signIn(phone)
  })

  it('A09: after two wrong tries the right code still works', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code, wrongCode } = await steps.receiveCode(phone)
    for (let attempt = 0; attempt < 2; attempt++) expect(summarise(await steps.verify(sessionToken, wrongCode))).toEqual(mismatch)
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(accepted)
  })

  it('A06: a code fails with any other session token, of the same or another phone', async () => {
    const a = await steps.addPerson()
    const b = await steps.addPerson()
    const first = await steps.receiveCode(a.phone)
    await app.clock.advance(30_000)
    const second = await steps.receiveCode(a.phone)
    const others = await steps.receiveCode(b.phone)
    // With a chance of one in a million the two codes are equal.
    if (first.code !== second.code) expect(summarise(await steps.verify(second.sessionToken, first.code))).toEqual(mismatch)
    if (others.code !== second.code) expect(summarise(await steps.verify(others.sessionToken, second.code))).toEqual(mismatch)
    expect(summarise(await steps.verify(second.sessionToken, second.code))).toEqual(accepted)
  })

  it('A08: failures of a phone remain after a new code, and a sign-in clears them', async () => {
    const { phone } = await steps.addPerson()
    await failTimes(phone, 7)
    expect((await failuresOf(phone)).failures).toBe(7)
    await app.clock.advance(60 * minuteMs)
    await steps.signIn(phone)
    expect(await failuresOf(phone)).toEqual({ failures: 0, locked_until: null })
  })

  it('A10, A11: ten failures in a row lock only that phone for 15 min, the next ten for 30', async () => {
    const { phone, userId } = await steps.addPerson()
    const other = await steps.addPerson()
    const expectLock = async (minutes: number, lockedAfter: number) => {
      const locked = await steps.login(phone)
      expect(summarise(locked)).toEqual(tooMany)
      const retryAfter = Number(locked.headers.get('retry-after'))
      expect(retryAfter).toBeLessThanOrEqual(minutes * 60)
      expect(retryAfter).toBeGreaterThanOrEqual(minutes * 60 - (app.clock.now().getTime() - lockedAfter) / 1_000)
    }
    await expectLock(15, await failTimes(phone, 10))
    await steps.signIn(other.phone)
    await app.clock.advance(15 * minuteMs)
    await expectLock(30, await failTimes(phone, 10))
    const locks = (await logOf(userId)).filter(({ action }) => action === 'sign_in_lock')
    expect(locks.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['refused', { failures: 10, until: expect.any(String) }],
      ['refused', { failures: 20, until: expect.any(String) }],
    ])
  })

  it('A10: while locked even the right code of a valid session token is not compared', async () => {
    const { phone } = await steps.addPerson()
    await failTimes(phone, 9)
    await app.clock.advance(60 * minuteMs)
    const { sessionToken, code, wrongCode } = await steps.receiveCode(phone)
    expect(summarise(await steps.verify(sessionToken, wrongCode))).toEqual(mismatch)
    const locked = await steps.verify(sessionToken, code)
    expect([...summarise(locked), locked.body.refusal]).toEqual([...tooMany, undefined])
    expect((await failuresOf(phone)).failures).toBe(10)
  })

  it('400: a session token that does not exist, is made up, or is a bearer token', async () => {
    const { phone } = await steps.addPerson()
    const token = await steps.signIn(phone)
    for (const unknown of ['x', 'A'.repeat(43), 'null', "' or true --", '\u0000', token.slice(0, 200)])
      expect(summarise(await steps.verify(unknown, '123456'))).toEqual(mismatch)
    expect((await steps.verify(token, '123456')).status).toBe(400)
  })

  it('400: the code of a phone that is another person’s or nobody’s meanwhile', async () => {
    const { phone, userId } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    await app.context.database.asSystem((sql) =>
      sql.updateTable('users').set({ phone: '+919888877777' }).where('user_id', '=', userId).execute(),
    )
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(mismatch)
  })

  it('400: the code of a person who was disabled meanwhile', async () => {
    const { phone, userId } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    await app.context.database.asSystem((sql) =>
      sql.updateTable('users').set({ disabled_at: app.context.clock.now() }).where('user_id', '=', userId).execute(),
    )
    expect(summarise(await steps.verify(sessionToken, code))).toEqual(mismatch)
  })

  it.each([
    ['five digits', '12345'],
    ['seven digits', '1234567'],
    ['letters', '12a456'],
    ['A23: Devanagari digits', '१२३४५६'],
    ['A23: full-width digits', '１２３４５６'],
    ['spaces', '12 456'],
    ['a line end', '123456\n'],
    ['a sign', '-12345'],
    ['a number', 123456],
    ['a list', ['123456']],
    ['null', null],
  ])('400: a code of %s, which counts as no try', async (_what, otp) => {
    const { phone } = await steps.addPerson()
    const { sessionToken } = await steps.receiveCode(phone)
    const { status, body } = await steps.verify(sessionToken, otp)
    expect([status, body.code, body.field]).toEqual([400, 'InvalidRequest', 'otp'])
    expect((await failuresOf(phone)).failures).toBe(0)
  })

  it('A14: no table has a code or a session token in clear text, including the job queue', async () => {
    const { phone } = await steps.addPerson()
    const before = await dumpEveryTable(app.databaseUrls.superuserUrl)
    const { sessionToken, code } = await steps.receiveCode(phone)
    await steps.verify(sessionToken, code)
    const dump = await dumpEveryTable(app.databaseUrls.superuserUrl)
    expect(dump).toContain(phone)
    expect(dump).not.toContain(sessionToken)
    // Excludes digits within a hash or after a decimal point, and equal amounts.
    const ownRun = new RegExp(`(?<![0-9A-Za-z.])${code}(?![0-9A-Za-z])`, 'g')
    expect(dump.match(ownRun)?.length ?? 0).toBe(before.match(ownRun)?.length ?? 0)
  })

  it('the access log records failures and success, without code, token or phone', async () => {
    const { phone, userId } = await steps.addPerson()
    const { sessionToken, code, wrongCode } = await steps.receiveCode(phone)
    await steps.verify(sessionToken, wrongCode)
    await steps.verify(sessionToken, code)
    const entries = await logOf(userId)
    expect(entries.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['sign_in', 'refused'],
      ['sign_in', 'done'],
    ])
    for (const entry of entries)
      expect(entry).toMatchObject({ actor_id: userId, request_id: expect.any(String), remote_address: expect.any(String) })
    const text = JSON.stringify(
      entries.map(({ entry_id: _id, request_id: _request, sequence: _sequence, hash: _hash, detail, ...rest }) => ({
        ...rest,
        detail: { ...(detail as object), session_id: null },
      })),
    )
    // Random ids can contain any digits.
    const shown = (secret: string) => new RegExp(`(?<![0-9a-f])${secret}(?![0-9a-f])`)
    for (const secret of [code, wrongCode, sessionToken, phone.slice(3)]) expect(text).not.toMatch(shown(secret))
  })
})
