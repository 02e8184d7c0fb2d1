import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { readBreakerCodes } from '../auth/send-limits.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { readMoneyFigures } from './figures-store.ts'

export type MetricsServer = { port: number; close(): Promise<void> }

/** However often it is asked, the database counts no more often than this. */
const figuresFreshMs = 1_000
/** A database that is stuck must not hide the rest. */
const figuresPatienceMs = 2_000

/**
 * Serves `/metrics` to whoever runs Kist, on a port of its own that the portal's address never reaches: by default this machine's
 * alone, and beyond it only with the token.
 */
export async function serveMetrics(
  { clock, config, database, log, metrics }: Pick<Context, 'clock' | 'config' | 'database' | 'log' | 'metrics'>,
  { host, port, token }: NonNullable<Config['metrics']>,
): Promise<MetricsServer> {
  const show = (money: Parameters<typeof metrics.showFigures>[0], breaker: Parameters<typeof metrics.showBreaker>[0]): void => {
    metrics.showFigures(money)
    metrics.showBreaker(breaker)
  }
  let askedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> = Promise.resolve()
  const refresh = (): Promise<void> => {
    if (performance.now() - askedAt < figuresFreshMs) return reading
    askedAt = performance.now()
    reading = database
      .asSystem(async (sql) => ({
        money: await readMoneyFigures(sql, clock.now()),
        breaker: await readBreakerCodes({ clock, config }, sql),
      }))
      .then(
        ({ money, breaker }) => show(money, breaker),
        (error: unknown) => {
          log.warn({ err: error }, 'the figures of the money could not be read')
          show(null, null)
        },
      )
    return reading
  }

  const server = createServer((request, response) => {
    const refuse = (status: number) => void response.writeHead(status, { 'content-length': 0 }).end()
    if (request.url !== '/metrics') return refuse(404)
    if (request.method !== 'GET') return refuse(405)
    if (token !== null && !isBearer(request, token)) return refuse(401)
    const isTold = refresh().then(() => true)
    const patience = delay(figuresPatienceMs, false, { ref: false })
    void Promise.race([isTold, patience])
      .then((told) => {
        if (!told) show(null, null)
        return metrics.text()
      })
      .then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text),
        () => refuse(500),
      )
  })
  server.headersTimeout = 5_000
  server.maxConnections = 20
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Compared by digests, which are of one length and take one time. */
function isBearer({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}
