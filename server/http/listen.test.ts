import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, expect, it } from 'vitest'
import { closeServer } from './close-server.ts'
import { listen } from './listen.ts'

const host = '127.0.0.1'
const portOf = (app: FastifyInstance) => (app.server.address() as AddressInfo).port
const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of running.splice(0)) await close()
})

async function start(app: FastifyInstance, port = 0) {
  const listeners = await listen(app, { host, port })
  const close = () => closeServer(app, listeners, 1_000)
  running.push(close)
  return { close, sockets: listeners.length + 1 }
}

/** Connects clients at once. @returns what closes them. */
async function connectAll(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, host))
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  return sockets
}

it('takes as many new connections in a turn of the event loop as sockets listen', async () => {
  const app = fastify()
  const { sockets } = await start(app)
  let turn = 0
  let isCounting = true
  const countTurns = async () => {
    for (; isCounting; turn += 1) await nextTurn()
  }
  const counting = countTurns()
  const taken: number[] = []
  app.server.on('connection', () => taken.push(turn))
  const clients = await connectAll(portOf(app), 200)
  while (taken.length < clients.length) await nextTurn()
  isCounting = false
  await counting
  for (const client of clients) client.destroy()
  const perTurn = [...Map.groupBy(taken, (of) => of).values()].map((of) => of.length)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(sockets)
  // Which socket gets a connection is chance.
  if (process.platform === 'linux') expect(Math.max(...perTurn)).toBeGreaterThan(4)
})

it('refuses a port on which another server listens, although that one shares it', async () => {
  const [first, second] = [fastify(), fastify()]
  await start(first)
  await expect(listen(second, { host, port: portOf(first) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await second.close()
})

it('is closed once the requests of all its connections are answered, and the port is free', async () => {
  const app = fastify()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let waiting = 0
  app.get('/', async () => {
    waiting += 1
    await released
    return 'answered'
  })
  const { close } = await start(app)
  const port = portOf(app)
  const answers = Array.from({ length: 60 }, () => fetch(`http://${host}:${port}/`).then((response) => response.text()))
  while (waiting < answers.length) await nextTurn()
  const closed = close()
  while (app.server.listening) await nextTurn()
  release()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['answered']))
  await closed
  const next = fastify()
  await start(next, port)
  expect(portOf(next)).toBe(port)
})
