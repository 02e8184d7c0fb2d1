import { readFileSync } from 'node:fs'
import { globSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { accessTable } from '#contract/access.ts'
import { apiPrefix, type Endpoint } from '#contract/endpoint.ts'
import * as contract from '#contract/index.ts'
import { borrowerPermissions } from '#contract/permissions.ts'
import { failingDatabase } from '#testkit/failing-database.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { signInSteps } from './auth/sign-in.testing.ts'
import { authorize, refuse, type CallName, type Row } from './http/authorize.ts'
import { addReview } from './payments/review-store.ts'
import { serve } from './serve.ts'
import type { Caller } from './caller.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
let token: string
const logLines: Record<string, unknown>[] = []
const log = pino(
  { level: 'info' },
  new Writable({
    write: (chunk: Buffer, _encoding, done) => (logLines.push(JSON.parse(chunk.toString()) as Record<string, unknown>), done()),
  }),
)
beforeAll(async () => {
  app = await startApp(inject('cluster'), {
    town: true,
    log,
    settings: {
      KIST_ASSUMES_PER_HOUR_ALERT: '2',
      KIST_SWEEP_INTERVAL_MS: '600000',
    },
  })
  steps = signInSteps(app)
  token = await steps.signIn(demoPhone(1))
})
afterAll(() => app.close())

const userIdOf = async (number: number) =>
  (
    await app.database.asSystem((sql) =>
      sql.selectFrom('user_phones').select('user_id').where('phone', '=', demoPhone(number)).executeTakeFirstOrThrow(),
    )
  ).user_id
const changeUser = (userId: string, values: { roles?: string[]; permissions?: string[] }) =>
  app.database.asSystem((sql) => sql.updateTable('users').set(values).where('user_id', '=', userId).execute())
const origin = { requestId: 'r', remoteAddress: '203.0.113.1', userAgent: '', sessionId: null }

describe('the access table', () => {
  it('Z02: a call without a row is refused, even if it compiles', async () => {
    for (const name of ['toString', 'constructor', '__proto__', 'newCall'])
      await expect(
        authorize(app.context, { name: name as CallName, method: 'GET' }, `Bearer ${token}`, origin, () => {}),
      ).rejects.toMatchObject({ code: 'PermissionDenied' })
  })

  it('Z02: a caller without permissions or borrower passes only the rows that need neither', () => {
    const callerWithoutRights: Caller = { borrowerId: null, actorId: 'a', sessionId: 's', isStaff: false, permissions: [] }
    for (const [name, row] of Object.entries<Row>(accessTable)) {
      const refusal = refuse(row, callerWithoutRights)
      const isAllowed = row.needs === 'public' || (row.needs === 'session' && (row.scope === 'self' || row.isEmptyForNobody === true))
      expect([name, refusal === null]).toEqual([name, isAllowed])
    }
  })

  it('a busy server refuses uploads and downloads before other calls', () => {
    const withFile = Object.entries<Endpoint>(contract).filter(([, call]) => call.takes === 'file' || call.answers === 'file')
    expect(withFile.length).toBeGreaterThan(0)
    for (const [name] of withFile) expect([name, accessTable[name as CallName].load]).toEqual([name, 'bulky'])
  })

  it('A19: exactly five calls are public, and tokens are signed only at sign-in and when acting as a borrower begins or ends', () => {
    const publicCalls = Object.entries<Endpoint>(contract)
      .filter(([, call]) => call.access === 'public')
      .map(([name]) => name)
    expect(publicCalls.sort()).toEqual(['login', 'openGeneratedDocument', 'readCodeStatus', 'verify', 'verifyDocument'])
    const tokenSigners = globSync('**/*.ts', { cwd: import.meta.dirname }).filter(
      (file) => !/\.test(ing)?\.ts$/.test(file) && /\bsignToken\(/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')),
    )
    expect(tokenSigners.map((file) => file.replaceAll('\\', '/')).sort()).toEqual([
      'auth/start-session.ts',
      'auth/token.ts',
      'staff/assume.ts',
      'staff/end-assume.ts',
    ])
  })

  it('S17: every call accepts a token only in the header', async () => {
    // The session token of a sign-in is not a bearer token: it opens nothing without its code, nor
    // does the id of a session.
    const { readCodeStatus: _codeStatus, ...calls } = contract
    for (const call of Object.values<Endpoint>(calls)) {
      const fieldNames = [call.params, call.query].flatMap((schema) =>
        Object.keys((schema?._zod.def as { shape?: object } | undefined)?.shape ?? {}),
      )
      expect(fieldNames.filter((field) => field !== 'session_id' && /token|authorization|session|jwt/.test(field))).toEqual([])
    }
    const response = await fetch(`${app.url}/api/v1/auth/permissions?token=${token}&access_token=${token}`, {
      headers: { cookie: `token=${token}` },
    })
    expect(response.status).toBe(401)
  })
})

describe('what a caller may do', () => {
  it('Z07: 200: a change applies to the very next request', async () => {
    const { userId, phone } = await steps.addPerson({ permissions: [...borrowerPermissions] })
    const ownToken = await steps.signIn(phone)
    expect((await app.get('/auth/permissions', ownToken)).body['permissions']).toEqual(borrowerPermissions)
    await changeUser(userId, { permissions: ['document:read'] })
    expect((await app.get('/auth/permissions', ownToken)).body['permissions']).toEqual(['document:read'])
  })

  it('I10: 403: with the profile VIEW staff can only read', async () => {
    const staff = await steps.signIn(demoPhone(9))
    app.context.config.staff.assumeProfile = 'view'
    const assumed = String((await app.post('/auth/assume', { user_id_to_assume: await userIdOf(1), reason: 'look' }, staff)).body['token'])
    expect((await app.get('/auth/permissions', assumed)).body['permissions']).toEqual(['document:read', 'user:assume'])
    expect((await app.get('/portal/loans-summary', assumed)).status).toBe(200)
    const body = {
      amount: 1,
      lead_id: 'x',
      application_id: 'x',
      purpose: 'PAY_EMI',
      callback_url: 'http://localhost:3000/payments/waiting-for-payment',
    }
    expect((await app.post('/portal/payment-link', body, assumed)).body['code']).toBe('PermissionDenied')
    expect((await app.post('/portal/tranche', {}, assumed)).body['code']).toBe('PermissionDenied')
    expect((await app.patch('/payments/payment-link/cancel?payment_link_id=x', {}, assumed)).body['code']).toBe('PermissionDenied')
    app.context.config.staff.assumeProfile = 'act'
  })

  it('I13: acting without a reason, or too often in an hour, raises an alert that names no borrower', async () => {
    const added = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
    const staff = await steps.signIn(added.phone)
    const borrowerId = await userIdOf(2)
    const alerts = () => logLines.filter(({ event, actor }) => event === 'authz_admin_alert' && actor === added.userId)
    const assume = (reason?: string) => app.post('/auth/assume', { user_id_to_assume: borrowerId, reason }, staff)
    await assume('Ticket 1')
    await assume('Ticket 2')
    expect(alerts()).toHaveLength(0)
    await assume('Ticket 3')
    expect(alerts()).toMatchObject([{ assumed_in_last_hour: 3, reason_given: true }])
    await assume('  ')
    expect(alerts()).toMatchObject([{}, { reason_given: false }])
    expect(JSON.stringify(alerts())).not.toContain(borrowerId)
  })

  it('I13: more than 60 borrowers’ profiles read in an hour raise an alert, the same one again does not', async () => {
    const added = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: [] })
    const staff = await steps.signIn(added.phone)
    const alerts = () => logLines.filter(({ event, actor }) => event === 'authz_admin_alert' && actor === added.userId)
    for (let number = 0; number < 60; number++) {
      const { userId } = await steps.addPerson()
      expect((await app.get(`/auth/users/${userId}`, staff)).status).toBe(200)
      if (number === 0) expect((await app.get(`/auth/users/${userId}`, staff)).status).toBe(200)
    }
    expect(alerts()).toEqual([])
    const { userId } = await steps.addPerson()
    await app.get(`/auth/users/${userId}`, staff)
    expect(alerts()).toMatchObject([{ profiles_read_in_last_hour: 61 }])
    expect(JSON.stringify(alerts())).not.toContain(userId)
  })

  it.each([
    ['borrowers', '/auth/users/all?page_size=100', 'users'],
    ['differences', '/operations/reviews?state=open', 'items'],
  ])('I13: more than 1,000 rows of lists of %s read in an hour raise one alert', async (_what, path, field) => {
    const added = await steps.addPerson({ kind: 'staff', roles: ['tech/assume'], permissions: ['operations:read'] })
    const { userId: borrowerId } = await steps.addPerson()
    for (let about = 0; about < 20; about += 1)
      await app.database.asSystem((sql) =>
        addReview(sql, { borrowerId, kind: 'dispute', about: `${path} ${about}`, detail: {} }, app.clock.now()),
      )
    const staff = await steps.signIn(added.phone)
    const alerts = () => logLines.filter(({ event, actor }) => event === 'authz_admin_alert' && actor === added.userId)
    // All within one hour, whenever the test runs.
    const clock = vi.spyOn(app.context.clock, 'now').mockReturnValue(app.clock.now())
    onTestFinished(() => clock.mockRestore())
    let rows = 0
    const list = async () => {
      const { status, body } = await app.get(path, staff)
      expect(status).toBe(200)
      rows += (body[field] as unknown[]).length
    }
    while (rows <= 1_000) {
      expect(alerts()).toEqual([])
      await list()
    }
    expect(alerts()).toMatchObject([{ rows_read_in_hour: rows }])
    await list()
    expect(alerts()).toHaveLength(1)
  })

  it('Z10: fields outside the contract are never applied', async () => {
    const { userId, phone } = await steps.addPerson({ permissions: [] })
    const extraFields = {
      user_id: await userIdOf(2),
      roles: ['tech/assume'],
      role: 'tech/assume',
      permissions: ['user:assume'],
      kind: 'staff',
      status: 'paid',
      rps_updated: true,
      assumed_user_id: await userIdOf(2),
    }
    const { sessionToken, code } = await steps.receiveCode(phone)
    const { body } = await app.post('/auth/verify', { session_token: sessionToken, otp: code, ...extraFields })
    expect((body['user'] as { user_id: string }).user_id).toBe(userId)
    const ownToken = String(body['token'])
    expect((await app.get('/auth/users/all?role=tech/assume', ownToken)).status).toBe(403)
    await app.post('/auth/logout', extraFields, ownToken)
    const row = await app.database.asSystem((sql) =>
      sql.selectFrom('users').select(['kind', 'roles', 'permissions']).where('user_id', '=', userId).executeTakeFirstOrThrow(),
    )
    expect(row).toEqual({ kind: 'borrower', roles: [], permissions: [] })
  })

  it('A23: 400: digits of another script are refused', async () => {
    for (const phone of ['९०००००००२३', '９０００００００２３', '٩٠٠٠٠٠٠٠٢٣', '𝟗𝟎𝟎𝟎𝟎𝟎𝟎𝟎𝟐𝟑', '9000000023\u0660'])
      expect((await app.post('/auth/login', { phone })).status).toBe(400)
    for (const otp of ['१२३४५६', '１２３４５６', '12345６'])
      expect((await app.post('/auth/verify', { session_token: 'x', otp })).status).toBe(400)
  })

  it('H11: staff read a masked PAN if the lender sets it; its owner always reads the whole PAN', async () => {
    const staff = await steps.signIn(demoPhone(9))
    app.context.config.staff.maskPan = true
    const { body } = await app.get('/auth/users/all?search=ananya', staff)
    const record = await app.get('/operations/loans/KST-24-004173', await steps.signIn(demoPhone(12)))
    const profile = await app.get(`/auth/users/${await userIdOf(1)}`, staff)
    const found = async (text: string) => (await app.get(`/auth/users/all?search=${encodeURIComponent(text)}`, staff)).body['total_items']
    // Digit by digit, a search would tell the masked ones.
    for (const part of ['akrpd7', 'rpd7301', '7301a', '\\nakrpd7301a']) expect(await found(`ananya ${part}`)).toBe(0)
    for (const whole of ['akrpd7301a', 'ananya AKRPD7301A', 'ananya', demoPhone(1)]) expect(await found(whole)).toBe(1)
    app.context.config.staff.maskPan = false
    expect(await found('ananya akrpd7')).toBe(1)
    expect(body['users']).toMatchObject([{ pan: 'AKRPD****A', metadata: { pan: 'AKRPD****A' } }])
    for (const borrower of [record.body['borrower'], profile.body['user']])
      expect(borrower).toMatchObject({ pan: 'AKRPD****A', metadata: { pan: 'AKRPD****A' } })
    expect((await app.get(`/auth/users/${await userIdOf(1)}`, token)).body['user']).toMatchObject({ pan: 'AKRPD7301A' })
  })
})

