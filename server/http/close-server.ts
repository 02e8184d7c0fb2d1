import type { FastifyInstance } from 'fastify'

/**
 * Stops accepting requests and waits for running ones. Kept-alive connections would keep the server
 * open for more than a minute, so idle connections are closed at once, others after their
 * answer, and all of them after `timeoutMs`.
 */
export async function closeServer(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const idleTimer = setInterval(() => app.server.closeIdleConnections(), 100)
  const forceTimer = setTimeout(() => app.server.closeAllConnections(), timeoutMs)
  app.server.closeIdleConnections()
  try {
    await app.close()
  } finally {
    clearInterval(idleTimer)
    clearTimeout(forceTimer)
  }
}
