import type { FastifyInstance } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import * as contract from '#contract/index.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Config, LoadClass } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { CallName } from './admit.ts'
import { Failure } from './failure.ts'

const classesOfCalls: Partial<Record<CallName, LoadClass>> = {
  login: 'critical',
  verify: 'critical',
  logout: 'critical',
  readPaymentLinkStatus: 'critical',
  cancelPaymentLink: 'critical',
  listUsers: 'bulky',
  explainFigure: 'bulky',
  previewPartPayment: 'bulky',
  previewTranche: 'bulky',
  uploadDocument: 'bulky',
  generateDocument: 'bulky',
  openGeneratedDocument: 'bulky',
  openDocument: 'bulky',
}

const classesOfRoutes = new Map<string, LoadClass>([
  [`POST ${apiPrefix}/webhooks/razorpay`, 'critical'],
  ...Object.entries<Endpoint>(contract).map(([name, { method, path }]): [string, LoadClass] => [
    `${method} ${apiPrefix}${path}`,
    classesOfCalls[name as CallName] ?? 'normal',
  ]),
])

/** How much is under way: requests in this process, and work that waits for a connection to the database. */
export type Load = { running: number; waiting: number }

/**
 * Whether one more request of a class may come in. What waits for the database is the measure: it grows as soon as this machine cannot
 * keep up, whether the database or the processor is short, and it does not grow where requests only wait for the provider.
 */
export function mayEnter(loadClass: LoadClass, { running, waiting }: Load, { runningMax, waitingMax }: Config['load']): boolean {
  return running < runningMax && waiting < waitingMax[loadClass]
}

/** Tells a little differently when to come again, so that those who were refused together do not come back together. */
const retryAfterSeconds = () => 1 + Math.floor(Math.random() * 3)

/**
 * Refuses what is too much at once, before anything of it is read: 503 with Retry-After, the less urgent classes long before the
 * critical one. So nothing waits without a bound, and what is let in is answered in time.
 */
export function shedLoad(app: FastifyInstance, { config, database, metrics }: Context): void {
  let running = 0
  app.addHook('onRequest', (request, reply, done) => {
    const loadClass = classesOfRoutes.get(`${request.method} ${request.routeOptions.url ?? ''}`)
    // Pages, files and health cost the database nothing.
    if (loadClass === undefined) return done()
    if (!mayEnter(loadClass, { running, waiting: database.waiting() }, config.load)) {
      metrics.requestShed(loadClass)
      return done(
        new Failure('Overloaded', 'There is more to do than can be done at once. Please try again in a moment.', {
          retryAfterSeconds: retryAfterSeconds(),
        }),
      )
    }
    running += 1
    // Answered or broken off.
    reply.raw.once('close', () => (running -= 1))
    done()
  })
}
