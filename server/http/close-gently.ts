import type { FastifyInstance } from 'fastify'

const deadlineMs = 8_000

/**
 * Stops taking requests and lets the running ones finish. Kept-alive connections would hold a server open for more
 * than a minute: idle ones are closed, the others after their answer, all of them at the deadline.
 */
export async function closeGently(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), 100)
  const last = setTimeout(() => app.server.closeAllConnections(), deadlineMs)
  app.server.closeIdleConnections()
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(last)
  }
}
