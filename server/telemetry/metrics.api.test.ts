import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { demoPhone } from '#testkit/demo-town.ts'
import { requestLink } from '#testkit/payments.ts'
import { startApp, until, type App } from '#testkit/start-app.ts'
import { runWithLease } from '../database/lease.ts'
import { queues } from '../jobs/queues.ts'
import { readMoneyFigures } from './figures-store.ts'
import { createMetrics } from './metrics.ts'
import { serveMetrics } from './serve-metrics.ts'
import { invariantsLease, watchInvariants } from './watch-invariants.ts'

const token = 'c41f0a9e6d7b48259e03'
let app: App
let borrower: string
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true, settings: { KIST_METRICS_PORT: '0', KIST_METRICS_TOKEN: token } })
  borrower = await app.signIn(demoPhone(1))
})
afterAll(() => app.close())

const fetchMetrics = (path = '/metrics', authorization = `Bearer ${token}`, method = 'GET') =>
  fetch(`http://127.0.0.1:${app.metricsPort}${path}`, { method, headers: { authorization } })

/** All samples by name and labels. */
async function samples(): Promise<Map<string, number>> {
  const text = await (await fetchMetrics()).text()
  return new Map(
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
/** Waits until the gauge has a value after the next query. @returns the samples of that query. */
const gaugeBecomes = (name: string, value: number) =>
  until(async () => {
    const all = await samples()
    return all.get(name) === value ? all : null
  })
const asSuperuser = (statement: string, values: unknown[] = []) => asSuperuserOf(app, statement, values)
const asSuperuserOf = async (portal: App, statement: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: portal.databaseUrls.superuserUrl })
  await client.connect()
  await client.query(statement, values).finally(() => client.end())
}

it('is disabled by default, and never on the address of the portal', async () => {
  for (const path of ['/metrics', '/api/v1/metrics']) {
    const answer = await fetch(app.url + path, { headers: { authorization: `Bearer ${token}` } })
    expect(await answer.text()).not.toContain('kist_')
  }
  const quiet = await startApp(inject('cluster'))
  expect(quiet.metricsPort).toBeNull()
  await quiet.close()
})

it('answers only GET with the token, and nothing else', async () => {
  expect((await fetchMetrics('/metrics', 'Bearer wrong')).status).toBe(401)
  expect((await fetch(`http://127.0.0.1:${app.metricsPort}/metrics`)).status).toBe(401)
  expect((await fetchMetrics('/')).status).toBe(404)
  expect((await fetchMetrics('/metrics', undefined, 'POST')).status).toBe(405)
  const answer = await fetchMetrics()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
})

it('counts each request once, by route, method and status, with its duration', async () => {
  const name = (status: number) => `kist_http_requests_total{method="GET",route="/api/v1/auth/users/:user_id",status="${status}"}`
  const before = await samples()
  for (const id of ['x', 'y', 'z']) await app.get(`/auth/users/${id}`, borrower)
  await app.get('/auth/users/x')
  await until(async () => (await samples()).get(name(401)))
  const after = await samples()
  expect((after.get(name(404)) ?? 0) - (before.get(name(404)) ?? 0)).toBe(3)
  expect((after.get(name(401)) ?? 0) - (before.get(name(401)) ?? 0)).toBe(1)
  const route = '{method="GET",route="/api/v1/auth/users/:user_id"}'
  expect(after.get(`kist_http_request_duration_seconds_count${route}`)).toBe(4)
  expect(after.get(`kist_http_request_duration_seconds_sum${route}`)).toBeGreaterThan(0)
})

