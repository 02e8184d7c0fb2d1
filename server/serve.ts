import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createExaminerPool, examinerLimits } from './adapters/file-examiner/examiner-pool.ts'
import { measureGateway } from './adapters/payment-gateway/measure-gateway.ts'
import { razorpayGateway } from './adapters/payment-gateway/razorpay.ts'
import { createStorage } from './adapters/object-storage/create-storage.ts'
import { createMsg91 } from './adapters/sms/msg91.ts'
import { createSmsOutbox } from './adapters/sms/outbox.ts'
import { createTypstWriter } from './adapters/pdf/typst.ts'
import { clamdScanner } from './adapters/virus-scan/clamd.ts'
import { localScanner } from './adapters/virus-scan/local.ts'
import { createApp } from './app.ts'
import type { Clock } from './config/clock.ts'
import type { Config } from './config/config.ts'
import type { Context } from './context.ts'
import { connect } from './database/connect.ts'
import { socketTimeoutFor } from './database/socket-timeout.ts'
import { createFailPoints } from './config/fail-points.ts'
import { closeServer } from './http/close-server.ts'
import { createJobs } from './jobs/boss.ts'
import { createJobHandlers } from './job-handlers.ts'
import type { Repetition } from './jobs/repeat.ts'
import { createLog } from './log.ts'
import { startLoops } from './loops.ts'
import { paymentOriginsOf } from './payments/links/payment-origins.ts'
import type { Tracing } from './observability.ts'
import { createReadiness, type Readiness } from './http/readiness.ts'
import { measureProvider } from './telemetry/measure-provider.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { serveMetrics, type MetricsServer } from './telemetry/serve-metrics.ts'
import { traceStatements } from './telemetry/trace-statements.ts'
import { noTracing } from './telemetry/tracing.ts'
import { createInbox } from './webhooks/inbox.ts'

export type ServeOptions = {
  config: Config
  clock: Clock
  /** The serving login's address. */
  databaseUrl: string
  razorpayBaseUrl: string
  log?: Logger
  /** Where the demo shows text messages; the console by default. */
  printSms?: (line: string) => void
}

export type Server = {
  context: Context
  /** The port it listens on; null for a worker, which serves nothing. */
  port: number | null
  /** Where metrics are asked for; null where they are not told. */
  metricsPort: number | null
  /**
   * Says that it is not ready any more, goes on answering for `stopDelayMs` so that balancers look
   * away, then takes no new connection and finishes what is running: in ten seconds at most, all of
   * it.
   */
  close(): Promise<void>
}

/**
 * Connections that the system holds for us while we are busy; what comes beyond waits a second and
 * more before it tries again.
 */
const connectionsUntaken = 4_096

/**
 * From being told to stop: requests have had their time, and what works in the background has. The
 * rest is for goodbyes.
 */
const stopMs = { requests: 8_000, work: 9_000, all: 9_500 }

/** The setting's origins, else those of the provider that is used. */
const withPaymentOrigins = (config: Config, razorpayBaseUrl: string): Config =>
  config.portal.payment_origins.length > 0
    ? config
    : { ...config, portal: { ...config.portal, payment_origins: paymentOriginsOf(razorpayBaseUrl) } }

