import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long the rest of a refused body is read and thrown away. */
const lingerMs = 2_000

/**
 * Lets a client read an answer that is sent before its body has arrived. Closing the connection at once would reset it, and most clients
 * then report a network error instead of the answer. The rest of the body is thrown away; a client that goes on sending is cut off.
 */
export function lingerAfterEarlyAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // Whoever closes the connection on purpose, a slow sender for example, has said so in the header.
    if (hasBody(request) && !request.raw.complete && reply.getHeader('connection') !== 'close') linger(request, reply)
    done(null, payload)
  })
}

function linger({ raw: request }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request
  const shouldClose = request.headers.connection?.toLowerCase() === 'close'
  const end = () => {
    if (shouldClose) socket.destroySoon()
  }
  // Without this header Node closes the connection of a client that asked for that as soon as the answer is written.
  reply.header('connection', 'keep-alive')
  reply.raw.once('finish', () => {
    if (request.complete) return end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    request.once('end', end)
    socket.once('close', () => clearTimeout(timer))
    request.once('end', () => clearTimeout(timer))
    request.unpipe()
    request.resume()
  })
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
