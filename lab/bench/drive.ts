import { connect, type Socket } from 'node:net'

/** Answers a second, and the time of each in milliseconds. */
type Driven = { perSecond: number; milliseconds: number[] }

/**
 * Sends requests over a number of connections, one after the other on each, for a duration, and
 * with `each` until every one was sent. Uses sockets, because a client as expensive as the server
 * would hide the server's cost.
 *
 * @param requests complete HTTP requests, sent in turn from a random one.
 * @throws for any status but 200: fast refusals must not count.
 */
export async function drive(
  port: number,
  requests: readonly Buffer[],
  { atOnce, ms, each = false }: { atOnce: number; ms: number; each?: boolean },
): Promise<Driven> {
  const milliseconds: number[] = []
  const startedAt = performance.now()
  const until = startedAt + ms
  const first = Math.floor(Math.random() * requests.length)
  let turn = first
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      try {
        while (performance.now() < until || (each && turn - first < requests.length)) {
          turn += 1
          const askedAt = performance.now()
          await ask(socket, requests[turn % requests.length] as Buffer)
          milliseconds.push(performance.now() - askedAt)
        }
      } finally {
        socket.destroy()
      }
    }),
  )
  return { perSecond: milliseconds.length / ((performance.now() - startedAt) / 1_000), milliseconds }
}

/**
 * Sends one request and reads its answer to the end, by its Content-Length or to its last chunk.
 */
function ask(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let bodyEnd: number | 'chunked' | null = null
    const end = (error?: Error) => {
      socket.off('data', take).off('error', end).off('close', closed)
      if (error) reject(error)
      else resolve()
    }
    const closed = () => end(new Error('The server closed a connection'))
    const take = (data: Buffer) => {
      received += data.toString('latin1')
      if (bodyEnd === null) {
        const headEnd = received.indexOf('\r\n\r\n')
        if (headEnd === -1) return
        if (!received.startsWith('HTTP/1.1 200')) return end(new Error(`Not answered: ${received.slice(0, 400)}`))
        const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd + 2))?.[1]
        bodyEnd = length === undefined ? 'chunked' : headEnd + 4 + Number(length)
      }
      if (bodyEnd === 'chunked' ? received.endsWith('\r\n0\r\n\r\n') : received.length >= bodyEnd) end()
    }
    socket.on('data', take).once('error', end).once('close', closed)
    socket.write(request)
  })
}
