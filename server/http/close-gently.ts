import type { FastifyInstance } from 'fastify'

/**
 * Stops taking requests and lets the running ones finish. Kept-alive connections would hold a server open for more
 * than a minute: idle ones are closed, the others after their answer, all of them when `withinMs` are over.
 */
export async function closeGently(app: FastifyInstance, withinMs: number): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), 100)
  const last = setTimeout(() => app.server.closeAllConnections(), withinMs)
  app.server.closeIdleConnections()
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(last)
  }
}
