import { readdirSync } from 'node:fs'
import { connect as tcpConnect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import * as contract from '#contract/index.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Config } from '#server/config/config.ts'
import { serve, type Server } from '#server/serve.ts'
import { failingDatabase } from '#testkit/failing-database.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'

let app: App
let loggedServer: Server
let token: string
const lines: Record<string, unknown>[] = []
const log = pino(
  { level: 'info' },
  new Writable({
    write: (chunk: Buffer, _encoding, done) => (lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>), done()),
  }),
)

beforeAll(async () => {
  // No sweeps: P05 measures this thread, and no test waits for one.
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_SWEEP_INTERVAL_MS: '600000' } })
  loggedServer = await serveAgain({ role: 'web' })
  token = await signInSteps(app).signIn(demoPhone(1))
})
/** The same portal again, with other settings. */
const serveAgain = (settings: Partial<Config>) =>
  serve({
    config: { ...app.context.config, ...settings },
    clock: app.clock,
    databaseUrl: app.databaseUrls.appUrl,
    razorpayBaseUrl: app.sandboxUrl,
    log,
    printSms: () => {},
  })
afterAll(async () => {
  await loggedServer.close()
  await app.close()
})

const calls = Object.entries<Endpoint>(contract)
const urlOf = (path: string) => `${app.url}/api/v1${path.replaceAll(/:[a-z_]+/g, 'x')}`

/**
 * Sends raw bytes.
 *
 * @returns all bytes received until the server closes.
 */
