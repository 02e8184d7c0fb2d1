import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

type Address = { host: string; port: number }

/** The listen backlog; connections beyond it wait a second or more before they retry. */
const backlog = 4_096

/**
 * How many sockets listen on one port. Node takes one new connection of each socket in a turn of
 * its event loop (libuv 1.52), and under load a turn takes a tenth of a second: with one socket, of
 * a thousand clients that connect at once half would wait for more than ten seconds. Only Linux
 * shares a port among sockets (SO_REUSEPORT).
 */
const socketsPerPort = process.platform === 'linux' ? 16 : 1

/**
 * Lets the server listen.
 *
 * @returns the listeners besides the server's own, which {@link closeServer} closes.
 * @throws if the port is in use, also by another process that shares it.
 */
export async function listen(app: FastifyInstance, { host, port }: Address): Promise<Server[]> {
  const isShared = socketsPerPort > 1
  if (isShared && port !== 0) await refusePortInUse({ host, port })
  await app.listen({ host, port, backlog, ...(isShared && { reusePort: true }) })
  const address = app.server.address()
  const shared = { host, port: typeof address === 'object' && address ? address.port : port }
  const opened = await Promise.allSettled(Array.from({ length: socketsPerPort - 1 }, () => listenBeside(app, shared)))
  const listeners = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const failed = opened.find((one) => one.status === 'rejected')
  if (!failed) return listeners
  for (const listener of listeners) listener.close()
  throw failed.reason
}

/** Passes the connections of one more socket to the server. */
function listenBeside(app: FastifyInstance, address: Address): Promise<Server> {
  // As the HTTP server's own.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket))
  return new Promise((resolve, reject) => {
    listener.once('error', reject).listen({ ...address, backlog, reusePort: true }, () => resolve(listener))
  })
}

/** Sockets that share a port never find it in use; one that does not share it does. */
function refusePortInUse(address: Address): Promise<void> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', reject).listen(address, () => probe.close(() => resolve()))
  })
}
