import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { distributionSetting, testDistribution } from '#testkit/citus.ts'
import { makeBrandFolder } from '#testkit/brand-folder.ts'
import { startApp, type App } from '#testkit/start-app.ts'
import { claimBucket, readDatabaseIdentity } from '#server/documents/bucket-owner.ts'
import { claim } from '#cli/commands/bucket.ts'
import { clockFinding, connectionFinding, logArchiveFinding, type Finding } from './finding.ts'
import { examine } from './doctor.ts'

let app: App
let settings: Record<string, string>
beforeAll(async () => {
  app = await startApp(inject('cluster'), { town: true })
  settings = {
    NODE_ENV: 'test',
    KIST_DEMO: 'true',
    KIST_DATA_DIR: app.context.config.dataDirectory,
    DATABASE_URL: app.databaseUrls.appUrl,
    ...distributionSetting,
    DATABASE_OWNER_URL: app.databaseUrls.ownerUrl,
    RAZORPAY_BASE_URL: app.sandboxUrl,
    KIST_ORIGIN: app.url,
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await app.close()
})

/**
 * Nothing is wrong, or it is the warning of every cluster: the server cannot be asked whether it
 * has a fix.
 */
const isExpected = ({ state, about }: Finding): boolean => state === 'ok' || (state === 'warning' && about === 'citus')

/** The findings with other settings. */
async function troubles(change: Record<string, string> = {}): Promise<string[]> {
  const environment = { ...settings, ...change }
  vi.unstubAllEnvs()
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return (await examine(environment))
    .filter((finding) => !isExpected(finding))
    .map(({ state, about, message }) => `${state} ${about}: ${message}`)
}
const asOwner = async (statement: string) => {
  const client = new pg.Client({ connectionString: app.databaseUrls.ownerUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

it('finds nothing wrong where nothing is, and looks at twelve things and more', async () => {
  expect(await troubles()).toEqual([])
  const findings = await examine(settings)
  expect(findings.length).toBeGreaterThanOrEqual(12)
  expect(new Set(findings.map(({ about }) => about))).toEqual(
    new Set([
      'settings',
      'keys',
      'disk',
      'text messages',
      'bucket owner',
      'documents',
      'virus scanner',
      'database connection',
      'provider',
      'autopay',
      'clocks',
      'collector',
      'database',
      'database logins',
      'migrations',
      'log archive',
      'money',
      'reviews',
      'jobs',
      'webhooks',
      ...(testDistribution.isDistributed ? ['citus'] : []),
    ]),
  )
})

it('tells every fault of the settings', async () => {
  expect(await troubles({ PORT: 'x', KIST_ROLE: 'boss' })).toEqual([
    'wrong settings: KIST_ROLE must be web, worker or all',
    'wrong settings: PORT must be a whole number',
  ])
})

it('finds a setting that is misspelt', async () => {
  expect(await troubles({ KIST_LIMIT: 'strict' })).toEqual([
    'warning settings: KIST_LIMIT is not a setting and has no effect: check its spelling',
  ])
})

it('finds a migration that did not run', async () => {
  await asOwner(`delete from schema_migrations where name like '0003_row%'`)
  expect(await troubles()).toEqual([expect.stringMatching(/^wrong migrations: 0003_row_security\.sql did not run/)])
  await asOwner(`insert into schema_migrations (name) values ('0003_row_security.sql')`)
})

it('finds a login that owns what it serves', async () => {
  expect(await troubles({ DATABASE_URL: app.databaseUrls.ownerUrl })).toContainEqual(
    expect.stringMatching(/^wrong database logins: kist_owner owns \d+ tables/),
  )
})

it('finds messages without a DLT template, and names each', async () => {
  const folder = makeBrandFolder({ sms: { header: 'MGHDUT', entity_id: '1201159876543210987' } })
  const carrier = { MSG91_AUTH_KEY: '430192AbQx7Lm2Pz5f8d1c90P1', KIST_BRAND_DIR: folder }
  const [told = '', ...more] = await troubles({ ...carrier, MSG91_DLT_TEMPLATE_ID: '1207161234567890123' })
  expect(more).toEqual([])
  expect(told).toMatch(
    /^warning text messages: not sent, .*payment_applied \(en\), payment_applied \(hi\), .*tranche_rejected \(hi\), .*emi_start \(hi\)$/,
  )
  expect(told).not.toContain('sign_in_code')
})

it('finds a bucket of another database, shows both sides, and a claim mends it', async () => {
  const { storage } = app.context
  const identity = await app.database.asSystem(readDatabaseIdentity)
  const operator = { actorId: 'operator', name: 'Harini Rao', reason: 'restored from the backup' }
  await claimBucket(storage, { ...identity, timeline: 9 }, { by: 'somebody', reason: 'x', at: app.clock.now() })
  expect(await troubles()).toEqual([
    expect.stringMatching(
      `^wrong bucket owner: the bucket belongs to database ${identity.databaseId}, .* timeline 9, claimed by somebody .*; this is database .* timeline 1: the storage sweep is stopped`,
    ),
  ])
  expect(await claim({ ...app, operator }, storage)).toMatch(/^claimed: .* timeline 9, and now to .* timeline 1$/)
  expect(await claim({ ...app, operator }, storage)).toMatch(/^unchanged/)
  expect(await troubles()).toEqual([])
  const entry = await app.database.asSystem((sql) =>
    sql.selectFrom('access_log').select('detail').where('action', '=', 'bucket_claimed').executeTakeFirstOrThrow(),
  )
  expect(entry.detail).toMatchObject({ operator: 'Harini Rao', reason: 'restored from the backup' })
})

it('finds money that waits', async () => {
  await asOwner(
    `insert into webhook_inbox (provider, event_id, received_at, event_type, body, next_attempt_at) values ('razorpay', 'd', now() - interval '1 hour', 'x', '', now() + interval '1 day')`,
  )
  expect(await troubles()).toEqual([expect.stringMatching(/^wrong money: 0 payments and 1 events wait .*is a worker running\?/)])
  await asOwner(`delete from webhook_inbox where event_id = 'd'`)
})

it('finds reviews that wait for a person', async () => {
  await asOwner(
    `insert into payment_reviews (borrower_id, review_id, kind, about, found_at) values (gen_random_uuid(), gen_random_uuid(), 'not_posted', 'not_posted:pay_1', now())`,
  )
  expect(await troubles()).toEqual(['warning reviews: 1 differences wait for a person: kist review list'])
  await asOwner(`delete from payment_reviews where about = 'not_posted:pay_1'`)
})

it('finds a provider that is away, and keys it does not take', async () => {
  expect(await troubles({ RAZORPAY_BASE_URL: 'http://127.0.0.1:9' })).toEqual(['wrong provider: http://127.0.0.1:9 cannot be reached'])
  expect(await troubles({ RAZORPAY_KEY_ID: 'rzp_test_someoneelse1', RAZORPAY_KEY_SECRET: 'x'.repeat(24) })).toEqual([
    expect.stringMatching(/^wrong provider: .* refuses the keys/),
  ])
})

it('finds an account whose recurring payments are not enabled, where autopay is offered', async () => {
  const provider = createServer((request, response) => {
    const isLinks = request.url?.includes('payment_links')
    response.writeHead(isLinks ? 200 : 400, { 'content-type': 'application/json' })
    const error = { code: 'BAD_REQUEST_ERROR', description: 'The requested URL was not found on the server.' }
    response.end(JSON.stringify(isLinks ? { payment_links: [] } : { error }))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const base = { RAZORPAY_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` }
  expect(await troubles(base)).toEqual([
    expect.stringMatching(/^wrong autopay: upi and emandate offered, and recurring payments are not enabled at the account: /),
  ])
  provider.closeAllConnections()
  await new Promise((resolve) => provider.close(resolve))
})

it('finds webhooks that reach nobody, or somebody else', async () => {
  expect(await troubles({ KIST_ORIGIN: 'http://127.0.0.1:9' })).toEqual([
    expect.stringMatching(/^wrong webhooks: .* cannot be reached from here/),
  ])
  const other = createServer((_request, response) => response.end('welcome'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  expect(await troubles({ KIST_ORIGIN: origin })).toEqual([expect.stringMatching(/^wrong webhooks: .* answers 200, which Kist never does/)])
  other.closeAllConnections()
  await new Promise((resolve) => other.close(resolve))
})

it('finds a database, a scanner and a collector that are not there', async () => {
  const away = {
    DATABASE_URL: 'postgres://kist_app:x@127.0.0.1:9/kist',
    KIST_CLAMD: '127.0.0.1:9',
    KIST_TELEMETRY: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  }
  expect((await troubles(away)).map((line) => line.split(':')[0])).toEqual(['wrong virus scanner', 'wrong collector', 'wrong database'])
})

it('reports the difference of two clocks, and whether it is too large', () => {
  expect(clockFinding('the database', 400)).toMatchObject({ state: 'ok' })
  expect(clockFinding('the database', -3_000)).toMatchObject({
    state: 'warning',
    message: 'the database is 3.0 s behind this machine: set both by NTP',
  })
  expect(clockFinding('the provider', 60_000)).toMatchObject({
    state: 'wrong',
    message: 'the provider is 60.0 s ahead of this machine: set both by NTP',
  })
})

it('warns of a connection to another machine that is not encrypted', () => {
  const states = (isEncrypted: boolean) =>
    ['localhost', '127.0.0.1', '::1', '/run/postgresql', 'db', '10.0.0.5'].map((host) => connectionFinding(host, isEncrypted).state)
  expect(states(false)).toEqual(['ok', 'ok', 'ok', 'ok', 'warning', 'warning'])
  expect(new Set(states(true))).toEqual(new Set(['ok']))
})

it('says that the archiving of the log has stopped', () => {
  expect(logArchiveFinding({ isFailing: false, ageSeconds: 30 }, true)).toMatchObject({ state: 'ok' })
  expect(logArchiveFinding({ isFailing: false, ageSeconds: 3_600 }, true)).toMatchObject({ state: 'warning' })
  expect([true, false].map((production) => logArchiveFinding(null, production).state)).toEqual(['warning', 'ok'])
  expect(logArchiveFinding({ isFailing: true, ageSeconds: 45.3 }, true)).toEqual({
    state: 'wrong',
    about: 'log archive',
    message: 'archive_command fails, the last segment 45 s ago: the log of PostgreSQL says why',
  })
})
