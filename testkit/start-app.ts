import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { apiPrefix } from '#contract/endpoint.ts'
import { startSandbox } from '#sandbox/sandbox.ts'
import { createLog } from '#server/log.ts'
import type { Clock } from '#server/config/clock.ts'
import { readConfig } from '#server/config/read-config.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/connect.ts'
import { claimEmptyBucket, readDatabaseIdentity } from '#server/documents/bucket-owner.ts'
import { serve } from '#server/serve.ts'
import { distributionSetting } from './citus.ts'
import { watchDistributionRules } from './distribution-rules.ts'
import { codeFor } from './code-for.ts'
import { until } from './until.ts'
import { cloneDatabase, type TestCluster } from './test-database.ts'
import { copyTownDocuments, prepareTownTemplate } from './town-template.ts'

export { until }

export type AppOptions = {
  /** Settings besides the common ones: relaxed limits, port 0, fast loops. */
  settings?: Record<string, string>
  /** Initial time of the clock; by default the system's. */
  now?: Date
  /** Whether the database has the demo town. */
  town?: boolean
  /** Runs before the portal starts, with database and data directory. */
  prepare?: (database: { ownerUrl: string; superuserUrl: string }, dataDirectory: string) => Promise<void>
  front?: Front
  /** The server's logger; silent by default. */
  log?: Logger
}

/** Serves the portal in other processes; this process then runs background work only. */
export type Front = (of: {
  /** The settings of this portal, for other processes. */
  environment: Record<string, string>
  directory: string
  /** The portal's port. */
  port: number
}) => Promise<{ url: string; close(): Promise<void> }>

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> }

/** Noon in India on 20 November 2026, for tests whose figures depend on the day. */
export const noon = new Date('2026-11-20T06:30:00Z')

