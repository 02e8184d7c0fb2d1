import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long the rest of a refused body is read and discarded. */
const drainMs = 2_000

/**
 * Lets a client read an answer that is sent before its body has arrived. Closing the connection at
 * once would reset it, and most clients then report a network error instead of the answer. The rest
 * of the body is discarded, for `drainMs` at most.
 */
export function drainEarlyAnsweredRequests(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // `connection: close` marks a connection that is closed on purpose, for example a slow
    // sender's.
    if (hasBody(request) && !request.raw.complete && reply.getHeader('connection') !== 'close') drain(request, reply)
    done(null, payload)
  })
}

function drain({ raw: request }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request
  const shouldClose = request.headers.connection?.toLowerCase() === 'close'
  const end = () => {
    if (shouldClose) socket.destroySoon()
  }
  // Without this header Node closes the connection right after the answer if the client sent
  // `connection: close`.
  reply.header('connection', 'keep-alive')
  reply.raw.once('finish', () => {
    if (request.complete) return end()
    const timer = setTimeout(() => socket.destroy(), drainMs)
    const stop = () => {
      clearTimeout(timer)
      socket.off('close', stop)
    }
    // A kept connection has many requests; each removes its listener.
    socket.once('close', stop)
    request.once('end', stop).once('end', end)
    request.unpipe()
    request.resume()
  })
}

export const hasBody = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
