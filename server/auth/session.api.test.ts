import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, decodeProtectedHeader, SignJWT, type JWTHeaderParameters } from 'jose'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startApp, type App } from '#testkit/start-app.ts'
import { minuteMs, hourMs } from '#domain/durations.ts'
import { readCaller } from './read-caller.ts'
import { signInSteps, strictSettings } from './sign-in.testing.ts'

let app: App
let steps: ReturnType<typeof signInSteps>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { settings: strictSettings })
  steps = signInSteps(app)
})
afterAll(() => app.close())

const borrowers = ['loan:update', 'document:create', 'document:read', 'payment_link:create', 'payment_link:update']

async function signedIn(options?: Parameters<typeof steps.addPerson>[0]) {
  const person = await steps.addPerson({ permissions: borrowers, ...options })
  return { ...person, token: await steps.signIn(person.phone) }
}
const statusOf = async (token: string | undefined) => (await steps.permissions(token)).status
const change = (userId: string, values: { roles?: string[]; permissions?: string[]; disabled_at?: Date | null; kind?: string }) =>
  app.context.database.asSystem((sql) => sql.updateTable('users').set(values).where('user_id', '=', userId).execute())
const privateKey = () => createPrivateKey(app.context.config.signIn.tokenKeys[0] ?? '')

/** Signs a changed token again, with our key or another one. */
async function resign(
  token: string,
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  key = privateKey(),
): Promise<string> {
  const payload = Object.fromEntries(Object.entries({ ...decodeJwt(token), ...claims }).filter(([, value]) => value !== undefined))
  return new SignJWT(payload).setProtectedHeader({ ...(decodeProtectedHeader(token) as JWTHeaderParameters), ...header }).sign(key)
}
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('GET /auth/permissions', () => {
  it('200: the borrower’s permissions as they are now', async () => {
    const { token, userId } = await signedIn()
    expect((await steps.permissions(token)).body).toEqual({ permissions: borrowers })
    await change(userId, { permissions: ['document:read', 'user:assume', 'no:such'] })
    expect((await steps.permissions(token)).body).toEqual({ permissions: ['document:read'] })
  })

  it('200: the staff member’s own', async () => {
    const { token } = await signedIn({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume'] })
    expect((await steps.permissions(token)).body).toEqual({ permissions: ['user:assume'] })
  })

  it.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['no token', 'Bearer'],
    ['another scheme', 'Basic YTpi'],
    ['two tokens', 'Bearer a.b.c d.e.f'],
    ['no JWT', 'Bearer x'],
    ['dots', 'Bearer ..'],
    ['a huge one', `Bearer ${'a'.repeat(5_000)}`],
  ])('401: %s', async (_what, authorization) => {
    const { status, body, headers } = await steps.call('GET', '/auth/permissions', undefined, authorization)
    expect([status, body.code]).toEqual([401, 'AuthSessionExpired'])
    expect(headers.get('content-type')).toContain('application/problem+json')
  })
})