describe('when the database is out of reach', () => {
  it('L12: 503 with Retry-After while every database connection is in use, and 200 once one is free', async () => {
    const { config } = app.context
    const server = await serve({
      config: { ...config, role: 'web', database: { ...config.database, connectionsMax: 4, connectTimeoutMs: 2_000 } },
      clock: app.clock,
      databaseUrl: app.databaseUrls.appUrl,
      razorpayBaseUrl: app.sandboxUrl,
      log,
      printSms: () => {},
    })
    onTestFinished(() => server.close())
    const getLoans = () =>
      fetch(`http://127.0.0.1:${server.port}${apiPrefix}/portal/loans-summary`, { headers: { authorization: `Bearer ${token}` } })
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let held = 0
    // On a busy machine, a connection may take longer to open than its limit: it is asked for
    // again.
    const holdConnection = (): Promise<void> =>
      server.context.database
        .asSystem(() => {
          held += 1
          return released
        })
        .catch((error: unknown) => {
          if (held === 4) throw error
          return holdConnection()
        })
    const busyConnections = Array.from({ length: 4 }, holdConnection)
    await vi.waitFor(() => expect(held).toBe(4), 60_000)
    // The response arrives while all connections are still in use.
    const answer = await getLoans()
    const { code } = (await answer.json()) as { code: string }
    expect([answer.status, code, answer.headers.get('retry-after')]).toEqual([503, 'Unavailable', '2'])
    release()
    await Promise.all(busyConnections)
    expect((await getLoans()).status).toBe(200)
  })

  it('L09: if limits cannot be counted, no code is sent and no one is signed in', async () => {
    const { database } = app.context
    app.context.database = failingDatabase(database, Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
    const responses = [
      await app.post('/auth/login', { phone: demoPhone(6) }),
      await app.post('/auth/verify', { session_token: 'x', otp: '123456' }),
      await app.get('/portal/loans-summary', token),
    ]
    app.context.database = database
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(steps.messagesTo(demoPhone(6))).toEqual([])
  })
})

it('P02: SQL is never built from text', () => {
  const filesThatBuildSql = globSync('**/*.ts', { cwd: import.meta.dirname })
    .filter((file) => !/\.test(ing)?\.ts$/.test(file))
    .filter((file) => /\b(sql|raw)\.(raw|lit|unsafe)\(|\.query\(\s*`[^`]*\$\{/.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')))
  // Allowed are names from our own code or the catalogue, never input: the embedded server creates
  // roles and its database, the bulk insert names its table and columns, and the migration drops an
  // invalid index.
  expect(filesThatBuildSql.filter((file) => !/database[\\/](embedded|bulk)\.ts$|^migrate\.ts$/.test(file))).toEqual([])
})
