import { spawn } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#testkit/free-port.ts'
import { until, type Front } from '#testkit/start-app.ts'
import { serverProcess } from '../torture/server-process.ts'

/** How long the first replica lives: it is killed in the middle of some test. */
const livesMs = 20_000

/**
 * Two web replicas, each a process, behind HAProxy; the test's own process is the worker. After a while the first replica is killed, and
 * everything goes on with the other. Wanted by KIST_TEST_BALANCER=haproxy (docs/runbook.md).
 */
export const startBalanced: Front = async ({ environment, directory, port }) => {
  const program = join(import.meta.dirname, '../torture/portal-server.ts')
  const replicas = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const own = await freePort()
      const replica = serverProcess({
        args: [program],
        url: `http://127.0.0.1:${own}`,
        readyPath: '/health/ready',
        environment: { ...environment, KIST_ROLE: 'web', PORT: String(own), KIST_TRUSTED_PROXIES: '127.0.0.1' },
        logFile: join(directory, `replica-${name}.log`),
      })
      await replica.start()
      return { name, port: own, replica }
    }),
  )
  const configuration = join(directory, 'haproxy.cfg')
  writeFileSync(configuration, haproxyConfiguration(port, replicas))
  const balancer = spawn('haproxy', ['-f', configuration], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const [first] = replicas
  const killing = setTimeout(() => {
    void first?.replica.kill().then(() => appendFileSync('test-results/killed-replicas.txt', `${new Date().toISOString()} ${first.port}\n`))
  }, livesMs)
  return {
    url,
    close: async () => {
      clearTimeout(killing)
      balancer.kill('SIGTERM')
      await Promise.all(replicas.map(({ replica }) => replica.kill('SIGTERM')))
    },
  }
}

/** What fell into a dying replica may be asked again where that changes nothing: of another, and for reading alone. */
const haproxyConfiguration = (port: number, replicas: readonly { name: string; port: number }[]): string => `
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
  http-request disable-l7-retry unless METH_GET
  default_backend web

backend web
  balance roundrobin
  option httpchk GET /health/ready
  default-server check inter 500ms fall 2 rise 1 on-error mark-down observe layer4 error-limit 1
${replicas.map((replica) => `  server ${replica.name} 127.0.0.1:${replica.port}`).join('\n')}
`
