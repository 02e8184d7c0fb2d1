import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Failure } from './failure.ts'
import { methods } from './request-target.ts'

/**
 * Answers 405 with the `allow` header for every other method of these paths. No header overrides a
 * request's method.
 */
export function refuseOtherMethods(app: FastifyInstance, calls: readonly { method: HTTPMethods; url: string }[]): void {
  for (const [url, ofPath] of Map.groupBy(calls, (call) => call.url)) {
    const allowed = new Set(ofPath.flatMap(({ method }) => (method === 'GET' ? (['GET', 'HEAD'] as const) : [method])))
    app.route({
      method: methods.filter((method) => !allowed.has(method)),
      url,
      // Refuses before the body is read.
      onRequest: async (_request, reply) => {
        void reply.header('allow', [...allowed].join(', '))
        throw new Failure('MethodNotAllowed', 'This address does not support that method.')
      },
      handler: async () => null,
    })
  }
}
