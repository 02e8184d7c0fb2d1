import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#server/database/free-port.ts'
import { until, type Front } from '#testkit/start-app.ts'
import { serverProcess, type ServerProcess } from '#lab/torture/server-process.ts'

type Replica = { name: string; port: number; replica: ServerProcess }

/** A replica is killed at this interval, in the middle of whatever test is running. */
const killEveryMs = 30_000

/**
 * Two web replicas, each a process, behind HAProxy; the test's own process is the worker. One after
 * the other is killed and started again, as an operator's supervisor would; with `isLeftDead`, the
 * first is killed once and stays down. Used by `npm run test:balanced` (docs/runbook.md).
 */
export const startBalanced =
  (isLeftDead: boolean): Front =>
  async ({ environment, directory, port }) => {
    const replicas = await Promise.all(['one', 'two'].map((name) => newReplica(name, environment, directory)))
    const configuration = join(directory, 'haproxy.cfg')
    writeFileSync(configuration, haproxyConfiguration(port, replicas))
    const balancer = spawn('haproxy', ['-f', configuration], { stdio: 'ignore' })
    const stop = async (signal: NodeJS.Signals) => {
      balancer.kill('SIGTERM')
      await Promise.all(replicas.map(({ replica }) => replica.kill(signal)))
    }
    const url = `http://127.0.0.1:${port}`
    try {
      await Promise.all(replicas.map(({ replica }) => replica.start()))
      await until(() => isReady(url))
    } catch (error) {
      await stop('SIGKILL')
      throw error
    }
    const killing = new AbortController()
    const killed = killInTurn(replicas.slice(0, isLeftDead ? 1 : 2), isLeftDead, killing.signal)
    return {
      url,
      close: async () => {
        killing.abort()
        await killed
        await stop('SIGTERM')
      },
    }
  }

async function newReplica(name: string, environment: Record<string, string>, directory: string): Promise<Replica> {
  const port = await freePort()
  const replica = serverProcess({
    args: [join(import.meta.dirname, '../lab/torture/portal-server.ts')],
    url: `http://127.0.0.1:${port}`,
    readyPath: '/health/ready',
    environment: { ...environment, KIST_ROLE: 'web', PORT: String(port), KIST_TRUSTED_PROXIES: '127.0.0.1' },
    logFile: join(directory, `replica-${name}.log`),
  })
  return { name, port, replica }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Records every kill in the file named by KIST_TEST_KILLS. Ends with the signal, at the latest
 * before the next start.
 */
async function killInTurn(replicas: readonly Replica[], isLeftDead: boolean, signal: AbortSignal): Promise<void> {
  const kills = process.env['KIST_TEST_KILLS']
  for (let turn = 0; turn === 0 || !isLeftDead; turn += 1) {
    await delay(killEveryMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    const { replica } = replicas[turn % replicas.length] as Replica
    await replica.kill()
    if (kills) appendFileSync(kills, `${new Date().toISOString()}\n`)
    if (!isLeftDead) await replica.start()
  }
}

/**
 * A request that hit a dying replica is repeated at the other if that changes nothing: reads, and
 * writes with an idempotency key.
 */
const haproxyConfiguration = (port: number, replicas: readonly Replica[]): string => `
defaults
  mode http
  timeout connect 2s
  timeout check 3s
  timeout client 60s
  timeout server 60s
  option forwardfor
  option redispatch 1
  retries 3
  retry-on conn-failure empty-response

frontend portal
  bind 127.0.0.1:${port}
  http-request disable-l7-retry unless METH_GET or { req.hdr(idempotency-key) -m found }
  default_backend web

backend web
  balance roundrobin
  option httpchk GET /health/ready
  default-server check inter 500ms fall 2 rise 1 on-error mark-down observe layer4 error-limit 1
${replicas.map((replica) => `  server ${replica.name} 127.0.0.1:${replica.port}`).join('\n')}
`
