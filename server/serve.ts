import type { Server as ListeningServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { onViolation } from '#domain/invariants.ts'
import { createExaminerPool, examinerLimits } from './adapters/file-examiner/examiner-pool.ts'
import { measureGateway } from './adapters/payment-gateway/measure-gateway.ts'
import { razorpayGateway } from './adapters/payment-gateway/razorpay.ts'
import { createStorage } from './adapters/object-storage/create-storage.ts'
import { createMsg91 } from './adapters/sms/msg91.ts'
import { createSmsOutbox } from './adapters/sms/outbox.ts'
import { createTypstWriter } from './adapters/pdf/typst.ts'
import { createScanner } from './adapters/virus-scan/create-scanner.ts'
import { createApp } from './app.ts'
import { readCaller, readCallerWith } from './auth/read-caller.ts'
import type { Clock } from './config/clock.ts'
import type { Config } from './config/config.ts'
import type { Context } from './context.ts'
import { connect } from './database/connect.ts'
import { socketTimeoutFor } from './database/socket-timeout.ts'
import { createFailPoints } from './config/fail-points.ts'
import { closeServer } from './http/close-server.ts'
import { listen } from './http/listen.ts'
import { createJobs, jobsConnectTimeoutFor } from './jobs/boss.ts'
import { createJobHandlers } from './job-handlers.ts'
import type { Repetition } from './jobs/repeat.ts'
import { createLog } from './log.ts'
import { startLoops } from './loops.ts'
import { listPaymentOrigins } from './payments/links/payment-origins.ts'
import type { Tracing } from './observability.ts'
import { createReadiness, findMissingWithOrdinaryLimits, type Readiness } from './http/readiness.ts'
import { measureProvider } from './telemetry/measure-provider.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { serveMetrics, type MetricsServer } from './telemetry/serve-metrics.ts'
import { traceStatements } from './telemetry/trace-statements.ts'
import { noTracing } from './telemetry/tracing.ts'
import { createInbox } from './webhooks/inbox.ts'

type ServeOptions = {
  config: Config
  clock: Clock
  /** The address of the serving login. */
  databaseUrl: string
  razorpayBaseUrl: string
  log?: Logger
  /** Prints the demo's text messages; the console by default. */
  printSms?: (line: string) => void
}

export type Server = {
  context: Context
  /** The HTTP port; null for a worker. */
  port: number | null
  /** The port of the metrics; null if they are disabled. */
  metricsPort: number | null
  /**
   * Stops within `stopWithinMs`: reports that it is not ready, keeps answering for `stopDelayMs`
   * so that load balancers notice, then refuses new connections and finishes running work.
   */
  close(): Promise<void>
}

/**
 * Deadlines after the start of a stop: for requests, for background work, and for closing
 * connections. They leave two of the ten seconds after which a process may be killed.
 */
export const stopDeadlinesMs = ({ stopWithinMs }: Config) => ({
  requests: 0.7 * stopWithinMs,
  work: 0.75 * stopWithinMs,
  all: 0.8 * stopWithinMs,
})

/** Adds the origins of the provider's pages; browsers are sent to no other. */
const withPaymentOrigins = (config: Config, razorpayBaseUrl: string): Config => ({
  ...config,
  portal: { ...config.portal, payment_origins: listPaymentOrigins(razorpayBaseUrl) },
})

const runsJobs = ({ role }: Config): boolean => role !== 'web'

/** Chooses the implementations of the context's adapters. */
async function createContext({ config, clock, databaseUrl, razorpayBaseUrl, log }: Required<Omit<ServeOptions, 'printSms'>>) {
  const tracing = await createTracing(config, log)
  const database = connect(databaseUrl, config.database, config.traces ? traceStatements(tracing) : undefined)
  const jobs = createJobs({
    url: databaseUrl,
    connectTimeoutMs: jobsConnectTimeoutFor(config.database.connectTimeoutMs),
    socketTimeoutMs: socketTimeoutFor(config.database.statementTimeoutMs),
    secret: config.signIn.codeKey,
    log,
    work: runsJobs(config),
    signals: config.jobSignals,
  })
  const metrics = createMetrics({ process: config.metrics !== null })
  const gateway = measureGateway(razorpayGateway({ ...config.razorpay, baseUrl: razorpayBaseUrl }), measureProvider(metrics, tracing))
  const { clamd, stagingDirectory, examinationTimeoutMs } = config.documents
  const storage = await createStorage(config.documents.storage)
  const scanner = createScanner(clamd)
  if (clamd === null && config.production) log.warn('KIST_CLAMD is none: uploads are stored without a virus scan')
  const examiner = createExaminerPool({
    ...examinerLimits,
    timeoutMs: examinationTimeoutMs,
    stagingDirectory,
    log,
    onEnd: (outcome, seconds) => metrics.fileExamined(outcome, seconds),
  })
  const pdf = createTypstWriter()
  const failPoint = createFailPoints(config.failPoints.orders, config.failPoints.directory)
  return {
    config,
    clock,
    database,
    gateway,
    storage,
    scanner,
    examiner,
    pdf,
    jobs,
    log,
    metrics,
    tracing,
    failPoint,
    callers: { readCaller, readCallerWith },
  } satisfies Context
}

/** Starts a server with what its role requires. */
export async function serve({
  config: given,
  clock,
  databaseUrl,
  razorpayBaseUrl,
  log = createLog(given),
  printSms,
}: ServeOptions): Promise<Server> {
  const config = withPaymentOrigins(given, razorpayBaseUrl)
  const context = await createContext({ config, clock, databaseUrl, razorpayBaseUrl, log })
  const { database, jobs } = context
  const sms = config.sms ? createMsg91(config.sms) : createSmsOutbox({ ...config, clock, ...(printSms && { print: printSms }) })

  onViolation(({ loanNumber, violation }) => log.error({ loan: loanNumber, violation }, 'loan state violates an invariant'))

  const inbox = createInbox(context)
  const readiness = createReadiness(databaseUrl, config.database)
  // A process whose schema is behind starts anyway, reports it, and begins its work after `kist
  // migrate`. If the database does not answer, the start of the job queue reports that.
  const missing = await readiness
    .missing()
    // A slow answer must not pass for a complete schema.
    .catch(() => findMissingWithOrdinaryLimits(databaseUrl, config.database))
    .catch(() => [])
  const isBehind = missing.length > 0
  const begin = async (): Promise<Repetition[]> => {
    if (runsJobs(config)) await jobs.begin(createJobHandlers(context, sms))
    return startLoops(context, inbox)
  }
  const app = config.role === 'worker' ? null : await createApp(context, readiness, inbox)
  let metricsServer: MetricsServer | null = null
  let listeners: ListeningServer[] = []
  try {
    if (!isBehind) {
      await jobs.start()
      readiness.open()
    }
    metricsServer = config.metrics && (await serveMetrics(context, config.metrics))
    if (app) listeners = await listen(app, config)
  } catch (error) {
    // Callers retry while a port is in use, so a failed start releases everything.
    await app?.close()
    await metricsServer?.close()
    await jobs.stop()
    await database.close()
    throw error
  }
  const stopped = new AbortController()
  const startLater = async (): Promise<Repetition[]> => {
    await waitForSchema({ readiness, missing, log, signal: stopped.signal })
    if (stopped.signal.aborted) return []
    await jobs.start()
    readiness.open()
    return begin()
  }
  // Awaited by `close`; a failure ends the process like any failed start.
  const loops = isBehind ? startLater() : Promise.resolve(await begin())

  const address = app?.server.address()
  return {
    context,
    port: typeof address === 'object' && address ? address.port : null,
    metricsPort: metricsServer?.port ?? null,
    close: createStop({ context, app, listeners, inbox, readiness, metricsServer, loops, stopped }),
  }
}

/** What runs when a server has started. */
type Parts = {
  context: Awaited<ReturnType<typeof createContext>>
  app: Awaited<ReturnType<typeof createApp>> | null
  listeners: readonly ListeningServer[]
  inbox: ReturnType<typeof createInbox>
  readiness: Readiness
  metricsServer: MetricsServer | null
  loops: Promise<Repetition[]>
  stopped: AbortController
}

/** Returns what stops all parts, each by its deadline. */
function createStop({ context, app, listeners, inbox, readiness, metricsServer, loops, stopped }: Parts): () => Promise<void> {
  const { config, database, jobs, failPoint } = context
  const deadlinesMs = stopDeadlinesMs(config)
  return async () => {
    const stopStartedAt = performance.now()
    const remainingMs = (ms: number) => Math.max(0, ms - (performance.now() - stopStartedAt))
    const waitUntil = (ms: number, work: Promise<unknown>) => Promise.race([work, delay(remainingMs(ms), undefined, { ref: false })])
    readiness.stop()
    stopped.abort()
    const loopsStopped = loops.then((running) => Promise.all(running.map((loop) => loop.stop())))
    if (app) {
      await delay(config.stopDelayMs)
      await failPoint('stop_announced')
      await closeServer(app, listeners, remainingMs(deadlinesMs.requests))
    }
    // Requests enqueue jobs until they end, so the queue stops after them.
    await Promise.all([
      waitUntil(deadlinesMs.work, Promise.all([loopsStopped, inbox.stop()])),
      // After its jobs the queue closes its connections, which a database that is away holds up.
      waitUntil(deadlinesMs.all, jobs.stop(remainingMs(deadlinesMs.work))),
    ])
    const closing = [
      metricsServer?.close() ?? Promise.resolve(),
      context.pdf.close(),
      context.examiner.close(),
      database.close(),
      readiness.close(),
      context.tracing.close(),
    ]
    await waitUntil(deadlinesMs.all, Promise.all(closing))
  }
}

const schemaPollMs = 1_000

type SchemaWait = { readiness: Readiness; missing: readonly string[]; log: Logger; signal: AbortSignal }

/** Waits until the database has this version's schema, or until the process stops. */
async function waitForSchema({ readiness, missing, log, signal }: SchemaWait): Promise<void> {
  log.warn({ missing }, 'database schema is behind this version: run kist migrate')
  while (!signal.aborted) {
    await delay(schemaPollMs, undefined, { signal }).catch(() => {})
    const missingNow = await readiness.missing().catch((error: unknown) => {
      log.warn({ err: error }, 'could not read the database schema')
      return null
    })
    if (missingNow?.length === 0) return log.info('database schema is complete: starting work')
  }
}

/** Loads OpenTelemetry only if tracing is on. */
async function createTracing({ traces }: Config, log: Logger): Promise<Tracing> {
  if (!traces) return noTracing
  const { createOpenTelemetry } = await import('./telemetry/open-telemetry.ts')
  return createOpenTelemetry({ ...traces, log })
}
