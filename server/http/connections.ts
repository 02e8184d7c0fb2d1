import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { errorCatalogue, type ErrorCode, type Problem } from '#contract/errors.ts'
import { apiContentPolicy } from './security-headers.ts'

/** Closes what one address opens beyond so many connections at a time; 0 for as many as come. */
export function limitConnections(app: FastifyInstance, perAddressMax: number): void {
  if (perAddressMax === 0) return
  const open = new Map<string, number>()
  const server: Server = app.server
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const count = (open.get(address) ?? 0) + 1
    if (count > perAddressMax) return void socket.destroy()
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  })
}

const answers: Record<string, [status: number, code: ErrorCode, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'RequestTimeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'InvalidRequest', 'The headers are too large.'],
}

/** What is no HTTP, or too slow, is answered as a problem document too, and its connection ends (RFC 9112 §6.3 for contradicting lengths). */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, code, detail] = answers[error.code ?? ''] ?? [400, 'InvalidRequest', 'The request could not be read.']
  const problem: Problem = {
    type: `/problems/${code}`,
    title: errorCatalogue[code].title,
    status,
    detail,
    code,
    request_id: crypto.randomUUID(),
  }
  const body = JSON.stringify(problem)
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
