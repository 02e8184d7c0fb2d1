import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../observability.ts'

/** Counts each answered request by route pattern and status. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.requestEnded({
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    })
    done()
  })
}
