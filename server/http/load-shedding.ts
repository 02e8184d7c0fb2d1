import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { accessTable } from '#contract/access.ts'
import { apiPrefix } from '#contract/endpoint.ts'
import { errorCatalogue } from '#contract/errors.ts'
import * as contract from '#contract/index.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Config, LoadClass } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { CallName } from './authorize.ts'
import { isRefusedConnection } from './connections.ts'
import { hasBody } from './drain-request.ts'
import { Failure } from './failure.ts'
import { problemHeaders, problemOf } from './failures.ts'
import { apiHeaders } from './security-headers.ts'

const readPrefix = 'GET '
const classesOfRoutes = new Map<string, LoadClass>([
  [`POST ${apiPrefix}/webhooks/razorpay`, 'critical'],
  ...Object.entries<Endpoint>(contract).map(([name, { method, path }]): [string, LoadClass] => [
    `${method} ${apiPrefix}${path}`,
    accessTable[name as CallName].load ?? 'normal',
  ]),
])

/** The reads by path. Those with a parameter in their path are refused by Fastify. */
const classesOfReads = new Map(
  [...classesOfRoutes].flatMap(([route, loadClass]): [string, LoadClass][] =>
    route.startsWith(readPrefix) ? [[route.slice(readPrefix.length), loadClass]] : [],
  ),
)

/** Running requests of this process, and work that waits for a database connection. */
type Load = { running: number; waiting: number }

/**
 * Whether one more request of a class is accepted. The measure is the work that waits for the
 * database: it grows as soon as the database or the processor falls behind, and not while requests
 * wait for the provider.
 */
export function hasCapacity(loadClass: LoadClass, { running, waiting }: Load, { runningMax, waitingMax }: Config['load']): boolean {
  return running < runningMax && waiting < waitingMax[loadClass]
}

/** `write` answers a request that has no body. */
type Refusal = { failure: Failure; write(response: ServerResponse): void }

/**
 * The refusals, which vary the delay so that refused clients do not all retry at the same time.
 * They are made once, with their headers: thousands a second would otherwise take the time of
 * accepted requests.
 */
const createRefusals = (config: Config): Refusal[] =>
  [1, 2, 3].map((retryAfterSeconds) => {
    const failure = new Failure('Overloaded', 'The service is overloaded. Please try again in a moment.', { retryAfterSeconds })
    const { status } = errorCatalogue.Overloaded
    const placeholder = crypto.randomUUID()
    const body = JSON.stringify(problemOf(failure, placeholder))
    const [beforeId = '', afterId = ''] = body.split(placeholder)
    const length = String(Buffer.byteLength(body))
    const headers = Object.entries({
      ...apiHeaders(config),
      ...problemHeaders,
      'retry-after': String(retryAfterSeconds),
      'content-length': length,
    }).flat()
    return {
      failure,
      write: (response) => {
        response.writeHead(status, headers)
        response.end(beforeId + crypto.randomUUID() + afterId)
      },
    }
  })

/**
 * Refuses requests over the limits before reading them: 503 with Retry-After, less urgent classes
 * long before the critical one. Queues stay bounded, and accepted requests are answered in time.
 * A request counts as running once its body has arrived, so bodies that never end take no capacity.
 */
export function shedLoad(app: FastifyInstance, { config, database, metrics }: Context): void {
  /** Accepted requests whose body is awaited, and those that run. */
  const awaited = new Map<IncomingMessage, LoadClass>()
  const running = new Set<IncomingMessage>()
  const refusals = createRefusals(config)
  /** @returns the refusal, if there is no capacity. */
  const refuse = (loadClass: LoadClass): Refusal | undefined => {
    if (hasCapacity(loadClass, { running: running.size, waiting: database.waiting() }, config.load)) return undefined
    metrics.requestShed(loadClass)
    return refusals[Math.floor(Math.random() * refusals.length)]
  }
  refuseReads(app.server, (path, response) => {
    const loadClass = classesOfReads.get(path)
    const refusal = loadClass === undefined ? undefined : refuse(loadClass)
    if (!refusal) return false
    refusal.write(response)
    metrics.requestEnded({ method: 'GET', route: path, status: response.statusCode, seconds: null })
    return true
  })
  app.addHook('onRequest', (request, reply, done) => {
    // HEAD runs the call of GET.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const loadClass = classesOfRoutes.get(`${method} ${request.routeOptions.url ?? ''}`)
    // Pages, files and health checks do not use this limit: they cost the database nothing.
    if (loadClass === undefined) return done()
    const refusal = refuse(loadClass)
    if (refusal) return done(refusal.failure)
    awaited.set(request.raw, loadClass)
    // `close` fires after the answer and after a broken connection.
    reply.raw.once('close', () => {
      awaited.delete(request.raw)
      running.delete(request.raw)
    })
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const loadClass = awaited.get(request.raw)
    if (loadClass === undefined) return done()
    const refusal = refuse(loadClass)
    if (refusal) return done(refusal.failure)
    running.add(request.raw)
    done()
  })
}

/**
 * Refuses reads before Fastify, whose part of a refusal takes as long as Node's. They are counted,
 * but have no span. Fastify answers where more is to be done: read a body, close the connection.
 *
 * @param refuse answers a GET of a path if there is no capacity. @returns whether it did.
 */
function refuseReads(server: Server, refuse: (path: string, response: ServerResponse) => boolean): void {
  const accept = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const isPlain = request.method === 'GET' && !hasBody(request) && server.listening && !isRefusedConnection(server, request.socket)
    if (isPlain && refuse(path, response)) return
    for (const listener of accept) listener.call(server, request, response)
  })
}
