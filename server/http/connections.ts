import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from '#contract/errors.ts'
import { Failure } from './failure.ts'
import { problemOf } from './failures.ts'
import { KeyCounts } from './key-counts.ts'
import { apiContentPolicy } from './security-headers.ts'

type ConnectionLimits = {
  /** Limit for this process. */
  connectionsMax: number
  /** Limit for one address; 0: no limit. */
  perAddressMax: number
  /**
   * All connections through a load balancer have its address, so only the process limit applies.
   */
  isTrustedProxy(address: string): boolean
}

/** This many connections over the limits get an answer; further ones are closed without one. */
const refusedMax = 64
/** A refused connection must send its request within this time to get the answer. */
const refusedMs = 1_000

/** The connections over the limits, of each server. */
const refusedSockets = new WeakMap<Server, ReadonlySet<Socket>>()

/** Whether a request came over a connection that is refused. */
export const isRefusedConnection = (server: Server, socket: Socket): boolean => refusedSockets.get(server)?.has(socket) ?? false

/**
 * Limits open connections. A request on a connection over the limits gets 503 with Retry-After, and
 * the connection is closed.
 */
export function limitConnections(app: FastifyInstance, { connectionsMax, perAddressMax, isTrustedProxy }: ConnectionLimits): void {
  const open = new KeyCounts()
  const refused = new Set<Socket>()
  refusedSockets.set(app.server, refused)
  let total = 0
  const server: Server = app.server
  server.maxConnections = connectionsMax + refusedMax
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const count = open.add(address)
    total += 1
    socket.once('close', () => {
      total -= 1
      open.remove(address)
    })
    if (total <= connectionsMax && (perAddressMax === 0 || count <= perAddressMax || isTrustedProxy(address))) return
    if (refused.size >= refusedMax) return void socket.destroy()
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), refusedMs)
    socket.once('close', () => {
      clearTimeout(timer)
      refused.delete(socket)
    })
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (!refused.has(request.raw.socket)) return done()
    done(
      new Failure('Overloaded', 'There are too many open connections. Please try again in a moment.', {
        retryAfterSeconds: 5,
        closesConnection: true,
      }),
    )
  })
}

const answers: Record<string, [status: number, code: ErrorCode, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'RequestTimeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'InvalidRequest', 'The headers are too large.'],
}

/**
 * Answers malformed HTTP and slow headers with a problem document and closes the connection (RFC
 * 9112 §6.3 for contradicting lengths).
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, code, detail] = answers[error.code ?? ''] ?? [400, 'InvalidRequest', 'The request could not be read.']
  const body = JSON.stringify({ ...problemOf(new Failure(code, detail), crypto.randomUUID()), status })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json; charset=utf-8',
      'x-content-type-options: nosniff',
      `content-security-policy: ${apiContentPolicy}`,
      'referrer-policy: no-referrer',
      'cross-origin-resource-policy: same-origin',
      'cache-control: no-store',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  )
}
