import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { serve, type Server } from '#server/serve.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { signInSteps } from '../auth/sign-in.testing.ts'
import { beginBody } from './begin-body.testing.ts'
import { hasCapacity } from './load-shedding.ts'

const limits = {
  connectionsMax: 100,
  runningMax: 20,
  waitingMax: { critical: 10, normal: 3, bulky: 1 },
  unauthenticated: { runningMax: 1, waitingMax: 100, waitMsMax: 600_000 },
  sessionWaitMsMax: 600_000,
}

describe('load classes', () => {
  it('less urgent classes are refused first, and all beyond the limits', () => {
    const inAt = (waiting: number, running = 0) =>
      (['critical', 'normal', 'bulky'] as const).filter((one) => hasCapacity(one, { running, waiting }, limits))
    expect(inAt(0)).toEqual(['critical', 'normal', 'bulky'])
    expect(inAt(1)).toEqual(['critical', 'normal'])
    expect(inAt(2)).toEqual(['critical', 'normal'])
    expect(inAt(3)).toEqual(['critical'])
    expect(inAt(9)).toEqual(['critical'])
    expect(inAt(10)).toEqual([])
    expect(inAt(0, 19)).toEqual(['critical', 'normal', 'bulky'])
    expect(inAt(0, 20)).toEqual([])
  })
})

describe('a server whose database is busy', () => {
  let app: App
  let server: Server
  let token: string
  let release = () => {}
  let holding: Promise<unknown> = Promise.resolve()
  beforeAll(async () => {
    app = await startApp(inject('cluster'), { town: true })
    const { config } = app.context
    server = await serve({
      config: {
        ...config,
        role: 'web',
        database: { ...config.database, connectionsMax: 2, connectTimeoutMs: 60_000, statementTimeoutMs: 100_000 },
        load: limits,
      },
      clock: app.clock,
      databaseUrl: app.databaseUrls.appUrl,
      razorpayBaseUrl: app.sandboxUrl,
      log: app.context.log,
      printSms: () => {},
    })
    token = await signInSteps(app).signIn(demoPhone(1))
  })
  afterAll(async () => {
    release()
    await holding
    await server.close()
    await app.close()
  })

  const get = (path: string, method = 'GET') =>
    fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } })
  const verify = () =>
    fetch(`http://127.0.0.1:${server.port}/api/v1/auth/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_token: 'nobody knows this one', otp: '000000' }),
    })
  const waiting = (count: number) => until(() => server.context.database.waiting() === count)
  /** Holds both connections until `release`. */
  const holdDatabase = async () => {
    const released = new Promise<void>((resolve) => (release = resolve))
    const { database } = server.context
    let taken = 0
    const occupy = () => database.asSystem(async () => ((taken += 1), released))
    holding = Promise.all([occupy(), occupy()])
    await until(() => taken === 2)
  }
  const letGo = async () => {
    release()
    await holding
  }

  it('answers 503 with Retry-After at once, the critical class last, and recovers afterwards', async () => {
    await holdDatabase()
    const bulkyBefore = get('/portal/explain?x=1')
    await waiting(1)
    const bulkyPaths = ['/auth/users/all', '/operations/loans', '/portal/loan-papers/x', '/operations/loan-papers/x']
    const bulky = await Promise.all(bulkyPaths.map((path) => get(path)))
    const first = [get('/portal/loans-summary'), get('/portal/loans-summary')]
    await waiting(3)
    const refused = await Promise.all(Array.from({ length: 6 }, () => get('/portal/loans-summary')))
    const requestIds = new Set<string>()
    for (const answer of [...bulky, ...refused]) {
      const { code, request_id } = (await answer.json()) as { code: string; request_id: string }
      expect([answer.status, code]).toEqual([503, 'Overloaded'])
      expect(['1', '2', '3']).toContain(answer.headers.get('retry-after'))
      requestIds.add(request_id)
    }
    expect(requestIds.size).toBe(bulky.length + refused.length)
    // A refused read is answered without Fastify, but as every other answer.
    const [missing, shed] = [await get('/portal/no-such-call'), refused[0]]
    const ofConnection = ['retry-after', 'connection', 'keep-alive']
    const namesOf = (answer: Response | undefined) =>
      [...(answer?.headers.keys() ?? [])].filter((name) => !ofConnection.includes(name)).toSorted()
    expect(namesOf(shed)).toEqual(namesOf(missing))
    for (const name of ['content-security-policy', 'content-type', 'cache-control', 'x-content-type-options'])
      expect(shed?.headers.get(name)).toBe(missing.headers.get(name))
    expect((await get('/portal/loans-summary', 'HEAD')).status).toBe(503)
    const status = () => get('/portal/payment-link/status?payment_link_id=plink_x')
    const critical = Array.from({ length: 7 }, status)
    await waiting(10)
    expect((await status()).status).toBe(503)
    // Requests without a database connection are not refused.
    expect((await fetch(`http://127.0.0.1:${server.port}/config.json`)).status).toBe(200)
    await letGo()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
    expect((await Promise.all(critical)).map((answer) => answer.status)).toEqual(Array.from({ length: 7 }, () => 404))
    expect((await bulkyBefore).status).toBe(400)
    expect((await get('/portal/loans-summary')).status).toBe(200)
    const metrics = await server.context.metrics.text()
    expect(metrics).toMatch(/^kist_http_requests_shed_total\{class="normal"\} 7$/m)
    const labels = 'method="GET",route="/api/v1/portal/loans-summary"'
    expect(metrics).toContain(`kist_http_requests_total{${labels},status="503"} 6\n`)
    // A refusal takes no time: it would make the times of the answers look better.
    expect(metrics).toContain(`kist_http_request_duration_seconds_count{${labels}} 3\n`)
  })

  it('limits running requests of all classes, and counts broken connections correctly', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await holdDatabase()
      server.context.config.load.waitingMax.critical = 1_000
      const gone = new AbortController()
      const under = Array.from({ length: 20 }, () =>
        fetch(`http://127.0.0.1:${server.port}/api/v1/auth/permissions`, {
          headers: { authorization: `Bearer ${token}` },
          signal: gone.signal,
        }).catch(() => null),
      )
      server.context.config.load.waitingMax.normal = 1_000
      await waiting(20)
      expect((await verify()).status).toBe(503)
      gone.abort()
      await Promise.all(under)
      await letGo()
      await waiting(0)
      await until(async () => (await verify()).status === 400)
    }
  })

  it('a body that never ends takes no place of a running request', async () => {
    const beginOne = () => beginBody(server.port ?? 0, '/auth/verify', { 'content-type': 'application/json' })
    const bodies = await Promise.all(Array.from({ length: limits.runningMax + 5 }, beginOne))
    expect((await verify()).status).toBe(400)
    for (const body of bodies) body.socket.destroy()
  })
})