it('has no more labels than routes, for any request', async () => {
  const count = async () => [...(await samples()).keys()].filter((name) => name.startsWith('kist_http_requests_total')).length
  const ping = async (path: string, method: string) => void (await fetch(app.url + path, { method })).status
  const total = async () =>
    [...(await samples())].reduce((sum, [name, value]) => sum + (name.startsWith('kist_http_requests_total') ? value : 0), 0)
  const earlier = await total()
  await Promise.all(['GET', 'PUT', 'PURGE'].map((method) => ping('/api/v1/no/such/path', method)))
  await ping('/some/page', 'GET')
  // A request is counted shortly after its answer.
  await until(async () => (await total()) >= earlier + 4)
  const before = await count()
  for (let index = 0; index < 60; index += 1)
    await Promise.all([ping(`/api/v1/${index}/x?y=${index}`, 'GET'), ping(`/page-${index}`, 'GET'), ping(`/${index}`, 'PURGE')])
  expect(await count()).toBeLessThanOrEqual(before + 1)
  const text = await (await fetchMetrics()).text()
  expect(text).not.toMatch(/page-|\/59\//)
})

it('has the money figures', async () => {
  expect((await gaugeBecomes('kist_payment_links_open', 0)).get('kist_database_up')).toBe(1)
  expect((await requestLink(app, borrower)).status).toBe(200)
  expect([...(await gaugeBecomes('kist_payment_links_open', 1)).entries()]).toContainEqual([
    'kist_provider_call_duration_seconds_count{call="createLink",outcome="created"}',
    1,
  ])

  const seen = new Date(app.clock.now().getTime() - 600_000)
  const expectAge = (seconds: number | undefined) => {
    expect(seconds).toBeGreaterThanOrEqual(599)
    expect(seconds).toBeLessThanOrEqual((app.clock.now().getTime() - seen.getTime()) / 1_000 + 1)
  }
  await asSuperuser(
    `insert into webhook_inbox (provider, event_id, received_at, event_type, body, next_attempt_at) values ('razorpay', 'e1', $1, 'x', '', $2)`,
    [seen, new Date(app.clock.now().getTime() + 86_400_000)],
  )
  // Last, because it is what the test waits for.
  await asSuperuser(
    `insert into provider_payments (borrower_id, loan_id, provider, provider_payment_id, payment_intent_id, amount_paise, paid_at, seen_at)
     select borrower_id, loan_id, 'razorpay', 'pay_of_a_test', payment_intent_id, 123456, $1, $1 from payment_links limit 1`,
    [seen],
  )
  const now = await gaugeBecomes('kist_captures_unposted', 1)
  expect(now.get('kist_captures_unposted_paise')).toBe(123_456)
  expect(now.get('kist_webhook_inbox_open')).toBe(1)
  for (const age of ['kist_capture_unposted_oldest_seconds', 'kist_webhook_inbox_oldest_seconds']) expectAge(now.get(age))
  await asSuperuser(`delete from provider_payments where provider_payment_id = 'pay_of_a_test'`)
  const insertRefund = (status: string, id: string) =>
    asSuperuser(
      `insert into refunds (borrower_id, loan_id, refund_id, provider, provider_payment_id, payment_intent_id, amount_paise, reason, status, asked_at, asked_by, next_check_at)
       select borrower_id, loan_id, gen_random_uuid(), 'razorpay', $2, payment_intent_id, 100, 'excess', $1, $3, 'operator', now() + interval '1 day' from payment_links limit 1`,
      [status, id, seen],
    )
  for (const [status, id] of [
    ['asked', 'pay_a'],
    ['pending', 'pay_b'],
    ['failed', 'pay_c'],
  ] as const)
    await insertRefund(status, id)
  await asSuperuser(
    `insert into payment_reviews (borrower_id, review_id, kind, about, found_at) values (gen_random_uuid(), gen_random_uuid(), 'mismatch', 'a test', now())`,
  )
  const later = await gaugeBecomes('kist_payment_reviews_open{kind="mismatch"}', 1)
  expect([later.get('kist_refunds_open'), later.get('kist_refunds_failed')]).toEqual([2, 1])
  expectAge(later.get('kist_refund_waiting_oldest_seconds'))
  await asSuperuser('delete from refunds')
  await asSuperuser('delete from payment_reviews')
  await gaugeBecomes('kist_captures_unposted', 0)
})

it('has the number of broken invariants, and nothing before the first check', async () => {
  // A separate portal, because the previous test's rows break invariants.
  const sound = await startApp(inject('cluster'), { town: true, settings: { KIST_METRICS_PORT: '0' } })
  const lines: string[] = []
  const log = pino(new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) }))
  const text = async () => (await fetch(`http://127.0.0.1:${sound.metricsPort}/metrics`)).text()
  // Checks like another process would. The portal's own loop may hold the lease, or have taken it
  // before, so that the next check would be due hours later.
  const check = () =>
    until(async () => {
      await asSuperuserOf(sound, `update leases set next_run_at = now() where name = '${invariantsLease}'`)
      return (await runWithLease(sound.database, { name: invariantsLease }, (lease) => watchInvariants({ ...sound.context, log }, lease)))
        .ran
    })
  await until(async () => /^kist_database_up 1$/m.test(await text()))
  expect(await text()).not.toMatch(/^kist_invariants_broken /m)
  await check()
  expect(lines.join('')).toBe('')
  await until(async () => /^kist_invariants_broken 0$/m.test(await text()))
  await asSuperuserOf(sound, 'update loans set ledger_sequence = ledger_sequence + 1')
  const askedAt = Date.now() / 1_000
  await check()
  await until(async () => /^kist_invariants_broken [1-9]/m.test(await text()))
  expect(lines.join('')).toContain('invariant broken')
  const [, checkedAt = '0'] = /^kist_invariants_checked_timestamp_seconds (\S+)$/m.exec(await text()) ?? []
  expect(Number(checkedAt)).toBeGreaterThanOrEqual(askedAt - 1)
  expect(Number(checkedAt)).toBeLessThanOrEqual(Date.now() / 1_000 + 1)
  await sound.close()
})

