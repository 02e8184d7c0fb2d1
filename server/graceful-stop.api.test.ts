import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { distributionSetting } from '#testkit/citus.ts'
import { bareEnvironment } from '#testkit/child-environment.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { freePort } from '#server/database/free-port.ts'
import { recordStatements } from '#testkit/listen-to-statements.ts'
import { slowMachineSettings, startApp, until, type App } from '#testkit/start-app.ts'
import { stopDeadlinesMs } from './serve.ts'

/** A server process as in production, with a provider that answers on command. */

let app: App
let provider: Server
let providerCalled: PromiseWithResolvers<void>
let answer: PromiseWithResolvers<void>
const directory = mkdtempSync(join(tmpdir(), 'kist-stop-'))

beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_ROLE: 'web' } })
  provider = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url?.startsWith('/v1/payment_links')) providerCalled.resolve()
      void answer.promise.then(() => response.writeHead(500).end())
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
})
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await app.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Waits for `expected`. @throws Error if `other` comes first; it says what has happened. */
const first = (expected: Promise<unknown>, other: Promise<string>): Promise<unknown> =>
  Promise.race([expected, other.then((what) => Promise.reject(new Error(what)))])
const address = (port: number) => `http://127.0.0.1:${port}`
const ready = async (port: number) => {
  const response = await fetch(`${address(port)}/health/ready`, { headers: { connection: 'close' } })
  return { code: response.status, ...((await response.json()) as { status: string }) }
}
/** The answer with a status, once there is one. */
const readyWith = (port: number, status: string) =>
  until(async () => {
    const answer = await ready(port)
    return answer.status === status && answer
  })
const isListening = (port: number) =>
  fetch(`${address(port)}/health/live`, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  )

async function startServer(settings: Record<string, string>): Promise<{ port: number; child: ChildProcess; exit: Promise<number | null> }> {
  providerCalled = Promise.withResolvers()
  answer = Promise.withResolvers()
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      ...bareEnvironment,
      ...slowMachineSettings,
      NODE_ENV: 'test',
      KIST_DEMO: 'true',
      KIST_DATA_DIR: directory,
      KIST_LIMITS: 'relaxed',
      KIST_LOG_LEVEL: 'silent',
      KIST_ORIGIN: 'http://localhost:3000',
      PORT: String(port),
      DATABASE_URL: app.databaseUrls.appUrl,
      ...distributionSetting,
      RAZORPAY_BASE_URL: address((provider.address() as AddressInfo).port),
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await first(
    until(() => isListening(port), 150_000),
    exit.then((code) => `the server ended with ${code}`),
  )
  return { port, child, exit }
}

