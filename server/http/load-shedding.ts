import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import * as contract from '#contract/index.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Config, LoadClass } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { CallName } from './authorize.ts'
import { Failure } from './failure.ts'

const classesOfCalls: Partial<Record<CallName, LoadClass>> = {
  login: 'critical',
  verify: 'critical',
  logout: 'critical',
  readPaymentLinkStatus: 'critical',
  cancelPaymentLink: 'critical',
  listUsers: 'bulky',
  findOperationsLoans: 'bulky',
  explainFigure: 'bulky',
  previewPartPayment: 'bulky',
  previewTranche: 'bulky',
  uploadDocument: 'bulky',
  generateDocument: 'bulky',
  openGeneratedDocument: 'bulky',
  openDocument: 'bulky',
  openLoanPaper: 'bulky',
  uploadLoanPaper: 'bulky',
  openOperationsPaper: 'bulky',
}

const classesOfRoutes = new Map<string, LoadClass>([
  [`POST ${apiPrefix}/webhooks/razorpay`, 'critical'],
  ...Object.entries<Endpoint>(contract).map(([name, { method, path }]): [string, LoadClass] => [
    `${method} ${apiPrefix}${path}`,
    classesOfCalls[name as CallName] ?? 'normal',
  ]),
])

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

/**
 * The refusals, which vary the delay so that refused clients do not all retry at the same time.
 * They are made once: recording a stack for each of thousands a second would take the time of
 * accepted requests.
 */
const refusals = [1, 2, 3].map(
  (retryAfterSeconds) => new Failure('Overloaded', 'The service is overloaded. Please try again in a moment.', { retryAfterSeconds }),
)

/**
 * Refuses requests over the limits before reading them: 503 with Retry-After, less urgent classes
 * long before the critical one. Queues stay bounded, and accepted requests are answered in time.
 * A request runs from when its body has arrived: bodies that never end take nobody's place.
 */
export function shedLoad(app: FastifyInstance, { config, database, metrics }: Context): void {
  /** Accepted requests whose body is awaited, and those that run. */
  const awaited = new Map<IncomingMessage, LoadClass>()
  const running = new Set<IncomingMessage>()
  /** @returns the refusal, if there is no capacity. */
  const refuse = (loadClass: LoadClass): Failure | undefined => {
    if (hasCapacity(loadClass, { running: running.size, waiting: database.waiting() }, config.load)) return undefined
    metrics.requestShed(loadClass)
    return refusals[Math.floor(Math.random() * refusals.length)]
  }
  app.addHook('onRequest', (request, reply, done) => {
    // HEAD runs the call of GET.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const loadClass = classesOfRoutes.get(`${method} ${request.routeOptions.url ?? ''}`)
    // Pages, files and health checks do not use this limit: they cost the database nothing.
    if (loadClass === undefined) return done()
    const refusal = refuse(loadClass)
    if (refusal) return done(refusal)
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
    if (refusal) return done(refusal)
    running.add(request.raw)
    done()
  })
}
