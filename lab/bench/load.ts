import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask, PinnedPortal } from './pinned-portal.ts'

/** The outcome of one request; status 0 means no answer, and `broken` says why. */
export type Outcome = {
  loadClass: Ask['loadClass']
  status: number
  broken: string | null
  isGood: boolean
  milliseconds: number
  at: number
}

const socketTimeoutMs = 10_000
/** Connections as of a balancer; a request waits for a free one until its timeout. */
const agent = new Agent({ keepAlive: true, maxSockets: 1_024, maxFreeSockets: 1_024 })

function send(port: number, ask: Ask): Promise<Outcome> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, broken: string | null = null) => {
      clearTimeout(patience)
      const at = performance.now()
      resolve({ loadClass: ask.loadClass, status, broken, isGood: status === ask.expected, milliseconds: at - startedAt, at })
    }
    const fail = (error: NodeJS.ErrnoException) => end(0, error.code ?? error.message)
    const outgoing = request({ agent, host: '127.0.0.1', port, method: ask.method, path: ask.path, headers: ask.headers }, (answer) => {
      answer.resume()
      answer.once('end', () => end(answer.statusCode ?? 0))
      answer.once('error', fail)
    })
    const patience = setTimeout(() => outgoing.destroy(new Error('too late')), socketTimeoutMs)
    outgoing.once('error', fail)
    outgoing.end(ask.body)
  })
}

/** Closed loop: a fixed concurrency, to measure the capacity. */
export async function closedLoop(portal: PinnedPortal, atOnce: number, durationMs: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const until = performance.now() + durationMs
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < until) outcomes.push(await send(portal.port, portal.nextAsk()))
    }),
  )
  return outcomes
}

/** Open loop: a fixed rate, independent of the answers, as users do. */
export async function openLoop(portal: PinnedPortal, perSecond: number, durationMs: number): Promise<Outcome[]> {
  const outcomes: Promise<Outcome>[] = []
  const startedAt = performance.now()
  for (;;) {
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs >= durationMs) return Promise.all(outcomes)
    const due = Math.floor((elapsedMs / 1_000) * perSecond)
    while (outcomes.length < due) outcomes.push(send(portal.port, portal.nextAsk()))
    await delay(2)
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
