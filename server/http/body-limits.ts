import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasBody } from './drain-request.ts'
import { Failure } from './failure.ts'
import { KeyCounts } from './key-counts.ts'

/** Most bodies arrive with their headers. One that does not in this time counts as slow. */
const slowAfterMs = 2_000
/** Slow bodies that one address may send at once. */
const slowPerAddressMax = 32

/**
 * Limits how long a request body may take to arrive, and how many slow ones an address may send at
 * once. The forms of file uploads have limits of their own, and are authorized before their body is
 * read; any other type of body is read first, on their paths too.
 *
 * @param uploadPaths the routes that take a file.
 */
export function limitBodies(
  app: FastifyInstance,
  { timeoutMs, uploadPaths }: { timeoutMs: number; uploadPaths: ReadonlySet<string> },
): void {
  const slow = new KeyCounts()
  app.addHook('onRequest', (request, reply, done) => {
    if (!hasBody(request) || (isForm(request.headers) && uploadPaths.has(request.routeOptions.url ?? ''))) return done()
    const timers = [
      setTimeout(() => {
        if (request.raw.complete || reply.raw.closed) return
        if (slow.countOf(request.ip) >= slowPerAddressMax) return cutOff(request, reply)
        slow.add(request.ip)
        reply.raw.once('close', () => slow.remove(request.ip))
      }, slowAfterMs),
      setTimeout(() => cutOff(request, reply), timeoutMs),
    ]
    reply.raw.once('close', () => timers.forEach(clearTimeout))
    done()
  })
}

function cutOff(request: FastifyRequest, reply: FastifyReply): void {
  if (!request.raw.complete && !reply.sent)
    void reply.send(new Failure('RequestTimeout', 'The request took too long to arrive.', { closesConnection: true }))
}

const isForm = (headers: Record<string, unknown>) => /^multipart\/form-data\b/i.test(String(headers['content-type']))
