import * as http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { answerApi } from './api.ts'
import { Chance } from './chance.ts'
import { Clock } from './clock.ts'
import { readConfig, type SandboxConfig } from './config.ts'
import { controlPage } from './control-page.ts'
import { answerControl } from './control.ts'
import { Deliverer } from './deliver.ts'
import { defaultEndpoint, type Endpoint } from './entities.ts'
import { errorAnswer, ownTexts } from './errors.ts'
import { Faults } from './faults.ts'
import { answerHosted } from './hosted.ts'
import { BodyTooLarge, json, readRequest, seeOther, send, type HttpRequest, type Reply } from './http.ts'
import { NextOutcomes } from './recurring/next-outcomes.ts'
import { readHolidays } from './recurring/working-days.ts'
import { Store } from './store.ts'
import { processElapsedTime } from './time.ts'
import type { SandboxContext } from './context.ts'

/** A running sandbox. */
export type Sandbox = {
  /** `http://127.0.0.1:<port>`, the base URL for API clients. */
  readonly url: string
  readonly port: number
  /** Stops at once; every acknowledged change is in the journal already. */
  close(): Promise<void>
}

/** Settings that differ from the defaults. */
export type SandboxOptions = Partial<SandboxConfig> & Pick<SandboxConfig, 'dataDir'>

/** Interval of the sweep for expiry, late payments and webhook retries. */
const sweepEveryMs = 250

/** An idle connection is not closed: that could be at the moment in which it is used again. */
const keepsIdleConnections = { keepAliveTimeout: 0 }

/** Starts a sandbox in this process; rejects with EADDRINUSE when the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const config: SandboxConfig = { ...readConfig({}), ...options }
  if (config.keyId.startsWith('rzp_live_')) throw new Error('the sandbox refuses live keys')
  // Listens first: the owner of the port is the only writer of the data folder.
  const server = http.createServer(keepsIdleConnections)
  server.listen(config.port, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const context = createContext(config, config.publicUrl ?? `http://localhost:${port}`)
  const answer = (incoming: http.IncomingMessage, outgoing: http.ServerResponse): void => void serve(context, incoming, outgoing)
  server.on('request', answer)
  const twin = await listenOnIpv6(port, answer)
  const sweeper = setInterval(() => sweep(context), sweepEveryMs)
  sweep(context)

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      clearInterval(sweeper)
      context.deliverer.close()
      await Promise.all([server, twin].map((one) => closeServer(one)))
      context.store.close()
    },
  }
}

function createContext(config: SandboxConfig, publicUrl: string): SandboxContext {
  const store = new Store(config.dataDir, config.expiryLagSeconds)
  // A process that continues a journal must not generate its ids again.
  const chance = new Chance(config.seed === null ? null : `${config.seed}:${store.count('event')}:${store.count('link')}`)
  const clock = new Clock(store, config.dataDir, config.clockBaseMs)
  const faults = new Faults(chance)
  store.commit([['endpoint', configuredEndpoint(config, clock)]])
  const deliverer = new Deliverer({ config, store, clock, faults, chance })
  const [nextOutcomes, holidays] = [new NextOutcomes(), readHolidays(config.holidaysFile)]
  return { config, publicUrl, store, clock, chance, faults, deliverer, nextOutcomes, holidays, refundKeysUnderWay: new Set() }
}

/** The endpoint of the settings; each start enables it. */
function configuredEndpoint(config: SandboxConfig, clock: Clock): Endpoint {
  return {
    id: defaultEndpoint,
    url: config.webhookUrl,
    secret: config.webhookSecret,
    events: null,
    status: 'active',
    enabled_at_ms: clock.nowMs(),
    disabled_at_ms: null,
  }
}

async function serve(context: SandboxContext, incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
  try {
    send(await answerTo(context, await readRequest(incoming)), outgoing)
  } catch (error) {
    if (incoming.destroyed && !incoming.complete) return
    if (error instanceof BodyTooLarge) {
      send(errorAnswer(413, 'BAD_REQUEST_ERROR', ownTexts.invalid('body')), outgoing)
      return
    }
    console.error('sandbox:', error)
    send(errorAnswer(500, 'SERVER_ERROR', 'The sandbox failed; see its log.'), outgoing)
  }
}

async function answerTo(context: SandboxContext, request: HttpRequest): Promise<Reply> {
  const { path, method } = request
  if (path.startsWith('/v1/')) return await answerApi(context, request)
  if (path.startsWith('/i/')) return await answerHosted(context, request)
  if (method === 'GET' && path === '/__sandbox') return controlPage(context)
  if (method === 'GET' && path === '/') return seeOther('/__sandbox')
  const answer = path.startsWith('/__sandbox/') ? await answerControl(context, request) : undefined
  return answer ?? json(404, { error: { description: `there is no ${method} ${path}` } })
}

function sweep(context: SandboxContext): void {
  try {
    processElapsedTime(context)
  } catch (error) {
    // A full disk must not end the process: the next sweep tries again.
    console.error('sandbox:', error)
  }
}

/**
 * Browsers may resolve localhost to ::1; where that address does not exist, 127.0.0.1 is enough.
 */
async function listenOnIpv6(port: number, answer: http.RequestListener): Promise<http.Server | undefined> {
  const twin = http.createServer(keepsIdleConnections, answer)
  try {
    twin.listen(port, '::1')
    await once(twin, 'listening')
    return twin
  } catch {
    return undefined
  }
}

async function closeServer(server: http.Server | undefined): Promise<void> {
  if (!server) return
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  // Connections held by a timeout fault would keep the server open.
  const kill = setTimeout(() => server.closeAllConnections(), 300)
  await closed
  clearTimeout(kill)
}
