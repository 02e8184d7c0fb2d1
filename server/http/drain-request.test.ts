import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { expect, it } from 'vitest'
import { until } from '#testkit/until.ts'
import { drainEarlyAnsweredRequests } from './drain-request.ts'

it('keeps the connection of refused bodies, and leaves no listener on it', async () => {
  const app = fastify()
  drainEarlyAnsweredRequests(app)
  const listeners: number[] = []
  app.addHook('onRequest', async ({ raw }, reply) => {
    listeners.push(raw.socket.listenerCount('close'))
    return reply.code(401).send()
  })
  app.post('/', () => 'never reached')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let answers = ''
  socket.on('data', (chunk: Buffer) => (answers += chunk.toString()))
  await once(socket, 'connect')
  for (let request = 1; request <= 10; request += 1) {
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n')
    // The answer arrives before the body.
    await until(() => answers.split('HTTP/1.1 401').length - 1 === request)
    socket.write('null')
  }
  // The body of the request before may still have its listener.
  expect(Math.max(...listeners)).toBeLessThanOrEqual((listeners[0] ?? 0) + 1)
  socket.destroy()
  await app.close()
})
