import type { FastifyInstance } from 'fastify'
import { apiPrefix } from '#contract/endpoint.ts'
import type { Readiness } from './readiness.ts'
import { notReady } from './failure.ts'

export const healthPaths = { live: '/health/live', ready: '/health/ready' } as const

/**
 * Serves the health checks for load balancers: `live` means that the process answers, `ready` that
 * it accepts requests. Both are public, return one word and cost one small statement per half
 * second at most. Until the database has this version's schema, the API answers 503 without a
 * query.
 */
export function serveHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get(healthPaths.live, (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }))
  app.get(healthPaths.ready, async (_request, reply) => {
    const status = await readiness.state()
    return reply
      .code(status === 'ready' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status })
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (readiness.isOpen() || !request.url.startsWith(apiPrefix)) return done()
    done(notReady(5))
  })
  // A load balancer keeps its connections open. While this process stops, each answer closes its
  // connection.
  app.addHook('onSend', async (_request, reply) => {
    if (readiness.isStopping()) void reply.header('connection', 'close')
  })
}
