import type { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Stops accepting requests and waits for running ones. Kept-alive connections would keep the server
 * open for more than a minute, so idle connections are closed at once, others after their
 * answer, and all of them after `timeoutMs`.
 *
 * @param listeners those besides the server's own; each waits for the connections it has taken.
 */
export async function closeServer(app: FastifyInstance, listeners: readonly Server[], timeoutMs: number): Promise<void> {
  const idleTimer = setInterval(() => app.server.closeIdleConnections(), 100)
  const forceTimer = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
  app.server.closeIdleConnections()
  const closed = listeners.map((listener) => new Promise((resolve) => listener.close(resolve)))
  try {
    await Promise.all([app.close(), ...closed])
  } finally {
    clearInterval(idleTimer)
    clearTimeout(forceTimer)
  }
}