function raw(port: number, text: string, { end = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = tcpConnect(port, '127.0.0.1', () => (end ? socket.end(text) : socket.write(text)))
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
const port = () => Number(new URL(app.url).port)

describe('methods', () => {
  it('Z15: every other method of every call gets 405 and Allow', async () => {
    for (const [, { path, method }] of calls) {
      const ofPath = calls.filter(([, other]) => other.path === path).map(([, other]) => other.method as string)
      for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => !ofPath.includes(one))) {
        const response = await fetch(urlOf(path), { method: other })
        expect([other, path, response.status]).toEqual([other, path, 405])
        expect(response.headers.get('allow')).toContain(method)
        expect(((await response.json()) as { code: string }).code).toBe('MethodNotAllowed')
      }
    }
  })

  it('TRACE and unknown methods are refused everywhere', async () => {
    for (const path of ['/', '/api/v1/auth/login', '/api/v1/nothing']) {
      expect(await raw(port(), `TRACE ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 405 /)
      expect(await raw(port(), `BREW ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    }
  })

  it('no header overrides the method', async () => {
    const response = await fetch(urlOf('/auth/permissions'), {
      headers: {
        authorization: `Bearer ${token}`,
        'x-http-method-override': 'DELETE',
        'x-method-override': 'POST',
        'x-http-method': 'PUT',
      },
    })
    expect(response.status).toBe(200)
  })
})

describe('headers', () => {
  const paths = [
    '/',
    '/login',
    '/config.json',
    '/api/v1/auth/permissions',
    '/api/v1/nothing',
    '/api/v1/openapi.json',
    '/.well-known/security.txt',
    '/nothing.js',
    // Refused by a hook, before any route is asked.
    `/api/v1/auth/permissions?${'&'.repeat(101)}`,
  ]

  const headersOf = async (path: string) => (await fetch(app.url + path)).headers

  it.each(paths)('H04: the type of %s is not guessed', async (path) => {
    expect((await headersOf(path)).get('x-content-type-options')).toBe('nosniff')
  })

  it.each(paths)('H05: %s hides its URL', async (path) => {
    expect((await headersOf(path)).get('referrer-policy')).toBe('no-referrer')
  })

  it.each(paths)('H06: only our origin uses %s', async (path) => {
    const headers = await headersOf(path)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it.each(paths)('H07: %s may use no camera, microphone, location, payment or USB', async (path) => {
    expect((await headersOf(path)).get('permissions-policy')).toMatch(
      /camera=\(\).*geolocation=\(\).*microphone=\(\).*payment=\(\).*usb=\(\)/,
    )
  })

  it.each(paths)('H08: %s does not name the server or its version', async (path) => {
    const headers = await headersOf(path)
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null])
  })

  it.each(paths)('%s is framed by nobody, and its policy allows nothing by default', async (path) => {
    const headers = await headersOf(path)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*|http:/)
  })

  it('P13: every answer with a body has a type, with its charset if it is text', async () => {
    for (const path of paths) {
      const type = (await fetch(app.url + path)).headers.get('content-type')
      expect([path, type]).toEqual([path, expect.stringMatching(/^(application\/(problem\+)?json|text\/(html|plain)); charset=utf-8$/)])
    }
  })

  it('H01: a page may load only our own files, evaluates no text, and cannot be framed', async () => {
    const policy = (await fetch(`${app.url}/login`)).headers.get('content-security-policy')
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy).toContain(directive)
    // Our pages show no frames.
    expect(policy).not.toContain('frame-src')
  })

  it('H12: scripts, styles, fonts and pictures come only from our own origin', async () => {
    const response = await fetch(`${app.url}/login`)
    const sources = (response.headers.get('content-security-policy') ?? '')
      .split(';')
      .map((directive) => directive.trim().split(/\s+/))
      .filter(([name = '']) => /-src$/.test(name))
    expect(sources.length).toBeGreaterThan(4)
    const own = ["'self'", "'none'", 'data:', 'blob:']
    // Each hash allows one of our inline texts.
    expect(
      sources.flatMap(([name, ...allowed]) =>
        allowed.filter((one) => !own.includes(one) && !one.startsWith("'sha256-")).map((one) => `${name} ${one}`),
      ),
    ).toEqual([])
    const addresses = [...(await response.text()).matchAll(/<(?:script|link|img|source|iframe)\b[^>]*\s(?:src|href)="([^"]+)"/g)].map(
      ([, address = '']) => address,
    )
    expect(addresses.length).toBeGreaterThan(0)
    expect(addresses.filter((address) => new URL(address, app.url).origin !== app.url && !address.startsWith('data:'))).toEqual([])
  })

  it('H03: over TLS the answer has Strict-Transport-Security', async () => {
    expect((await fetch(app.url)).headers.get('strict-transport-security')).toBeNull()
    const overTls = await serveAgain({ origins: ['https://loans.example'] })
    const { headers } = await fetch(`http://127.0.0.1:${overTls.port}/`)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
    await overTls.close()
  })

  it('H09: no answer with a session is cached', async () => {
    for (const path of ['/auth/permissions', '/portal/loans-summary', `/auth/users/x`, '/portal/ongoing-payment'])
      expect((await app.get(path, token)).headers.get('cache-control')).toBe('no-store')
  })

  it('S16: logout clears the browser’s cache', async () => {
    const other = await signInSteps(app).signIn(demoPhone(2))
    const { status, headers } = await app.post('/auth/logout', undefined, other)
    expect([status, headers.get('clear-site-data')]).toEqual([200, '"cache"'])
    expect((await app.post('/auth/logout', undefined, other)).headers.get('clear-site-data')).toBeNull()
  })

  it('P14: no other origin is allowed', async () => {
    for (const origin of ['null', 'https://evil.example', 'http://localhost:3000.evil.example', 'http://evillocalhost:3000']) {
      const { headers } = await fetch(urlOf('/auth/permissions'), { headers: { origin } })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })

  it('security.txt has the contact and its expiry', async () => {
    const text = await (await fetch(`${app.url}/.well-known/security.txt`)).text()
    expect(text).toMatch(/^Contact: mailto:\S+\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\nPreferred-Languages: en, hi\nCanonical: http/)
  })

  it('H13: no internal file is served', async () => {
    const get = (path: string) => raw(port(), `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    const assets = readdirSync(join(import.meta.dirname, '../../dist/web/assets')).filter((name) => name.endsWith('.js'))
    expect(assets.length).toBeGreaterThan(10)
    for (const path of [
      '/.env',
      '/package.json',
      '/server/main.ts',
      '/../package.json',
      '/%2e%2e/package.json',
      '/..%2fpackage.json',
      ...assets.map((name) => `/assets/${name}.map`),
    ])
      expect([path, (await get(path)).slice(0, 13)]).toEqual([path, 'HTTP/1.1 404 '])
    // Addresses without the name of a file get the app, which shows its own not-found page.
    const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n'))
    const notFoundPage = bodyOf(await get('/no-such-page'))
    for (const path of ['/.git/config', '/assets/', '/metrics']) expect([path, bodyOf(await get(path))]).toEqual([path, notFoundPage])
  })

  it('decision 12: in production the contract is public, without its browsable documentation', async () => {
    const production = await serveAgain({
      production: true,
      sms: { authKey: 'x', sender: 'KISTIN', dltEntityId: '1', baseUrl: 'http://127.0.0.1:9', timeoutMs: 100 },
    })
    const get = (path: string) => fetch(`http://127.0.0.1:${production.port}${path}`, { redirect: 'manual' })
    expect((await get('/api/v1/openapi.json')).status).toBe(200)
    for (const path of ['/api/docs', '/api/docs/', '/api/docs/json', '/api/docs/static/index.html'])
      expect([path, await (await get(path)).text()]).toEqual([path, expect.not.stringContaining('openapi')])
    await production.close()
  })
})

describe('requests that are broken, slow or many', () => {
  it('P12: contradicting lengths are refused and the connection ends', async () => {
    const body = '{"phone":"9000000001"}'
    for (const lengths of [
      `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked`,
      'Content-Length: 5\r\nContent-Length: 6',
      'Transfer-Encoding: chunked, identity',
      'Content-Length: -1',
      'Content-Length: 1e1',
    ]) {
      const answer = await raw(
        port(),
        `POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${lengths}\r\n\r\n${body}`,
      )
      expect([lengths, answer.slice(0, 12)]).toEqual([lengths, 'HTTP/1.1 400'])
      expect(answer).toContain('"code":"InvalidRequest"')
    }
  })

  it('too large headers: 431; a malformed first line: 400', async () => {
    expect(await raw(port(), `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
    expect(await raw(port(), 'HELLO\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await raw(port(), 'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('L13: headers that never end are cut off at the timeout', async () => {
    const hasty = await serveAgain({ role: 'web', http: { ...app.context.config.http, headersTimeoutMs: 300 } })
    const started = performance.now()
    expect(await raw(hasty.port ?? 0, 'GET / HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 408 [\s\S]*RequestTimeout/)
    // The limit is 300 ms here; the next one is 60 s without any byte.
    expect(performance.now() - started).toBeLessThan(30_000)
    await hasty.close()
  })

  it('P06: 415 for a body that is not JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      const response = await fetch(urlOf('/auth/login'), {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"phone":"9000000001"}',
      })
      expect([type, response.status]).toEqual([type, 415])
    }
  })

  it('accepts no body of any declared type as no body (decision 28)', async () => {
    const token = await app.signIn(demoPhone(1))
    const response = await fetch(urlOf('/auth/logout'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${token}` },
      body: '',
    })
    expect(response.status).toBe(200)
  })

  it('P05: 413 and 400 at once for bodies that are too large, too deep or repeat a field', async () => {
    const bodies: [string, number][] = [
      [`{"phone":"${'1'.repeat(1_000_000)}"}`, 413],
      ['['.repeat(10_000), 400],
      ['{"phone":"9000000001","phone":"9000000002"}', 400],
      ['{"__proto__":{"phone":"9000000001"}}', 400],
      [`{${Array.from({ length: 5_000 }, (_, index) => `"${index}":0`).join(',')}}`, 400],
    ]
    for (const [body, status] of bodies) {
      // Measures this thread's CPU time; the least of three, because the portal's work is in it.
      const times: number[] = []
      for (let turn = 0; turn < 3; turn += 1) {
        const before = process.threadCpuUsage()
        expect((await app.post('/auth/login', body)).status).toBe(status)
        const { user, system } = process.threadCpuUsage(before)
        times.push((user + system) / 1_000)
      }
      expect(Math.min(...times)).toBeLessThan(500)
    }
  })
})