describe('a bearer token', () => {
  it('S01: needs its whole signature, and alg none is refused', async () => {
    const { token } = await signedIn()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const none = part({ alg: 'none', typ: 'JWT' })
    for (const broken of [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
    ])
      expect(await statusOf(broken)).toBe(401)
    expect(await statusOf(token)).toBe(200)
  })

  it('S02: is accepted only under the one algorithm and key', async () => {
    const { token } = await signedIn()
    const publicPem = createPublicKey(privateKey()).export({ type: 'spki', format: 'pem' }).toString()
    const kid = decodeProtectedHeader(token).kid ?? ''
    const unsigned = `${part({ alg: 'HS256', typ: 'JWT', kid })}.${token.split('.')[1]}`
    const confused = `${unsigned}.${createHmac('sha256', publicPem).update(unsigned).digest('base64url')}`
    expect(await statusOf(confused)).toBe(401)
    expect(await statusOf(await resign(token, {}, { alg: 'RS256' }, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey))).toBe(
      401,
    )
    expect(await statusOf(await resign(token, {}, {}, generateKeyPairSync('ed25519').privateKey))).toBe(401)
  })

  it('S03: cannot bring or choose a key, and nothing is fetched for it', async () => {
    const { token } = await signedIn()
    let fetched = 0
    const server = createServer((_request, response) => {
      fetched += 1
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
    const foreign = generateKeyPairSync('ed25519')
    const jwk = { ...foreign.publicKey.export({ format: 'jwk' }), kty: 'OKP' }
    for (const header of [
      { jku: address },
      { x5u: address },
      { jwk },
      { kid: '../../etc/passwd' },
      { kid: "' or 1=1 --" },
      { kid: 'other' },
    ])
      expect(await statusOf(await resign(token, {}, header, foreign.privateKey))).toBe(401)
    for (const kid of ['', '../../dev/null', "' or 1=1 --"]) expect(await statusOf(await resign(token, {}, { kid }))).toBe(401)
    server.close()
    expect(fetched).toBe(0)
  })

  it('S04: with an edited claim is refused', async () => {
    const { token } = await signedIn()
    const other = await steps.addPerson()
    const [header, , signature] = token.split('.')
    for (const claim of [
      { sub: other.userId },
      { roles: ['tech/assume'] },
      { assumed_user_id: other.userId },
      { exp: 4_000_000_000 },
      { sid: other.userId },
    ])
      expect(await statusOf(`${header}.${part({ ...decodeJwt(token), ...claim })}.${signature}`)).toBe(401)
  })

  it('S04: correctly signed, opens only its own session', async () => {
    const { token } = await signedIn()
    const other = await signedIn()
    expect(await statusOf(await resign(token, { sub: other.userId }))).toBe(401)
    expect(await statusOf(await resign(token, { sid: String(decodeJwt(other.token)['sid']) }))).toBe(401)
    expect(await statusOf(await resign(token, { assumed_user_id: other.userId }))).toBe(401)
    expect(await statusOf(await resign(token, { sid: undefined }))).toBe(401)
    expect(await statusOf(await resign(token, { exp: undefined }))).toBe(401)
  })

  it('S05: from the future is refused', async () => {
    const { token } = await signedIn()
    const { iat = 0 } = decodeJwt(token)
    expect(await statusOf(await resign(token, { iat: iat + 120 }))).toBe(401)
    expect(await statusOf(await resign(token, { nbf: iat + 120 }))).toBe(401)
  })

  it('S05: ends at its exp to the second, by the portal’s clock', async () => {
    const { token } = await signedIn()
    await app.clock.advance(10 * minuteMs)
    const now = Math.floor(app.context.clock.now().getTime() / 1_000)
    expect(await statusOf(await resign(token, { exp: now }))).toBe(401)
    expect(await statusOf(await resign(token, { exp: now + 60 }))).toBe(200)
  })

  it('S06: is not what login gives, nor the other way round', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken } = await steps.receiveCode(phone)
    expect(await statusOf(sessionToken)).toBe(401)
  })

  it('S07: for another audience, from another issuer or of another type is refused', async () => {
    const { token } = await signedIn()
    expect(await statusOf(await resign(token, { aud: 'another' }))).toBe(401)
    expect(await statusOf(await resign(token, { iss: 'another' }))).toBe(401)
    expect(await statusOf(await resign(token, { aud: undefined }))).toBe(401)
    expect(await statusOf(await resign(token, {}, { typ: 'at+jwt' }))).toBe(401)
    expect(await statusOf(await resign(token))).toBe(200)
  })
})

