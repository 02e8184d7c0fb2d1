import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, Tracing } from '../observability.ts'

/**
 * Records each request as a span from arrival to the end of its answer, the parent of all its other
 * spans.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const span = tracing.request(typeof traceparent === 'string' ? traceparent : undefined)
    spans.set(request, span)
    span.within(done)
  })
  // Reading the body leaves the span's async context, so it is entered again.
  app.addHook('preHandler', (request, _reply, done) => spans.get(request)?.within(done))
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    spans.get(request)?.end(
      `${request.method} ${route}`,
      {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'kist.request_id': request.id,
      },
      reply.statusCode >= 500,
    )
    done()
  })
}