describe('the log of refusals', () => {
  const loggedUrl = () => `http://127.0.0.1:${loggedServer.port}/api/v1`

  const refuseThree = async () => {
    lines.length = 0
    await fetch(`${loggedUrl()}/auth/users/all?search=x`, { headers: { authorization: `Bearer ${token}` } })
    await fetch(`${loggedUrl()}/auth/permissions`, { headers: { authorization: 'Bearer x' } })
    await fetch(`${loggedUrl()}/portal/repayment-schedule?lead_id=KST-25-001208`, { headers: { authorization: `Bearer ${token}` } })
  }

  it('L01: has one line per refusal, with its event, route and status', async () => {
    await refuseThree()
    expect(lines.map(({ event, route, status }) => [event, route, status])).toEqual([
      ['authz_fail', '/api/v1/auth/users/all', 403],
      ['authn_token_refused', '/api/v1/auth/permissions', 401],
      ['authz_fail', '/api/v1/portal/repayment-schedule', 404],
    ])
  })

  it('L02: records time, request, address, duration, actor and subject', async () => {
    await refuseThree()
    expect(lines).toHaveLength(3)
    for (const line of lines)
      expect(line).toMatchObject({
        time: expect.anything(),
        reqId: expect.any(String),
        remote_address: '127.0.0.1',
        duration_ms: expect.any(Number),
      })
    expect(lines[0]).toMatchObject({ actor: expect.any(String), subject: expect.any(String) })
  })

  it('Z16: a refusal with a session is in the access log too', async () => {
    const entries = await app.database.asSystem((sql) =>
      sql.selectFrom('access_log').select('detail').where('action', '=', 'access_refused').execute(),
    )
    expect(entries.map(({ detail }) => detail)).toContainEqual({ call: 'listUsers' })
  })

  const canaries = ['9000000001', '246810', 'ABCPD1234E', 'canary@example.in', 'Canaryname', 'secret-token-canary']
  const sendCanaries = async () => {
    lines.length = 0
    const [phone = '', code = '', pan = '', mail = '', name = '', bearer = ''] = canaries
    const forged = `${name}\r\n{"event":"authn_login_success"}\u001b[31m`
    const get = (path: string, headers: Record<string, string> = {}) => fetch(`${loggedUrl()}${path}`, { headers })
    await get(`/auth/users/all?search=${encodeURIComponent(forged)}&page=${pan}`, { authorization: `Bearer ${bearer}.x.y` })
    await get(`/auth/users/${mail}`, { authorization: `Bearer ${token}` })
    await get(`/portal/repayment-schedule?lead_id=${encodeURIComponent(forged + mail)}`, {
      authorization: `Bearer ${token}`,
      'user-agent': name,
    })
    for (const body of [{ phone: `${phone}x` }, { phone, otp: code }, { phone: forged }])
      await fetch(`${loggedUrl()}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await fetch(`${loggedUrl()}/auth/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_token: bearer, otp: code }),
    })
    await get(`/auth/code-status?session_token=${bearer}`)
    await get(`/auth/code-status?session_token=${bearer.repeat(20)}`)
    expect(lines.length).toBeGreaterThan(4)
  }

  it('A15: it contains nothing of the request’s content', async () => {
    await sendCanaries()
    const text = JSON.stringify(lines)
    // Times and random ids can contain any digits, so the code must be delimited.
    for (const canary of canaries) expect(text).not.toMatch(new RegExp(`(?<![0-9a-f])${canary}(?![0-9a-f])`))
  })

  it('L03: no content of a request can forge a line', async () => {
    await sendCanaries()
    expect(lines.filter(({ event }) => event === 'authn_login_success')).toEqual([])
    expect(JSON.stringify(lines)).not.toMatch(/\\u001b|\\r\\n\{/)
  })

  it('H14: an error reveals no internals', async () => {
    const { database } = app.context
    app.context.database = failingDatabase(database, new Error('select * from loans where /srv/kist/secret.ts:12'))
    const { status, body } = await app.get('/portal/loans-summary', token)
    app.context.database = database
    expect(status).toBe(500)
    expect(body).toEqual({
      type: '/problems/Unexpected',
      title: 'Something went wrong',
      status: 500,
      detail: 'Something went wrong on our side. Please try again.',
      code: 'Unexpected',
      request_id: expect.any(String),
    })
  })

  it('L07: if the check itself fails, access is denied', async () => {
    const { database } = app.context
    app.context.database = failingDatabase(database, new Error('broken'))
    const answers = [await app.get('/auth/permissions', token), await app.get('/portal/loans-summary', token)]
    app.context.database = database
    expect(answers.map(({ status }) => status)).toEqual([500, 500])
  })
})
