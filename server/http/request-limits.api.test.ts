import { request as httpRequest } from 'node:http'
import { connect as tcpConnect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { serve, type Server } from '#server/serve.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import { signTicket } from '../documents/ticket.ts'
import { limitRate } from './rate-limit.ts'
import { beginBody } from './begin-body.testing.ts'
import { limitConcurrency } from './concurrency-limit.ts'

describe('limitConcurrency', () => {
  it('starts waiting work in order, refuses work beyond the queue, and removes idle keys', async () => {
    const limit = limitConcurrency({ runningMax: 1, waitingMax: 2, waitMsMax: 10_000 })
    const order: number[] = []
    const first = Promise.withResolvers<void>()
    const works = [first.promise, Promise.resolve(), Promise.resolve()].map((work, index) =>
      limit('a', async () => void order.push(index, await work.then(() => 10 + index))),
    )
    await expect(limit('a', async () => 1)).rejects.toMatchObject({ code: 'TooManyRequests', extras: { retryAfterSeconds: 1 } })
    expect(await limit('b', async () => 2)).toBe(2)
    first.resolve()
    await Promise.all(works)
    expect(order).toEqual([0, 10, 1, 11, 2, 12])
    expect(await limit('a', async () => 3)).toBe(3)
  })

  it('refuses work that has waited too long, and releases the slot of failed work', async () => {
    const limit = limitConcurrency({ runningMax: 1, waitingMax: 5, waitMsMax: 20 })
    const first = Promise.withResolvers<void>()
    const running = limit('a', () => first.promise)
    await expect(limit('a', async () => 1)).rejects.toMatchObject({ code: 'TooManyRequests' })
    first.reject(new Error('broken'))
    await expect(running).rejects.toThrow('broken')
    expect(await limit('a', async () => 2)).toBe(2)
  })
})

it('limitRate counts each address separately, and allows it again in time', () => {
  const limit = limitRate({ burst: 3, perSecond: 2 })
  const at = (ms: number) => new Date(1_700_000_000_000 + ms)
  expect([0, 0, 0, 0].map(() => limit('a', at(0)))).toEqual([0, 0, 0, 0.5])
  expect(limit('b', at(0))).toBe(0)
  expect(limit('a', at(400))).toBeGreaterThan(0)
  expect(limit('a', at(500))).toBe(0)
  // A clock that is set back adds no tokens.
  expect(limit('a', at(0))).toBeGreaterThan(0)
})

describe('a portal with strict limits', () => {
  let app: App
  let server: Server
  const tokens: string[] = []
  let release = () => {}
  let holding: Promise<unknown> = Promise.resolve()
  const connections = 15

  /** The waits are so long that no request of these tests reaches their end, unless given. */
  const serveStrict = ({ sessionWaitMsMax = 600_000 } = {}) => {
    const { config } = app.context
    return serve({
      config: {
        ...config,
        role: 'web',
        signIn: { ...config.signIn, limits: 'strict' },
        load: { ...config.load, sessionWaitMsMax, unauthenticated: { ...config.load.unauthenticated, waitingMax: 20 } },
      },
      clock: app.clock,
      databaseUrl: app.databaseUrls.appUrl,
      razorpayBaseUrl: app.sandboxUrl,
      log: app.context.log,
      printSms: () => {},
    })
  }

  beforeAll(async () => {
    app = await startApp(inject('cluster'), {
      town: true,
      settings: { KIST_TRUSTED_PROXIES: '127.0.0.1', KIST_DATABASE_CONNECTIONS: String(connections) },
    })
    server = await serveStrict()
    // One after the other: the second code of a phone ends the first.
    for (const person of [1, 2, 1]) tokens.push(await signInSteps(app).signIn(demoPhone(person)))
  })
  afterEach(async () => {
    release()
    await holding
  })
  afterAll(async () => {
    await server.close()
    await app.close()
  })

  type Answer = { status: number; code: string; refusal: string | undefined; retryAfter: string | null }
  const sendRequest = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, init)
    const { code = '', refusal } = (await response.json()) as { code?: string; refusal?: string }
    return { status: response.status, code, refusal, retryAfter: response.headers.get('retry-after') }
  }
  const get = (token = '') => sendRequest('/auth/permissions', { headers: { authorization: `Bearer ${token}` } })
  const post = (path: string, address: string, body: unknown) =>
    sendRequest(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
  const madeUpVerify = (address: string) => post('/auth/verify', address, { session_token: `nobody-${crypto.randomUUID()}`, otp: '000000' })
  const statusesOf = (answers: readonly Answer[]) =>
    Object.fromEntries(Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, of]) => [status, of?.length]))

  /** Makes every statement of the server wait until `release`. */
  const holdDatabase = () => {
    const { database } = server.context
    const released = new Promise<void>((resolve) => (release = resolve))
    const { asSystem, readAsSystem, readAsSession } = database
    let statements = 0
    const waitForRelease = async () => void ((statements += 1), await released)
    database.asSystem = async (work) => waitForRelease().then(() => asSystem(work))
    database.readAsSystem = async (reads) => waitForRelease().then(() => readAsSystem(reads))
    database.readAsSession = async (owner, reads) => waitForRelease().then(() => readAsSession(owner, reads))
    holding = released.then(() => Object.assign(database, { asSystem, readAsSystem, readAsSession }))
    return () => statements
  }

  /** Counts the work that is given to the database from now on. */
  const countStatements = () => {
    const { database } = server.context
    const { asSystem, readAsSystem, readAsSession } = database
    let statements = 0
    database.asSystem = (work) => ((statements += 1), asSystem(work))
    database.readAsSystem = (reads) => ((statements += 1), readAsSystem(reads))
    database.readAsSession = (owner, reads) => ((statements += 1), readAsSession(owner, reads))
    return () => statements
  }

  /** The answers in order of arrival. */
  const collect = (sent: readonly Promise<Answer>[]) => {
    const answers: Answer[] = []
    for (const answer of sent) void answer.then((one) => answers.push(one))
    return answers
  }

  describe('whose requests wait as long as in production', () => {
    let withLongWaits: Server
    beforeAll(async () => {
      withLongWaits = server
      server = await serveStrict({ sessionWaitMsMax: 5_000 })
    })
    afterAll(async () => {
      await server.close()
      server = withLongWaits
    })

    it('L17: of one person 8 requests run, 32 wait up to 5 seconds, and the next are 429 with Retry-After', async () => {
      const [one, other, sameAsOne] = tokens
      const statements = holdDatabase()
      const started = performance.now()
      const sent = Array.from({ length: 150 }, (_, index) => get(index % 2 ? one : sameAsOne))
      const answers = collect(sent)
      await until(() => answers.length >= 110)
      // Another person is not affected: their requests reach the database.
      const others = Array.from({ length: 3 }, () => get(other))
      await until(() => statements() === 11)
      await until(() => answers.length === 142)
      expect(performance.now() - started).toBeGreaterThan(4_900)
      expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['429 TooManyRequests']))
      expect(answers.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true)
      release()
      await holding
      expect(statusesOf(await Promise.all([...sent, ...others]))).toEqual({ 200: 11, 429: 142 })
    })
  })

  it('L17: of the documents of one session 8 are opened at once, and an address that is not signed needs no database', async () => {
    const { clock, config } = server.context
    const expiresAt = new Date(clock.now().getTime() + 600_000)
    const person = crypto.randomUUID()
    const content = { documentId: crypto.randomUUID(), borrowerId: person, actorId: person, sessionId: crypto.randomUUID(), expiresAt }
    const open = (ticket: string) => sendRequest(`/portal/generated-document?ticket=${ticket}`)
    const ticket = signTicket(config.documents.ticketKey, content)
    const statements = holdDatabase()
    const sent = Array.from({ length: 50 }, () => open(ticket))
    const answers = collect(sent)
    await until(() => answers.length === 10 && statements() === 8)
    expect([(await open(`${ticket}x`)).status, statements()]).toEqual([404, 8])
    release()
    await holding
    expect(statusesOf(await Promise.all(sent))).toEqual({ 404: 40, 429: 10 })
  })

  it('L17: a waiting request gets the slot of the next one that ends', async () => {
    const statements = holdDatabase()
    const sent = Array.from({ length: 40 }, () => get(tokens[0]))
    await until(() => statements() === 8)
    release()
    expect(statusesOf(await Promise.all(sent))).toEqual({ 200: 40 })
  })

  it('L17: a token of an ended session takes no place of its person', async () => {
    const { signIn } = signInSteps(app)
    const ended = await signIn(demoPhone(3))
    const open = await signIn(demoPhone(3))
    expect((await sendRequest('/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${ended}` } })).status).toBe(200)
    expect((await get(ended)).code).toBe('AuthSessionExpired')
    const statements = holdDatabase()
    const sent = Array.from({ length: 40 }, () => get(ended))
    await until(() => statements() === 8)
    const own = get(open)
    await until(() => statements() === 9)
    release()
    expect((await own).status).toBe(200)
    expect(statusesOf(await Promise.all(sent))).toEqual({ 401: 40 })
  })

  it('L21: a call that was refused to a person 30 times is refused without the database for a minute', async () => {
    const frozen = vi.spyOn(server.context.clock, 'now').mockReturnValue(app.clock.now())
    onTestFinished(() => frozen.mockRestore())
    const [token] = tokens
    const list = () => sendRequest('/auth/users/all', { headers: { authorization: `Bearer ${token}` } })
    const entries = async () => {
      const rows = await app.database.asSystem((sql) =>
        sql.selectFrom('access_log').select('action').where('action', '=', 'access_refused').execute(),
      )
      return rows.length
    }
    const before = await entries()
    for (let turn = 0; turn < 30; turn += 1) expect((await list()).code).toBe('PermissionDenied')
    const statements = countStatements()
    expect([await list(), statements()]).toEqual([{ status: 429, code: 'TooManyRequests', retryAfter: '60' }, 0])
    expect((await entries()) - before).toBe(30)
    // Other calls of the person are not affected.
    expect((await get(token)).status).toBe(200)
    frozen.mockReturnValue(new Date(app.clock.now().getTime() + 61_000))
    expect((await list()).code).toBe('PermissionDenied')
  })

  it('calls of staff that leave an entry each time have a pace', async () => {
    const frozen = vi.spyOn(server.context.clock, 'now').mockReturnValue(app.clock.now())
    onTestFinished(() => frozen.mockRestore())
    const token = await signInSteps(app).signIn(demoPhone(12))
    const ask = (path: string, method = 'GET') => sendRequest(path, { method, headers: { authorization: `Bearer ${token}` } })
    const { user_id: userId } = await app.database.asSystem((sql) =>
      sql.selectFrom('users').select('user_id').where('phone', '=', demoPhone(1)).executeTakeFirstOrThrow(),
    )
    const nobody = crypto.randomUUID()
    for (let turn = 0; turn < 300; turn += 1) expect((await ask(`/auth/users/${userId}`)).status).toBe(200)
    const statements = countStatements()
    const answers = [
      await ask(`/auth/users/${userId}`),
      await ask('/auth/users/all'),
      await ask('/auth/assume', 'DELETE'),
      await ask('/operations/loans/NO-LOAN'),
      await ask(`/operations/proposals/${nobody}`),
      await ask(`/operations/loan-papers/${nobody}`),
      await ask('/operations/previews', 'POST'),
    ]
    expect([answers.map(({ status }) => status), statements()]).toEqual([answers.map(() => 429), 0])
    // What leaves no entry is not affected.
    expect((await get(token)).status).toBe(200)
    frozen.mockReturnValue(new Date(app.clock.now().getTime() + 1_000))
    expect((await ask(`/auth/users/${userId}`)).status).toBe(200)
  })

  it('L18: requests without a session have a fifth of the connections and a separate queue, and do not affect sessions', async () => {
    const statements = holdDatabase()
    const [runningMax, waitingMax] = [connections / 5, 20]
    const sent = Array.from({ length: 100 }, (_, index) =>
      index % 2 ? madeUpVerify(`198.51.100.${index}`) : post('/auth/login', `198.51.100.${index}`, { phone: '9000000099' }),
    )
    const answers = collect(sent)
    await until(() => answers.length >= 100 - runningMax - waitingMax)
    expect(new Set(answers.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['503 Overloaded']))
    expect(answers.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true)
    const borrower = get(tokens[0])
    await until(() => statements() === runningMax + 1)
    release()
    await holding
    expect((await borrower).status).toBe(200)
    expect((await Promise.all(sent)).filter(({ status }) => status !== 503).length).toBeGreaterThanOrEqual(runningMax)
  })

  it('L18: one network has two of these slots and 32 in the queue', async () => {
    const statements = holdDatabase()
    const sent = Array.from({ length: 60 }, () => madeUpVerify('203.0.113.7'))
    const answers = collect(sent)
    await until(() => answers.length >= 26)
    expect(new Set(answers.map(({ status, code, refusal }) => `${status} ${code} ${refusal}`))).toEqual(
      new Set(['429 AuthTooManyAttemptsError too_many_requests']),
    )
    expect(statements()).toBe(2)
    // Another network signs in meanwhile.
    const other = madeUpVerify('203.0.113.8')
    await until(() => statements() === 3)
    release()
    await holding
    expect((await other).status).toBe(400)
    expect((await Promise.all(sent)).filter(({ code }) => code === 'AuthInvalidOTPError').length).toBeGreaterThanOrEqual(2)
  })

  it('L18: an address over its rate is refused without the database', async () => {
    // Two more tokens would be added each second.
    const frozen = vi.spyOn(server.context.clock, 'now').mockReturnValue(app.clock.now())
    onTestFinished(() => frozen.mockRestore())
    for (let turn = 0; turn < 200; turn += 1) expect((await madeUpVerify('203.0.113.9')).status).toBe(400)
    const statements = countStatements()
    const answer = await madeUpVerify('203.0.113.9')
    expect([answer.code, answer.refusal, Number(answer.retryAfter), statements()]).toEqual([
      'AuthTooManyAttemptsError',
      'too_many_requests',
      1,
      0,
    ])
    const askForStatus = (address: string) =>
      sendRequest('/auth/code-status?session_token=nobody', { headers: { 'x-forwarded-for': address } })
    const asked = await Promise.all(Array.from({ length: 20 }, () => askForStatus('203.0.113.9')))
    expect(asked.filter(({ code }) => code === 'AuthTooManyAttemptsError')).toHaveLength(20)
    expect(statements()).toBe(0)
    expect([(await madeUpVerify('203.0.113.10')).status, (await askForStatus('203.0.113.10')).status]).toEqual([400, 400])
  })
})

describe('bodies', () => {
  it('L22: of one address 32 may arrive slowly; one more is cut off, and other addresses are not affected', async () => {
    const app = await startApp(inject('cluster'), { settings: { KIST_TRUSTED_PROXIES: '127.0.0.1' } })
    onTestFinished(() => app.close())
    const port = Number(new URL(app.url).port)
    // A type of uploads is no way around the limit where nothing is uploaded.
    const begin = (address: string) =>
      beginBody(port, '/webhooks/razorpay', { 'x-forwarded-for': address, 'content-type': 'multipart/form-data; boundary=b' })
    // Nor is another type where something is, whose body is read before anybody is authorized.
    const beginOnUploads = () =>
      beginBody(port, '/portal/upload-document', { 'x-forwarded-for': '203.0.113.1', 'content-type': 'application/json' })
    const slow = await Promise.all(Array.from({ length: 32 }, (_, index) => (index % 2 ? beginOnUploads() : begin('203.0.113.1'))))
    const slowSince = performance.now()
    const last = await begin('203.0.113.1')
    const other = await begin('203.0.113.2')
    await until(() => last.answer().includes('HTTP/1.1 408'))
    expect(last.answer()).toContain('RequestTimeout')
    // The limit of any body is 30 seconds.
    expect(performance.now() - slowSince).toBeLessThan(25_000)
    expect([...slow, other].map(({ answer }) => answer()).filter((answer) => answer.includes('408'))).toEqual([])
    for (const { socket } of [...slow, other]) socket.destroy()
  })
})

describe('connections', () => {
  let app: App
  const servers: Server[] = []
  const start = async (trustedProxies: string[], connectionsMax = 1_000) => {
    const { config, log } = app.context
    const server = await serve({
      config: {
        ...config,
        http: { ...config.http, connectionsPerAddressMax: 10, trustedProxies },
        load: { ...config.load, connectionsMax },
      },
      clock: app.clock,
      databaseUrl: app.databaseUrls.appUrl,
      razorpayBaseUrl: app.sandboxUrl,
      log,
      printSms: () => {},
    })
    servers.push(server)
    return server.port ?? 0
  }
  beforeAll(async () => {
    app = await startApp(inject('cluster'))
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await app.close()
  })

  /** Opens connections and leaves them open. */
  const holdOpen = async (port: number, count: number) => {
    const sockets = await Promise.all(
      Array.from({ length: count }, () => {
        const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof tcpConnect>>()
        const socket = tcpConnect(port, '127.0.0.1', () => resolve(socket))
        socket.on('error', reject)
        return promise
      }),
    )
    return () => sockets.forEach((socket) => socket.destroy())
  }
  /** The answer, or null if the server closes the connection before it has read the request. */
  const live = (port: number) => {
    const { promise, resolve } = Promise.withResolvers<
      [status: number | undefined, retryAfter: string | undefined, connection: string | undefined] | null
    >()
    httpRequest({ port, host: '127.0.0.1', path: '/health/live', agent: false }, (response) => {
      response.resume()
      resolve([response.statusCode, response.headers['retry-after'], response.headers.connection])
    })
      .on('error', () => resolve(null))
      .end()
    return promise
  }

  /** The refusal, once all connections are counted: several sockets take them, in any order. */
  const refused = (port: number) =>
    until(async () => {
      const answer = await live(port)
      return answer?.[0] === 503 && answer
    })

  it('L19: of one address beyond its limit get 503 with Retry-After and are closed', async () => {
    const port = await start([])
    const close = await holdOpen(port, 10)
    expect(await refused(port)).toEqual([503, '5', 'close'])
    close()
    await until(async () => (await live(port))?.[0] === 200)
  })

  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['loopback']])('L19: of a trusted proxy (%s) have the limit of the process', async (proxy) => {
    const port = await start([proxy], 40)
    const close = await holdOpen(port, 39)
    expect((await until(() => live(port)))[0]).toBe(200)
    const closeLast = await holdOpen(port, 1)
    expect(await refused(port)).toEqual([503, '5', 'close'])
    close()
    closeLast()
    await until(async () => (await live(port))?.[0] === 200)
  })

  it('L19: an idle one beyond the limit is closed in a second', async () => {
    const port = await start([])
    const close = await holdOpen(port, 10)
    await refused(port)
    const started = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    tcpConnect(port, '127.0.0.1')
      .on('close', resolve)
      .on('error', () => {})
    await promise
    expect(performance.now() - started).toBeGreaterThan(500)
    // Far below the limit for the headers of a request, here 120 s.
    expect(performance.now() - started).toBeLessThan(30_000)
    close()
  })
})