async function call(
  port: number,
  path: string,
  token?: string,
  sent?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${address(port)}${apiPrefix}${path}`, {
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(sent !== undefined && { method: 'POST', body: JSON.stringify(sent) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function signIn(port: number, phone: string): Promise<string> {
  const { body } = await call(port, '/auth/login', undefined, { phone })
  const outbox = join(directory, 'outbox.ndjson')
  const otp = await until(() => (existsSync(outbox) ? /"code":"(\d{6})"/.exec(readFileSync(outbox, 'utf8'))?.[1] : null))
  return String((await call(port, '/auth/verify', undefined, { session_token: body['session_token'], otp })).body['token'])
}

describe('SIGTERM', { timeout: 300_000 }, () => {
  it('is announced first, then new connections are refused, and the running request is answered', async () => {
    const stopDelayMs = 1_000
    const { port, child, exit } = await startServer({
      KIST_STOP_DELAY_MS: String(stopDelayMs),
      // So long that a busy machine cuts no request off.
      KIST_STOP_WITHIN_MS: '100000',
      KIST_FAIL: 'stop_announced:hold',
    })
    expect(await readyWith(port, 'ready')).toEqual({ code: 200, status: 'ready' })
    const token = await signIn(port, demoPhone(1))
    const { body } = await call(port, '/portal/loans-summary', token)
    const { lan } = (body['loans'] as { lan: string }[])[0] ?? { lan: '' }
    const offer = await call(port, `/portal/repayment-schedule?lead_id=${lan}`, token)
    const { next_emi_payment } = offer.body['allowed_payments'] as { next_emi_payment: { amount: number } }
    const slow = call(port, '/portal/payment-link', token, {
      amount: next_emi_payment.amount,
      purpose: 'PAY_EMI',
      lead_id: lan,
      application_id: lan,
      use_razorpay: true,
      callback_url: 'http://localhost:3000/payments/waiting-for-payment',
    })
    await first(
      providerCalled.promise,
      slow.then((early) => `the link was answered without the provider: ${JSON.stringify(early)}`),
    )
    const toldAt = performance.now()
    child.kill('SIGTERM')
    expect(await readyWith(port, 'stopping')).toEqual({ code: 503, status: 'stopping' })
    expect((await fetch(`${address(port)}/health/live`)).headers.get('connection')).toBe('close')
    const announced = join(directory, 'fail-points', 'stop_announced.reached')
    await until(() => existsSync(announced))
    expect(performance.now() - toldAt).toBeGreaterThanOrEqual(stopDelayMs)
    expect(await isListening(port)).toBe(true)
    rmSync(announced)
    await until(async () => !(await isListening(port)))
    expect(child.exitCode, 'it waits for the request').toBe(null)
    answer.resolve()
    const { status, body: problem } = await slow
    // The portal's own answer, not a broken connection.
    expect([status, problem['code']]).toEqual([503, 'PaymentGatewayUnavailable'])
    expect(await exit).toBe(0)
  })

  it('ends the process within ten seconds, even while a provider never answers', async () => {
    const { port, child, exit } = await startServer({ KIST_STOP_DELAY_MS: '0', KIST_SWEEP_INTERVAL_MS: '50' })
    // The previous test's link has an unknown outcome, so the sweeper fetches it and waits.
    await app.database.asSystem((sql) =>
      sql
        .updateTable('payment_links')
        .set({ next_check_at: new Date(0) })
        .execute(),
    )
    await first(
      providerCalled.promise,
      exit.then((code) => `the server ended with ${code}`),
    )
    const toldAt = performance.now()
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    // The deadlines keep the promise; a busy machine is late, but does not wait for the provider.
    expect(stopDeadlinesMs(app.context.config)).toEqual({ requests: 7_000, work: 7_500, all: 8_000 })
    expect(performance.now() - toldAt).toBeLessThan(40_000)
    expect(await isListening(port)).toBe(false)
    answer.resolve()
  })
})

describe('/health/ready', () => {
  const asOwner = async (statement: string) => {
    const client = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
    await client.connect()
    await client.query(statement)
    await client.end()
  }

  it('needs no session, and reports missing migrations', async () => {
    const port = Number(new URL(app.url).port)
    await readyWith(port, 'ready')
    await asOwner("update schema_migrations set name = name || ' ' where name like '0001%'")
    expect(await readyWith(port, 'migrations')).toEqual({ code: 503, status: 'migrations' })
    await asOwner('update schema_migrations set name = trim(name)')
    await readyWith(port, 'ready')
  })

  it('asks the database once for many requests, and reports when it is unavailable', async () => {
    const port = Number(new URL(app.url).port)
    const startedAt = performance.now()
    const answers: Awaited<ReturnType<typeof ready>>[] = []
    const statements = await recordStatements(async () => {
      while (answers.length < 200 || performance.now() - startedAt < 1_000)
        answers.push(...(await Promise.all(Array.from({ length: 50 }, () => ready(port)))))
    })
    const checksMax = 1 + Math.ceil((performance.now() - startedAt) / 500)
    // On a busy machine the database may be later than a check waits.
    for (const { status } of answers) expect(['ready', 'database']).toContain(status)
    expect(answers).toContainEqual({ code: 200, status: 'ready' })
    // The result of a check is cached for half a second.
    const checks = statements.filter(({ text }) => text.includes("to_regclass('public.schema_migrations')"))
    expect(checks.length).toBeGreaterThan(0)
    expect(checks.length).toBeLessThanOrEqual(checksMax)

    const database = new URL(app.databaseUrls.superuserUrl).pathname.slice(1)
    await asSuperuser(`alter database ${database} with allow_connections false`)
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
    expect(await readyWith(port, 'database')).toEqual({ code: 503, status: 'database' })
    expect((await fetch(`${address(port)}/health/live`)).status).toBe(200)
    await asSuperuser(`alter database ${database} with allow_connections true`)
    await readyWith(port, 'ready')
  })

  async function asSuperuser(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: inject('cluster').superuserUrl })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
})
