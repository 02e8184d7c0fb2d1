import { Agent, request as httpRequest } from 'node:http'
import { apiPrefix } from '#contract/endpoint.ts'
import { addBorrowers, type Borrower } from './borrowers.ts'
import type { Portal } from './portal.ts'
import { portalSuite, type SuiteRun } from './suite.ts'

/** Connections without a session, and requests of one borrower during the flood. */
const connections = 100
const requests = 200
/** Concurrent requests of a browser that opens several screens. */
const requestsAtOnce = 4
/** A run with fewer answers is no flood and fails. */
const floodAnswersMin = connections

type Sender = (connection: number) => string

/** The sender in X-Forwarded-For: one address, or one for each connection. */
const senders: readonly [name: string, Sender][] = [
  ['from one address', () => '198.51.100.7'],
  ['from 100 addresses', (connection) => `198.51.${100 + connection}.7`],
]

/**
 * A flood of sign-ins: unknown phones and invalid codes, as fast as the portal answers. A signed-in
 * borrower continues to work and no request of theirs is refused.
 */
export const flood = portalSuite('flood', runRounds, {
  // The database timeouts of production.
  settings: {
    KIST_LIMITS: 'strict',
    KIST_TRUSTED_PROXIES: '127.0.0.1',
    KIST_DATABASE_CONNECT_TIMEOUT_MS: '5000',
    KIST_DATABASE_STATEMENT_TIMEOUT_MS: '15000',
  },
})

async function runRounds({ portal, round, broken }: SuiteRun): Promise<void> {
  const [borrower] = await addBorrowers(portal, 1)
  if (!borrower) throw new Error('there is no borrower')
  for (const [name, sender] of senders)
    await round(`sign-ins ${name}`, async () => {
      const stop = new AbortController()
      const agent = new Agent({ keepAlive: true, maxSockets: connections })
      const floods = Array.from({ length: connections }, (_, connection) => signInForever(portal, agent, sender, connection, stop.signal))
      const { statuses, slowestMs } = await useThePortal(portal, borrower)
      stop.abort()
      const answered = new Map<number, number>()
      for (const counts of await Promise.all(floods))
        for (const [status, count] of counts) answered.set(status, (answered.get(status) ?? 0) + count)
      agent.destroy()
      const refused = statuses.filter((status) => status !== 200)
      const floodAnswers = [...answered.values()].reduce((sum, count) => sum + count, 0)
      console.log(`flood ${name}: refused ${refused.length} of ${statuses.length}, slowest ${Math.round(slowestMs)} ms`)
      process.stderr.write(`flood ${name}: answered ${[...answered].map(([status, count]) => `${status} ${count} times`).join(', ')}\n`)
      if (refused.length > 0) broken(`of the borrower's requests ${refused.length} were refused: ${[...new Set(refused)].join(', ')}`)
      if (floodAnswers < floodAnswersMin) broken(`the flood had ${floodAnswers} answers only`)
      if ([...answered.keys()].some((status) => status === 500)) broken('the flood was answered 500')
    })
}

/**
 * One connection of the flood.
 *
 * @returns the number of answers by status; 0 stands for no answer.
 */
async function signInForever(
  portal: Portal,
  agent: Agent,
  sender: Sender,
  connection: number,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (let turn = 0; !signal.aborted; turn += 1) {
    const phone = `70${String(connection).padStart(3, '0')}${String(turn % 100_000).padStart(5, '0')}`
    const [path, body] =
      connection % 2 === 0
        ? ['/auth/login', { phone }]
        : ['/auth/verify', { session_token: `${crypto.randomUUID()}${crypto.randomUUID()}`, otp: '123456' }]
    const status = await post(portal, agent, `${apiPrefix}${String(path)}`, body, sender(connection))
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return counts
}

/** The calls of a borrower's screens. */
async function useThePortal(portal: Portal, { token, lan }: Borrower): Promise<{ statuses: number[]; slowestMs: number }> {
  const paths = [
    '/portal/loans-summary',
    `/portal/repayment-schedule?lead_id=${lan}`,
    `/portal/ongoing-payment?application_id=${lan}`,
    '/auth/permissions',
  ]
  const statuses: number[] = []
  let slowestMs = 0
  let next = 0
  const work = async () => {
    while (next < requests) {
      const path = paths[next++ % paths.length] ?? ''
      const started = performance.now()
      const answer = await portal.call('GET', path, token)
      statuses.push(answer?.status ?? 0)
      slowestMs = Math.max(slowestMs, performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, work))
  return { statuses, slowestMs }
}

function post({ server }: Portal, agent: Agent, path: string, body: unknown, address: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const text = JSON.stringify(body)
  httpRequest(
    server.url + path,
    {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'x-forwarded-for': address },
    },
    (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    },
  )
    .on('error', () => resolve(0))
    .end(text)
  return promise
}
