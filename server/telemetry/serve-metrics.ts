import { hash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { readBreakerCodes } from '../auth/send-limits.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import { readMoneyFigures } from './figures-store.ts'

export type MetricsServer = { port: number; close(): Promise<void> }

/** The database is queried at most this often. */
const figuresCacheMs = 1_000
/** After this time the other metrics are sent without the figures. */
const figuresTimeoutMs = 2_000

/**
 * Serves `/metrics` on a separate port that the public address does not reach: by default only to
 * this machine, otherwise only to requests with the token.
 */
export async function serveMetrics(
  { clock, config, database, log, metrics }: Pick<Context, 'clock' | 'config' | 'database' | 'log' | 'metrics'>,
  { host, port, token }: NonNullable<Config['metrics']>,
): Promise<MetricsServer> {
  const show = (money: Parameters<typeof metrics.showFigures>[0], breaker: Parameters<typeof metrics.showBreaker>[0]): void => {
    metrics.showFigures(money)
    metrics.showBreaker(breaker)
  }
  let queriedAt = Number.NEGATIVE_INFINITY
  let pendingQuery: Promise<void> = Promise.resolve()
  const refresh = (): Promise<void> => {
    if (performance.now() - queriedAt < figuresCacheMs) return pendingQuery
    queriedAt = performance.now()
    pendingQuery = database
      .asSystem(async (sql) => ({
        money: await readMoneyFigures(sql, clock.now()),
        breaker: await readBreakerCodes({ clock, config }, sql),
      }))
      .then(
        ({ money, breaker }) => show(money, breaker),
        (error: unknown) => {
          log.warn({ err: error }, 'could not read the money figures')
          show(null, null)
        },
      )
    return pendingQuery
  }

  const server = createServer((request, response) => {
    const refuse = (status: number) => void response.writeHead(status, { 'content-length': 0 }).end()
    if (request.url !== '/metrics') return refuse(404)
    if (request.method !== 'GET') return refuse(405)
    if (token !== null && !isBearer(request, token)) return refuse(401)
    const refreshed = refresh().then(() => true)
    const timeout = delay(figuresTimeoutMs, false, { ref: false })
    void Promise.race([refreshed, timeout])
      .then((isRefreshed) => {
        if (!isRefreshed) show(null, null)
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

/** Compares digests, which have the same length, in constant time. */
function isBearer({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}
