import type { FastifyInstance } from 'fastify'
import { Failure } from './failure.ts'

/** Limits how long a request body may take to arrive; file uploads have their own limit. */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.headers) && !request.headers['content-type']?.startsWith('multipart/')) {
      const timer = setTimeout(() => {
        if (!request.raw.complete && !reply.sent)
          void reply.send(new Failure('RequestTimeout', 'The request took too long to arrive.', { closesConnection: true }))
      }, timeoutMs)
      reply.raw.once('close', () => clearTimeout(timer))
    }
    done()
  })
}

const hasBody = (headers: Record<string, unknown>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