/** The one place that chooses the bodies behind the ports, and starts what the role asks for. */
export async function serve({
  config: given,
  clock,
  databaseUrl,
  razorpayBaseUrl,
  log = createLog(given),
  printSms,
}: ServeOptions): Promise<Server> {
  const config = withPaymentOrigins(given, razorpayBaseUrl)
  const tracing = await tracingFor(config, log)
  const database = connect(databaseUrl, config.database, config.traces ? traceStatements(tracing) : undefined)
  const sms = config.sms ? createMsg91(config.sms) : createSmsOutbox({ ...config, clock, ...(printSms && { print: printSms }) })
  const isWorker = config.role !== 'web'
  const jobs = createJobs({
    url: databaseUrl,
    socketTimeoutMs: socketTimeoutFor(config.database.statementTimeoutMs),
    secret: config.signIn.codeKey,
    log,
    work: isWorker,
    signals: config.jobSignals,
  })
  const metrics = createMetrics({ process: config.metrics !== null })
  const gateway = measureGateway(razorpayGateway({ ...config.razorpay, baseUrl: razorpayBaseUrl }), measureProvider(metrics, tracing))
  const { clamd } = config.documents
  const storage = await createStorage(config.documents.storage)
  const scanner = clamd === null ? localScanner() : clamdScanner(clamd)
  if (clamd === null && config.production) log.warn('KIST_CLAMD is none: uploads are stored without a virus scan')
  const examiner = createExaminerPool({
    ...examinerLimits,
    stagingDirectory: config.documents.stagingDirectory,
    log,
    onEnd: (outcome, seconds) => metrics.fileExamined(outcome, seconds),
  })
  const pdf = createTypstWriter()
  const failPoint = createFailPoints(config.failPoints.orders, config.failPoints.directory)
  const context: Context = { config, clock, database, gateway, storage, scanner, examiner, pdf, jobs, log, metrics, tracing, failPoint }

  const inbox = createInbox(context)
  const readiness = createReadiness(databaseUrl, config.database)
  // A process whose schema is behind starts all the same, says so, and begins its work when `kist
  // migrate` has run. Where the database cannot be asked at all, the job queue says why as it
  // starts.
  const isBehind = await readiness.missing().then(
    (missing) => missing.length > 0,
    () => false,
  )
  const begin = async (): Promise<Repetition[]> => {
    if (isWorker) await jobs.begin(createJobHandlers(context, sms))
    return startLoops(context, inbox)
  }
  const app = config.role === 'worker' ? null : await createApp(context, readiness, inbox)
  let metricsServer: MetricsServer | null = null
  try {
    if (!isBehind) {
      await jobs.start()
      readiness.open()
    }
    metricsServer = config.metrics && (await serveMetrics(context, config.metrics))
    await app?.listen({ host: config.host, port: config.port, backlog: connectionsUntaken })
  } catch (error) {
    // Tried again while a port is busy, nothing of this try may stay behind.
    await metricsServer?.close()
    await jobs.stop()
    await database.close()
    throw error
  }
  const stopped = new AbortController()
  const startLater = async (): Promise<Repetition[]> => {
    await schemaArrives({ readiness, log, signal: stopped.signal })
    if (stopped.signal.aborted) return []
    await jobs.start()
    readiness.open()
    return begin()
  }
  // Awaited when it is stopped; a failure ends the process as at any other start.
  const loops = isBehind ? startLater() : Promise.resolve(await begin())

  const address = app?.server.address()
  return {
    context,
    port: typeof address === 'object' && address ? address.port : null,
    metricsPort: metricsServer?.port ?? null,
    close: async () => {
      const toldAt = performance.now()
      const left = (ms: number) => Math.max(0, ms - (performance.now() - toldAt))
      const within = (ms: number, work: Promise<unknown>) => Promise.race([work, delay(left(ms), undefined, { ref: false })])
      readiness.stop()
      stopped.abort()
      const turns = loops.then((running) => Promise.all(running.map((loop) => loop.stop())))
      if (app) {
        await delay(config.stopDelayMs)
        await closeServer(app, left(stopMs.requests))
      }
      // Requests hand jobs to the queue to the last, so it goes after them.
      await Promise.all([within(stopMs.work, Promise.all([turns, inbox.stop()])), jobs.stop(left(stopMs.work))])
      const goodbyes = [metricsServer?.close(), pdf.close(), examiner.close(), database.close(), readiness.close(), tracing.close()]
      await within(stopMs.all, Promise.all(goodbyes))
    },
  }
}

const schemaPollMs = 1_000

/**
 * Waits until the database has the schema of this version, or until this process is told to stop.
 */
async function schemaArrives({ readiness, log, signal }: { readiness: Readiness; log: Logger; signal: AbortSignal }): Promise<void> {
  log.warn({ missing: await readiness.missing() }, 'the database schema is behind this version: run kist migrate')
  while (!signal.aborted) {
    await delay(schemaPollMs, undefined, { signal }).catch(() => {})
    const missing = await readiness.missing().catch((error: unknown) => {
      log.warn({ err: error }, 'the database schema could not be read')
      return null
    })
    if (missing?.length === 0) return log.info('the database schema is there: this process begins its work')
  }
}

/** OpenTelemetry is loaded only where it is asked for. */
async function tracingFor({ traces }: Config, log: Logger): Promise<Tracing> {
  if (!traces) return noTracing
  const { openTelemetry } = await import('./telemetry/open-telemetry.ts')
  return openTelemetry({ ...traces, log })
}