it('shows when each leased loop last succeeded, and dead jobs of every queue', async () => {
  await runWithLease(app.database, { name: 'of a test' }, async () => 0)
  const metrics = createMetrics({ process: false })
  metrics.showFigures(await app.database.asSystem((sql) => readMoneyFigures(sql, new Date())))
  const text = await metrics.text()
  expect(text).toMatch(/^kist_lease_done_timestamp_seconds\{name="of a test"\} \d+/m)
  // The alert compares with earlier values: a series that begins with its first dead job has none.
  for (const { name } of queues) expect(text).toContain(`kist_jobs{queue="${name}",state="dead"} 0`)
})

it('shows how PostgreSQL archives its log, where it does', async () => {
  const metrics = createMetrics({ process: false })
  const figures = await app.database.asSystem((sql) => readMoneyFigures(sql, new Date()))
  metrics.showFigures({ ...figures, logArchive: { isFailing: true, ageSeconds: 45 } })
  expect(await metrics.text()).toMatch(/^kist_log_archive_failing 1$/m)
  expect(await metrics.text()).toMatch(/^kist_log_archive_age_seconds 45$/m)
  metrics.showFigures({ ...figures, logArchive: null })
  expect(await metrics.text()).not.toMatch(/^kist_log_archive_/m)
})

it('keeps counting requests while the database is unavailable or stuck', async () => {
  for (const asSystem of [() => Promise.reject(new Error('gone')), () => new Promise<never>(() => {})]) {
    const metrics = createMetrics({ process: false })
    metrics.requestEnded({ method: 'GET', route: '/x', status: 200, seconds: 0.1 })
    const server = await serveMetrics(
      { ...app.context, metrics, database: { ...app.database, asSystem } },
      { host: '127.0.0.1', port: 0, token: null },
    )
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
    expect(text).toMatch(/^kist_database_up 0$/m)
    expect(text).toContain('kist_http_requests_total{method="GET",route="/x",status="200"} 1')
    expect(text).not.toMatch(/^kist_captures_unposted /m)
    await server.close()
  }
})

it('has every metric of the dashboard and the alerts, each described in docs/alerts.md', async () => {
  const own = new Set([...(await (await fetchMetrics()).text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name))
  const alerts = readFileSync('docs/alerts.md', 'utf8')
  const dashboard = readFileSync('ops/grafana/kist.json', 'utf8')
  const named = (text: string) =>
    new Set([...text.matchAll(/\b(?:kist|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')))
  const expressions = (JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }).panels.flatMap(
    ({ targets = [] }) => targets,
  )
  expect(expressions.length).toBeGreaterThan(15)
  expect([...named(dashboard), ...named(alerts)].filter((name) => !own.has(name))).toEqual([])
  expect([...own].filter((name) => name.startsWith('kist_') && !named(alerts).has(name))).toEqual([])
})

it('has an alert for the texts of notices that are tried again and again, whose queue exists', () => {
  const watched = [...readFileSync('docs/alerts.md', 'utf8').matchAll(/kist_jobs\{queue="([\w-]+)",state="retrying"\}/g)]
  expect(watched.map(([, queue]) => queues.find(({ name }) => name === queue)?.name)).toEqual(['send-notice'])
})
