import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { apiPrefix } from '#contract/endpoint.ts'
import { demoClock, type Clock } from '#server/config/clock.ts'
import type { Config } from '#server/config/config.ts'
import { readConfig } from '#server/config/read-config.ts'
import { connect, type Database } from '#server/database/connect.ts'
import { startEmbedded, type EmbeddedPostgres } from '#server/database/embedded.ts'
import { migrate } from '#server/migrate.ts'
import { isProcessAlive } from '#server/database/process-alive.ts'
import type { FailPointName } from '#server/config/fail-points.ts'
import { freePort } from '#server/database/free-port.ts'
import { startTcpProxy, type TcpProxy } from '#testkit/tcp-proxy.ts'
import { serverProcess, type ServerProcess } from './server-process.ts'

export type Answer = { status: number; body: Record<string, unknown> }

/**
 * A portal of real processes that can be killed: the server (and a second one if needed), a durable
 * PostgreSQL, the provider's sandbox. Proxies between the server and the other two can break the
 * network.
 */
export type Portal = {
  directory: string
  config: Config
  clock: Clock
  server: ServerProcess
  /** Another server on the same database; not started. */
  replica: ServerProcess
  databaseNetwork: TcpProxy
  providerNetwork: TcpProxy
  /** A direct connection to the database, without the proxy. */
  database(): Database
  superuserUrl(): string
  /** A call of the API; null when there is no connection. */
  call(method: string, path: string, token?: string, body?: unknown, server?: ServerProcess): Promise<Answer | null>
  /** The control API of the sandbox. */
  sandbox(path: string, body?: unknown): Promise<Answer>
  /** Orders an action for a fail-point of the first server that reaches it. */
  order(name: FailPointName, action: string): void
  isReached(name: FailPointName): boolean
  /** Releases a held fail-point, or removes its order. */
  release(name: FailPointName): void
  killDatabase(): Promise<void>
  startDatabase(): Promise<void>
  close(): Promise<void>
}

export type PortalOptions = {
  /** Options of Node, for a planted defect. */
  nodeOptions?: readonly string[]
  settings?: Record<string, string>
  /** Starts another PostgreSQL than the embedded one; `startDatabase` calls it again. */
  postgres?: () => Promise<Pick<EmbeddedPostgres, 'appUrl' | 'ownerUrl' | 'superuserUrl' | 'stop'>>
  /** A checkout of another version, with its packages: `replica` is then a server of that. */
  replicaFrom?: string
}

/** Events signed with the previous secret are still accepted. */
export const previousWebhookSecret = 'webhook-secret-of-last-month'

/** Short timeouts, leases and back-offs, so that recovery takes seconds. */
const shortened = {
  KIST_SWEEP_AFTER_SECONDS: '1',
  KIST_SWEEP_INTERVAL_MS: '100',
  KIST_INBOX_LEASE_MS: '1000',
  KIST_STATUS_FRESH_MS: '0',
  RAZORPAY_TIMEOUT_MS: '1500',
  KIST_DATABASE_CONNECT_TIMEOUT_MS: '1500',
  KIST_DATABASE_STATEMENT_TIMEOUT_MS: '3000',
}

/** Instead of the shortened limits, for rounds of `npm test` on a busy machine. */
export const longerLimits = {
  KIST_SWEEP_INTERVAL_MS: '400',
  KIST_HEADERS_TIMEOUT_MS: '120000',
  KIST_UNAUTHENTICATED_WAIT_MS: '600000',
  KIST_SESSION_WAIT_MS: '600000',
  KIST_SHED_CRITICAL_AT: '10000',
  KIST_SHED_NORMAL_AT: '10000',
  KIST_SHED_BULKY_AT: '10000',
  KIST_EXAMINATION_TIMEOUT_MS: '150000',
  RAZORPAY_TIMEOUT_MS: '10000',
  KIST_DATABASE_CONNECT_TIMEOUT_MS: '30000',
  KIST_DATABASE_STATEMENT_TIMEOUT_MS: '30000',
}

