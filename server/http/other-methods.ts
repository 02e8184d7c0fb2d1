import type { FastifyInstance, HTTPMethods } from 'fastify'
import { Failure } from './failure.ts'

const methods: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Answers 405 with what is allowed, for every other method of these paths. No header makes one method another. */
export function refuseOtherMethods(app: FastifyInstance, calls: readonly { method: HTTPMethods; url: string }[]): void {
  for (const [url, ofPath] of Map.groupBy(calls, (call) => call.url)) {
    const allowed = new Set(ofPath.flatMap(({ method }) => (method === 'GET' ? (['GET', 'HEAD'] as const) : [method])))
    app.route({
      method: methods.filter((method) => !allowed.has(method)),
      url,
      // Before a body of whatever kind is read.
      onRequest: async (_request, reply) => {
        void reply.header('allow', [...allowed].join(', '))
        throw new Failure('MethodNotAllowed', 'This address does not know that method.')
      },
      handler: async () => null,
    })
  }
}