describe('a session', () => {
  it('S08: ends at once with POST /auth/logout, with an entry in the access log', async () => {
    const { token, userId } = await signedIn()
    const { status, body } = await steps.logout(token)
    expect([status, body]).toEqual([200, { success: true }])
    expect(await statusOf(token)).toBe(401)
    expect((await steps.logout(token)).status).toBe(401)
    const entries = await app.context.database.asSystem((sql) =>
      sql.selectFrom('access_log').select(['action', 'outcome']).where('subject_id', '=', userId).orderBy('entry_id').execute(),
    )
    expect(entries.at(-1)).toEqual({ action: 'sign_out', outcome: 'done' })
  })

  it('S08: its end does not affect the person’s other sessions', async () => {
    const { token, phone } = await signedIn()
    await app.clock.advance(30_000)
    const other = await steps.signIn(phone)
    await steps.logout(token)
    expect([await statusOf(token), await statusOf(other)]).toEqual([401, 200])
  })

  it('S09: ends at the next request once its person is disabled', async () => {
    const { token, userId } = await signedIn()
    expect(await statusOf(token)).toBe(200)
    await change(userId, { disabled_at: app.context.clock.now() })
    expect(await statusOf(token)).toBe(401)
  })

  it('S10: is new with each sign-in, and its session token is used up', async () => {
    const { phone } = await steps.addPerson()
    const { sessionToken, code } = await steps.receiveCode(phone)
    const first = (await steps.verify(sessionToken, code)).body.token
    await app.clock.advance(30_000)
    const second = await steps.signIn(phone)
    expect(decodeJwt(second)['sid']).not.toBe(decodeJwt(first ?? '')['sid'])
    expect((await steps.verify(sessionToken, code)).body.code).toBe('AuthInvalidOTPError')
  })

  it('S12: ends after 30 minutes without a request, and not before', async () => {
    const { token } = await signedIn()
    for (let use = 0; use < 4; use++) {
      await app.clock.advance(29 * minuteMs)
      expect(await statusOf(token)).toBe(200)
      // The last of several uses counts.
      await app.clock.advance(15_000)
      expect(await statusOf(token)).toBe(200)
      await app.clock.advance(30 * minuteMs - 10_000)
      expect(await statusOf(token)).toBe(200)
    }
    await app.clock.advance(30 * minuteMs + 1_000)
    expect(await statusOf(token)).toBe(401)
  })

  it('S12: records its use at most every ten seconds', async () => {
    const { token, userId } = await signedIn()
    const lastSeen = () =>
      app.context.database.asSystem((sql) =>
        sql.selectFrom('sessions').select('last_seen_at').where('user_id', '=', userId).executeTakeFirstOrThrow(),
      )
    const signedInAt = await lastSeen()
    await app.clock.advance(5_000)
    await steps.permissions(token)
    expect(await lastSeen()).toEqual(signedInAt)
    await app.clock.advance(6_000)
    await steps.permissions(token)
    expect((await lastSeen()).last_seen_at.getTime()).toBeGreaterThanOrEqual(signedInAt.last_seen_at.getTime() + 10_000)
  })

  it.each([
    ['a borrower’s', 'borrower', 12],
    ['a staff member’s', 'staff', 8],
  ] as const)('S13: %s ends for good after its hours, however busy', async (_whose, kind, hours) => {
    const { token } = await signedIn({ kind })
    const signedInAt = app.clock.now().getTime()
    for (let elapsed = 0; elapsed < hours * hourMs - 20 * minuteMs; elapsed += 20 * minuteMs) {
      expect(await statusOf(token)).toBe(200)
      await app.clock.advance(20 * minuteMs)
    }
    expect(await statusOf(token)).toBe(200)
    await app.clock.advance(signedInAt + hours * hourMs - 5 * minuteMs - app.clock.now().getTime())
    expect(await statusOf(token)).toBe(200)
    await app.clock.advance(5 * minuteMs)
    expect(await statusOf(token)).toBe(401)
  })

  it('S13: ends in the database too, whatever its token says', async () => {
    const { token, userId } = await signedIn()
    await app.context.database.asSystem((sql) =>
      sql.updateTable('sessions').set({ expires_at: app.context.clock.now() }).where('user_id', '=', userId).execute(),
    )
    expect(await statusOf(token)).toBe(401)
  })
})

describe('the caller', () => {
  const toCaller = (token: string) => readCaller(app.context, `bearer ${token}`, async (_sql, caller) => caller)

  async function assuming() {
    const borrower = await steps.addPerson({ permissions: ['document:read', 'user:assume'] })
    const staff = await signedIn({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume', 'loan:update'] })
    const { body } = await steps.call('POST', '/auth/assume', { user_id_to_assume: borrower.userId }, `Bearer ${staff.token}`)
    return { borrower, staff, token: body.token ?? '' }
  }

  it('is the borrower, acting for themselves', async () => {
    const { token, userId } = await signedIn()
    expect(await toCaller(token)).toEqual({
      borrowerId: userId,
      actorId: userId,
      sessionId: decodeJwt(token)['sid'],
      isStaff: false,
      permissions: borrowers,
    })
  })

  it('has no borrower while staff assume nobody', async () => {
    const { token, userId } = await signedIn({ kind: 'staff', roles: ['tech/assume'], permissions: ['user:assume', 'loan:update'] })
    expect(await toCaller(token)).toMatchObject({ borrowerId: null, actorId: userId, permissions: ['loan:update', 'user:assume'] })
  })

  it('is the assumed borrower with the staff member as actor, the borrower’s permissions and user:assume', async () => {
    const { borrower, staff, token } = await assuming()
    expect(await toCaller(token)).toMatchObject({
      borrowerId: borrower.userId,
      actorId: staff.userId,
      permissions: ['document:read', 'user:assume'],
      isStaff: true,
    })
  })

  it.each([
    ['the staff member’s role', 'staff', { roles: [] }],
    ['the staff member’s permission', 'staff', { permissions: [] }],
    ['the staff member’s account', 'staff', { disabled_at: new Date(0) }],
    ['the borrower’s account', 'borrower', { disabled_at: new Date(0) }],
    ['the borrower’s being one', 'borrower', { kind: 'staff' }],
  ] satisfies [string, string, Parameters<typeof change>[1]][])('S09: ends, while assuming, with %s', async (_what, whose, values) => {
    const { borrower, staff, token } = await assuming()
    expect(await statusOf(token)).toBe(200)
    await change((whose === 'staff' ? staff : borrower).userId, values)
    expect(await statusOf(token)).toBe(401)
  })
})