/** A portal for one test file, with its own database, sandbox and clock. */
export type App = {
  url: string
  sandboxUrl: string
  metricsPort: number | null
  context: Context
  database: Database
  databaseUrls: { ownerUrl: string; appUrl: string; superuserUrl: string }
  clock: Clock & {
    /** Moves the clocks of portal and sandbox. */
    advance(ms: number): Promise<void>
    moveTo(instant: Date | string): Promise<void>
  }
  get(path: string, token?: string): Promise<Answer>
  post(path: string, body: unknown, token?: string, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown, token?: string): Promise<Answer>
  /** The control API of the sandbox. */
  sandbox(path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Text messages sent so far, oldest first. */
  outbox(): { at: string; to: string; text: string; code: string | null }[]
  /** Signs in by a code from the outbox. @returns the token. */
  signIn(phone: string): Promise<string>
  close(): Promise<void>
}

/** The settings of a portal on a busy machine, which is slower than production's limits allow. */
export const slowMachineSettings = {
  // No load shedding on a busy machine, except in the tests of it.
  KIST_SHED_CRITICAL_AT: '10000',
  KIST_SHED_NORMAL_AT: '10000',
  KIST_SHED_BULKY_AT: '10000',
  KIST_UNAUTHENTICATED_WAITING: '10000',
  KIST_UNAUTHENTICATED_WAIT_MS: '600000',
  KIST_SESSION_WAIT_MS: '600000',
  KIST_DATABASE_CONNECT_TIMEOUT_MS: '60000',
  KIST_DATABASE_STATEMENT_TIMEOUT_MS: '100000',
  KIST_HEADERS_TIMEOUT_MS: '120000',
  KIST_EXAMINATION_TIMEOUT_MS: '150000',
  RAZORPAY_TIMEOUT_MS: '60000',
} as const

export async function startApp(
  cluster: TestCluster,
  { settings = {}, now, town = false, prepare, front, log }: AppOptions = {},
): Promise<App> {
  const directory = mkdtempSync(join(tmpdir(), 'kist-app-'))
  const endWatch = watchDistributionRules()
  const seeded = town ? await prepareTownTemplate(cluster, now) : null
  const clone = await cloneDatabase(cluster, seeded?.database)
  await prepare?.(clone, directory)
  let offsetMs = now ? now.getTime() - Date.now() : 0
  const clock: Clock = { now: () => new Date(Date.now() + offsetMs) }
  const environment = {
    NODE_ENV: 'test',
    KIST_DEMO: 'true',
    KIST_DATA_DIR: directory,
    KIST_LIMITS: 'relaxed',
    KIST_SWEEP_INTERVAL_MS: '1000',
    KIST_STATUS_FRESH_MS: '0',
    ...slowMachineSettings,
    PORT: '0',
    KIST_ORIGIN: 'http://localhost:3000',
    ...distributionSetting,
    ...settings,
  }
  const config = readConfig({ ...environment, ...(front && { KIST_ROLE: 'worker' }) })
  const [webhookSecret = ''] = config.razorpay.webhookSecrets
  const sandbox = await startSandbox({
    dataDir: join(directory, 'sandbox'),
    port: 0,
    keyId: config.razorpay.keyId,
    keySecret: config.razorpay.keySecret,
    webhookSecret,
    // The portal's port is not known yet; it is set below, and events wait until then.
    webhookUrl: 'http://127.0.0.1:9/',
    clockBaseMs: offsetMs,
    retryScale: 0.1,
    webhookTimeoutMs: 60_000,
    ...(settings['SANDBOX_REDIRECT_SECONDS'] && { redirectSeconds: Number(settings['SANDBOX_REDIRECT_SECONDS']) }),
  })
  const server = await serve({
    config,
    clock,
    databaseUrl: clone.appUrl,
    razorpayBaseUrl: sandbox.url,
    log: log ?? createLog({ ...config, logLevel: settings['KIST_LOG_LEVEL'] ?? 'silent' }),
    printSms: () => {},
  })
  const seconds = Math.round(offsetMs / 1_000)
  const elsewhere = await front?.({
    environment: {
      ...environment,
      DATABASE_URL: clone.appUrl,
      RAZORPAY_BASE_URL: sandbox.url,
      // Later moves of the clock come from the sandbox.
      KIST_CLOCK: `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`,
      KIST_LOG_LEVEL: 'warn',
    },
    directory,
    port: config.port,
  })
  const url = elsewhere?.url ?? `http://127.0.0.1:${server.port}`
  const { context } = server
  await claimEmptyBucket(context.storage, await context.database.asSystem(readDatabaseIdentity), {
    by: 'test',
    reason: 'empty',
    at: clock.now(),
  })
  if (seeded) await copyTownDocuments(seeded, context.storage)

  // Connections of their own: an idle one may be closed at the moment in which it is used again.
  const send = async (
    method: string,
    path: string,
    body: unknown,
    token?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${url}${apiPrefix}${path}`, {
      method,
      headers: {
        connection: 'close',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> }
  }
  const control = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${sandbox.url}/__sandbox${path}`, {
      headers: { connection: 'close', 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  await control('/webhooks/endpoint', { url: `${url}${apiPrefix}/webhooks/razorpay` })

  const app: App = {
    url,
    sandboxUrl: sandbox.url,
    metricsPort: server.metricsPort,
    context,
    database: context.database,
    databaseUrls: clone,
    clock: {
      ...clock,
      async advance(ms) {
        offsetMs += ms
        await control('/time', { advance_seconds: ms / 1_000 })
      },
      moveTo: (instant) => app.clock.advance(new Date(instant).getTime() - app.clock.now().getTime()),
    },
    get: (path, token) => send('GET', path, undefined, token),
    post: (path, body, token, headers) => send('POST', path, body, token, headers),
    patch: (path, body, token) => send('PATCH', path, body, token),
    sandbox: control,
    outbox: outboxReader(directory),
    signIn: async (phone) => {
      const before = app.outbox().length
      const { body } = await app.post('/auth/login', { phone })
      const otp = await codeFor(app, phone, before)
      const answer = await app.post('/auth/verify', { session_token: body['session_token'], otp })
      return String(answer.body['token'])
    },
    close: async () => {
      await elsewhere?.close()
      await server.close()
      await sandbox.close()
      await clone.drop()
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
      endWatch()
    },
  }
  return app
}

type Message = ReturnType<App['outbox']>[number]

/** Reads the outbox, and later only what is new in it: tests ask many times a second. */
function outboxReader(directory: string): App['outbox'] {
  const path = join(directory, 'outbox.ndjson')
  const messages: Message[] = []
  let bytesRead = 0
  return () => {
    const added = Buffer.alloc(Math.max(0, (statSync(path, { throwIfNoEntry: false })?.size ?? 0) - bytesRead))
    if (added.length > 0) {
      const file = openSync(path, 'r')
      readSync(file, added, { position: bytesRead })
      closeSync(file)
      // A line that is still being written is read the next time.
      const complete = added.subarray(0, added.lastIndexOf('\n') + 1)
      bytesRead += complete.length
      for (const line of complete.toString().split('\n').filter(Boolean)) messages.push(JSON.parse(line) as Message)
    }
    return [...messages]
  }
}