export async function startPortal({ nodeOptions = [], settings = {}, replicaFrom, postgres: given }: PortalOptions = {}): Promise<Portal> {
  const directory = mkdtempSync(join(tmpdir(), 'kist-torture-'))
  const sandboxDirectory = join(directory, 'sandbox')
  const failPoints = join(directory, 'fail-points')
  for (const folder of [sandboxDirectory, failPoints]) mkdirSync(folder)
  const startPostgres = given ?? (() => startEmbedded({ directory: join(directory, 'postgres'), durable: true }))
  let postgres = await startPostgres()
  await migrate(postgres.ownerUrl)
  const [port, replicaPort, sandboxPort] = [await freePort(), await freePort(), await freePort()]
  const databaseNetwork = await startTcpProxy(pointOf(postgres.appUrl))
  const providerNetwork = await startTcpProxy({ host: '127.0.0.1', port: sandboxPort })
  const environment = {
    NODE_ENV: 'test',
    PORT: String(port),
    KIST_ORIGIN: 'http://localhost:3000',
    DATABASE_URL: through(postgres.appUrl, databaseNetwork.port),
    KIST_DEMO: 'true',
    KIST_DATA_DIR: directory,
    KIST_LIMITS: 'relaxed',
    KIST_FAIL: 'none',
    RAZORPAY_BASE_URL: `http://127.0.0.1:${providerNetwork.port}`,
    RAZORPAY_WEBHOOK_SECRET_PREVIOUS: previousWebhookSecret,
    ...shortened,
    ...settings,
  }
  const config = readConfig(environment)
  const program = (path: string) => join(import.meta.dirname, path)
  const webhooksOf = (url: string) => `${url}${apiPrefix}/webhooks/razorpay`
  const portalAt = (onPort: number, logFile: string, main = program('portal-server.ts')) =>
    serverProcess({
      args: [...nodeOptions, main],
      url: `http://127.0.0.1:${onPort}`,
      readyPath: '/config.json',
      environment: { ...environment, DATABASE_OWNER_URL: postgres.ownerUrl, PORT: String(onPort) },
      logFile: join(directory, logFile),
    })
  const server = portalAt(port, 'server.log')
  const sandbox = serverProcess({
    args: [program('../../sandbox/main.ts')],
    url: `http://127.0.0.1:${sandboxPort}`,
    readyPath: '/__sandbox/health',
    environment: {
      SANDBOX_PORT: String(sandboxPort),
      SANDBOX_DATA_DIR: sandboxDirectory,
      SANDBOX_WEBHOOK_URL: webhooksOf(server.url),
      SANDBOX_RETRY_SCALE: '0.1',
      RAZORPAY_KEY_ID: config.razorpay.keyId,
      RAZORPAY_KEY_SECRET: config.razorpay.keySecret,
      RAZORPAY_WEBHOOK_SECRET: config.razorpay.webhookSecrets[0] ?? '',
    },
    logFile: join(directory, 'sandbox.log'),
  })
  await Promise.all([server.start(), sandbox.start()])
  const { isDistributed } = config.database
  const straight = () =>
    connect(postgres.appUrl, { connectionsMax: 6, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000, isDistributed })
  let database = straight()
  const replica = portalAt(replicaPort, 'replica.log', replicaFrom && join(replicaFrom, 'server/main.ts'))

  const ask = async (url: string, method: string, token?: string, body?: unknown, headers = {}): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  return {
    directory,
    config,
    clock: demoClock('+0s', join(sandboxDirectory, 'clock.json')),
    server,
    replica,
    databaseNetwork,
    providerNetwork,
    database: () => database,
    superuserUrl: () => postgres.superuserUrl,
    call: (method, path, token, body, at = server) => ask(`${at.url}${apiPrefix}${path}`, method, token, body).catch(() => null),
    // A connection of its own: an idle one may be closed at the moment in which it is used again.
    sandbox: (path, body) =>
      ask(`${sandbox.url}/__sandbox${path}`, body === undefined ? 'GET' : 'POST', undefined, body, { connection: 'close' }),
    order: (name, action) => {
      // Atomic: a server may read it at this moment.
      writeFileSync(join(failPoints, `.${name}`), action)
      renameSync(join(failPoints, `.${name}`), join(failPoints, name))
    },
    isReached: (name) => existsSync(join(failPoints, `${name}.reached`)),
    release: (name) => {
      for (const file of [name, `${name}.reached`]) rmSync(join(failPoints, file), { force: true })
    },
    killDatabase: () => killPostgres(directory),
    startDatabase: async () => {
      postgres = await startPostgres()
      databaseNetwork.target = pointOf(postgres.appUrl)
      await database.close()
      database = straight()
    },
    close: async () => {
      await Promise.all([server.kill(), replica.kill(), sandbox.kill()])
      await Promise.all([databaseNetwork.close(), providerNetwork.close(), database.close()])
      await postgres.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function pointOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

function through(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/**
 * Kills only the parent process, as the kernel does without memory; the other processes then end.
 */
async function killPostgres(directory: string): Promise<void> {
  const pid = Number(readFileSync(join(directory, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGKILL')
  while (isProcessAlive(pid)) await delay(10)
}
