import { globSync, readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { readConfig } from '#server/config/read-config.ts'
import { failingDatabase } from '#testkit/failing-database.ts'
import { attributeOf, startCollector, type Collector } from '#testkit/collector.ts'
import { demoPhone } from '#testkit/demo-town.ts'
import { openLink, payLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'

let collector: Collector
let app: App
let token: string
beforeAll(async () => {
  collector = await startCollector()
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_TELEMETRY: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  token = await app.signIn(demoPhone(1))
})
afterAll(async () => {
  await app.close()
  await collector.close()
})

const traceparent = (traceId: string, spanId: string) => ({ traceparent: `00-${traceId}-${spanId}-01` })

it('records one trace from the browser to the ledger: request, use case, provider, statements', async () => {
  const [askId, pollId, browserId] = ['a1'.repeat(16), 'b2'.repeat(16), 'c3'.repeat(8)] as const
  await app.sandbox('/faults', { call: 'webhook', kind: 'drop', times: 'forever' })
  const link = await openLink(app, token, { headers: traceparent(askId, browserId) })
  await payLink(app, link)
  const path = `/api/v1/portal/payment-link/status?payment_link_id=${link}`
  const poll = await fetch(app.url + path, { headers: { authorization: `Bearer ${token}`, ...traceparent(pollId, browserId) } })
  expect(await poll.json()).toMatchObject({ status: 'paid', rps_updated: true })

  const of = (traceId: string, name: string) => collector.spans.filter((span) => span.traceId === traceId && span.name === name)
  await until(
    () => of(pollId, 'GET /api/v1/portal/payment-link/status').length === 1 && of(askId, 'POST /api/v1/portal/payment-link').length === 1,
  )
  const [request] = of(pollId, 'GET /api/v1/portal/payment-link/status')
  const [useCase] = of(pollId, 'use case readPaymentLinkStatus')
  const [provider] = of(pollId, 'razorpay fetchLink')
  const ledger = of(pollId, 'insert ledger_entries')
  expect([request?.parentSpanId, useCase?.parentSpanId, provider?.parentSpanId]).toEqual([browserId, request?.spanId, useCase?.spanId])
  expect([request?.kind, useCase?.kind, provider?.kind]).toEqual([2, 1, 3])
  expect(ledger.length).toBeGreaterThan(0)
  for (const statement of ledger) expect(statement.parentSpanId).toBe(useCase?.spanId)
  expect(attributeOf(request, 'http.response.status_code')).toBe(200)
  expect(attributeOf(ledger[0], 'db.query.text')).toMatch(/^insert into "ledger_entries".*\$1/)
  for (const { startTimeUnixNano, endTimeUnixNano } of collector.spans)
    expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true)

  const [ask] = of(askId, 'POST /api/v1/portal/payment-link')
  expect(ask?.parentSpanId).toBe(browserId)
  expect(of(askId, 'razorpay createLink')).toHaveLength(1)
  expect(of(askId, 'insert payment_links')[0]?.parentSpanId).toBe(of(askId, 'use case createPaymentLink')[0]?.spanId)
})

it('finds a request by the id of a problem, and marks errors', async () => {
  const { database } = app.context
  app.context.database = failingDatabase(database, new Error('broken'))
  const { body } = await app.get('/auth/permissions', token)
  app.context.database = database
  const span = await until(() => collector.spans.find((one) => attributeOf(one, 'kist.request_id') === body['request_id']))
  expect([span.name, span.status.code]).toEqual(['GET /api/v1/auth/permissions', 2])
})

it('sends no phone, name, token or amount to a collector', async () => {
  await app.post('/auth/login', { phone: demoPhone(1) })
  await until(() => collector.spans.some(({ name }) => name === 'use case login'))
  const text = JSON.stringify(collector.spans)
  for (const canary of [demoPhone(1).slice(-10), 'Ananya', 'Deshpande', token, 'KST-']) expect(text).not.toContain(canary)
})

it('is on with the text true and a collector, and with nothing else', () => {
  const tracesOf = (KIST_TELEMETRY: string, OTEL_EXPORTER_OTLP_ENDPOINT = collector.url) =>
    readConfig({ KIST_DATA_DIR: app.context.config.dataDirectory, KIST_TELEMETRY, OTEL_EXPORTER_OTLP_ENDPOINT }).traces
  expect(tracesOf('true')).toEqual({ url: collector.url, sharePercent: 100 })
  for (const text of ['false', 'TRUE', '1', 'yes', ' true', '']) expect([text, tracesOf(text)]).toEqual([text, null])
  expect(tracesOf('true', '')).toBeNull()
})

it('is loaded by one import after the flag', () => {
  const users = globSync('server/**/*.ts').filter(
    (file) => /@opentelemetry|open-telemetry\.ts/.test(readFileSync(file, 'utf8')) && !/\.test\.ts$/.test(file),
  )
  expect(users.sort()).toEqual(['server/serve.ts', 'server/telemetry/open-telemetry.ts', 'server/telemetry/otlp-exporter.ts'])
  expect(readFileSync('server/serve.ts', 'utf8')).toMatch(/await import\('\.\/telemetry\/open-telemetry\.ts'\)/)
})

it('logs once that the collector is unreachable, and keeps serving', async () => {
  const lines: string[] = []
  const log = pino(new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) }))
  const alone = await startApp(inject('cluster'), {
    log,
    settings: { KIST_TELEMETRY: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  })
  const warnings = () => lines.filter((line) => line.includes('could not send spans to the collector'))
  expect((await alone.get('/auth/permissions')).status).toBe(401)
  await until(() => warnings().length === 1)
  expect((await alone.get('/auth/permissions')).status).toBe(401)
  await alone.close()
  expect(warnings()).toHaveLength(1)
})
