import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { apiPrefix } from '#contract/endpoint.ts'
import { attributeOf, startCollector, type Collector } from '#testkit/collector.ts'
import { freePort } from '#server/database/free-port.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

/**
 * docs/statements.md: the maximum number of database statements of each call of the specification.
 */
const budgets = new Map(
  [...readFileSync(join(import.meta.dirname, '../docs/statements.md'), 'utf8').matchAll(/^\| ([A-Z]+ \/\S+) \| (\d+) \|/gm)].map(
    ([, call = '', count]) => [call, Number(count)],
  ),
)

const poll = 'GET /portal/payment-link/status'

let collector: Collector
let app: App
beforeAll(async () => {
  collector = await startCollector()
  const port = await freePort()
  const settings = {
    PORT: String(port),
    KIST_ORIGIN: `http://localhost:${port}`,
    KIST_TELEMETRY: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  app = await startApp(inject('cluster'), { town: true, settings })
})
afterAll(async () => {
  await app.close()
  await collector.close()
})

/** The maximum number of statements of each call's successful requests. */
function mostStatements(): Map<string, number> {
  const counts = new Map<string, number>()
  const statements = Map.groupBy(
    collector.spans.filter((span) => attributeOf(span, 'db.query.text') !== undefined),
    ({ traceId }) => traceId,
  )
  for (const span of collector.spans) {
    const [method, route = ''] = span.name.split(' ')
    if (span.kind !== 2 || Number(attributeOf(span, 'http.response.status_code')) !== 200 || !route.startsWith(apiPrefix)) continue
    const call = `${method} ${route.slice(apiPrefix.length)}`
    counts.set(call, Math.max(counts.get(call) ?? 0, statements.get(span.traceId)?.length ?? 0))
  }
  return counts
}

it('no call of the specification makes more statements than its budget', async () => {
  const outbox = join(app.context.config.dataDirectory, 'outbox.ndjson')
  const script = join(import.meta.dirname, '../lab/conformance/run.ts')
  await new Promise<void>((resolve, reject) => {
    execFile(process.execPath, [script, '--base', app.url, '--outbox', outbox, '--sandbox', app.sandboxUrl], (error) =>
      error ? reject(error) : resolve(),
    )
  })
  await until(() => [...budgets.keys()].every((call) => mostStatements().has(call)))
  const counts = mostStatements()
  expect(budgets.size).toBe(21)
  expect(
    [...budgets].flatMap(([call, budget]) => ((counts.get(call) ?? 0) > budget ? [`${call}: ${counts.get(call)} of ${budget}`] : [])),
  ).toEqual([])
  // A budget far above the need would notice nothing. Whether the poll or the webhook posts the
  // payment varies.
  const spare = [...budgets].filter(([call, budget]) => call !== poll && budget > (counts.get(call) ?? 0) + 6)
  expect(spare.map(([call, budget]) => `${call}: ${counts.get(call)} of ${budget}`)).toEqual([])
})
