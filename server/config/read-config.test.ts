import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { productionSettings } from '#testkit/production-settings.ts'
import { ConfigError, readConfig } from './read-config.ts'
import { formerSettings } from './settings.ts'

const directory = mkdtempSync(join(tmpdir(), 'kist-config-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const demo = { KIST_DATA_DIR: directory }
const production = { ...demo, ...productionSettings }
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const faultsOf = (environment: NodeJS.ProcessEnv, options?: { isServing: boolean }): readonly string[] => {
  try {
    readConfig(environment, options)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('the settings', () => {
  it('have defaults for the demo', () => {
    const config = readConfig(demo)
    expect(config).toMatchObject({ demo: true, production: false, port: 3000, origins: ['http://localhost:3000'], sandboxPort: 4010 })
    expect(config.razorpay).toMatchObject({ keyId: 'rzp_test_kist00000000', baseUrl: null })
    expect(config.portal.polling).toEqual({ initial_delay_ms: 5000, interval_ms: 3000, overall_timeout_ms: 90000, redirect_delay_ms: 3000 })
  })
  it('give the browser the app version of the spec, and the telemetry flag as text', () => {
    expect(readConfig(demo).portal).toMatchObject({ app_version: '0.0.1', telemetry: { enabled: 'false' } })
    for (const text of ['TRUE', '1']) expect(readConfig({ ...demo, KIST_TELEMETRY: text }).portal.telemetry.enabled).toBe(text)
  })
  it('give the browser a countdown of ten seconds and half a second at zero', () => {
    expect(readConfig(demo).portal.countdown).toEqual({ seconds: 10, pause_ms: 500 })
    expect(readConfig({ ...demo, NODE_ENV: 'test', KIST_REDIRECT_COUNTDOWN_SECONDS: '4' }).portal.countdown.seconds).toBe(4)
    expect(faultsOf({ ...demo, KIST_REDIRECT_COUNTDOWN_SECONDS: '4' })).toEqual(['KIST_REDIRECT_COUNTDOWN_SECONDS is for tests only'])
  })
  it('limit the answers of the login for each kind of network, as the lender sets it', () => {
    const limits = {
      KIST_LOGIN_ANSWERS_IPV4: '20',
      KIST_LOGIN_ANSWERS_IPV4_24: '200',
      KIST_LOGIN_ANSWERS_IPV6_56: '60',
      KIST_LOGIN_ANSWERS_IPV6_48: '300',
    }
    const perHour = { ipv4: 20, ipv4Slash24: 200, ipv6Slash64: 10, ipv6Slash56: 60, ipv6Slash48: 300 }
    expect(readConfig({ ...demo, ...limits }).signIn.answersPerHour).toEqual(perHour)
  })
  it('give each loan 50 uploaded documents and 200 MB', () => {
    expect(readConfig(demo).documents.quota).toEqual({ countMax: 50, bytesMax: 200 * 1024 * 1024 })
  })
  it('reuse the secrets that the demo generated', () => {
    expect(readConfig(demo).signIn).toEqual(readConfig(demo).signIn)
  })
  it('disable metrics by default, and allow them for this machine only, or with a token', () => {
    expect(readConfig(demo).metrics).toBeNull()
    const withPort = { ...demo, KIST_METRICS_PORT: '9464' }
    const token = 'c41f0a9e6d7b48259e03'
    expect(readConfig(withPort).metrics).toEqual({ host: '127.0.0.1', port: 9464, token: null })
    expect(readConfig({ ...withPort, KIST_METRICS_TOKEN: token }).metrics).toEqual({ host: '127.0.0.1', port: 9464, token })
    const beyond = { ...withPort, KIST_METRICS_HOST: '0.0.0.0' }
    expect(faultsOf(beyond)).toEqual([expect.stringContaining('KIST_METRICS_TOKEN is missing')])
    expect(readConfig({ ...beyond, KIST_METRICS_TOKEN: token }).metrics).toEqual({ host: '0.0.0.0', port: 9464, token })
    expect(faultsOf({ ...demo, KIST_METRICS_PORT: '3000' })).toEqual([expect.stringContaining('must not be PORT')])
  })
  it('refuse each former setting and say what replaces it', () => {
    const given = Object.fromEntries(Object.keys(formerSettings).map((name) => [name, 'x']))
    expect(faultsOf({ ...demo, ...given })).toEqual(
      Object.entries(formerSettings).map(([name, instead]) => `${name} is not a setting any more: ${instead}`),
    )
  })
  it('derive the text messages of a minute from those of a day', () => {
    expect(readConfig(demo).signIn).toMatchObject({ smsPerMinuteMax: 600, smsPerDayMax: 50_000 })
    expect(readConfig({ ...demo, KIST_SMS_PER_DAY_MAX: '1' }).signIn).toMatchObject({ smsPerMinuteMax: 1, smsPerDayMax: 1 })
  })
  it('report all faults at once', () => {
    const faults = faultsOf({ ...demo, PORT: 'http', KIST_ROLE: 'boss', KIST_SWEEP_AFTER_SECONDS: '0', DATABASE_URL: 'mysql://x' })
    expect(faults).toEqual([
      'KIST_ROLE must be web, worker or all',
      'PORT must be a whole number',
      'DATABASE_URL must be a postgres:// address',
      'KIST_SWEEP_AFTER_SECONDS must be between 1 and 86400',
      ...['KIST_TOKEN_KEY_PEM', 'KIST_CODE_KEY', 'RAZORPAY_KEY_ID', 'RAZORPAY_KEY_SECRET', 'RAZORPAY_WEBHOOK_SECRET'].map((name) =>
        expect.stringContaining(`${name} is missing`),
      ),
    ])
  })
  it('report the faults of the brand folder and of a serving process with the others', () => {
    const ownerUrl = 'postgres://kist_owner:hidden@db/kist'
    const wrong = { KIST_BRAND_DIR: join(directory, 'missing'), DATABASE_OWNER_URL: ownerUrl, KIST_LIMITS: 'demo' }
    expect(faultsOf({ ...production, ...wrong }, { isServing: true })).toEqual([
      expect.stringMatching(/^KIST_BRAND_DIR: .* cannot be read/),
      'KIST_LIMITS must be strict in production',
      expect.stringContaining('DATABASE_OWNER_URL must not be set for a serving process'),
    ])
    expect(faultsOf({ ...demo, KIST_CLOCK: 'late' }, { isServing: true })).toEqual([
      expect.stringContaining('KIST_CLOCK must be like'),
      expect.stringContaining('DATABASE_URL is missing: use npm start'),
    ])
  })
  it('report unparsable and missing settings, each once', () => {
    expect(faultsOf({ ...production, RAZORPAY_KEY_ID: 'rzp_live_short', KIST_ORIGIN: '', KIST_LIMITS: 'demo' })).toEqual([
      'RAZORPAY_KEY_ID must look like rzp_test_… or rzp_live_…',
      'KIST_LIMITS must be strict in production',
      expect.stringContaining('KIST_ORIGIN is missing'),
    ])
  })
  it('start production with complete settings and the real provider', () => {
    expect(readConfig(production)).toMatchObject({
      production: true,
      demo: false,
      signIn: { limits: 'strict' },
      razorpay: { baseUrl: 'https://api.razorpay.com' },
    })
  })
  it('require the addresses of proxies, or none, so that X-Forwarded-For is trusted explicitly', () => {
    expect(readConfig({ ...production, KIST_TRUSTED_PROXIES: '10.0.0.4, 10.1.0.0/16' }).http.trustedProxies).toEqual([
      '10.0.0.4',
      '10.1.0.0/16',
    ])
    expect(readConfig({ ...production, KIST_TRUSTED_PROXIES: 'none' }).http.trustedProxies).toEqual([])
    expect(readConfig(demo).http.trustedProxies).toEqual([])
  })
  it('accept proxies by address, network and name', () => {
    const proxies = ['10.0.0.4', '10.0.0.0/1', '10.0.0.0/32', '2001:db8::/128', '::1', 'loopback', 'linklocal', 'uniquelocal']
    expect(readConfig({ ...demo, KIST_TRUSTED_PROXIES: proxies.join(' , ') }).http.trustedProxies).toEqual(proxies)
  })
  it.each(['balancer', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/', '2001:db8::/129', '10.0.0.1;10.0.0.2', '10.1', '10.0.0.1 10.0.0.2'])(
    'refuse the proxy %s, with which the server could not start',
    (proxy) =>
      expect(faultsOf({ ...production, KIST_TRUSTED_PROXIES: `10.0.0.4,${proxy}` })).toEqual([
        expect.stringContaining(`KIST_TRUSTED_PROXIES has ${proxy}, which is neither an address`),
      ]),
  )
  it('refuse none beside a proxy', () => {
    expect(faultsOf({ ...production, KIST_TRUSTED_PROXIES: 'none,10.0.0.4' })).toEqual([
      'KIST_TRUSTED_PROXIES must be none alone, or addresses without none',
    ])
  })
  it('have limits for one person by kind, each once, and only of kinds with an amount', () => {
    const faultsOfLimits = (limits: string) => faultsOf({ ...demo, KIST_OPERATIONS_LIMITS: limits })
    expect(readConfig({ ...demo, KIST_OPERATIONS_LIMITS: 'charge_waive=500,charge_add=1000' }).operations.limits).toEqual({
      charge_waive: 50_000n,
      charge_add: 100_000n,
    })
    expect(faultsOfLimits('charge_add=500,charge_add=1000')).toEqual(['KIST_OPERATIONS_LIMITS has charge_add twice'])
    for (const kind of ['review_resolve', 'benchmark_publish', 'rate_reset_run', 'paper_publish', 'rate_reset_withdraw'])
      expect(faultsOfLimits(`charge_add=500,${kind}=1`)).toEqual([
        `KIST_OPERATIONS_LIMITS has ${kind}, a kind without an amount, which always needs a second person`,
      ])
    for (const limits of ['charge=5', 'charge_add', 'charge_add=1.5', 'charge_add=5,'])
      expect(faultsOfLimits(limits)).toEqual([expect.stringContaining('KIST_OPERATIONS_LIMITS must be kind=rupees')])
  })
  it('have no login that owns the tables in production, unless it is given', () => {
    expect(readConfig(production).database.ownerUrl).toBeNull()
    const ownerUrl = 'postgres://kist_owner:hidden@db/kist'
    expect(readConfig({ ...production, DATABASE_OWNER_URL: ownerUrl }).database.ownerUrl).toBe(ownerUrl)
  })
  it('require a scanner’s address, or none, so that a missing virus scan is a decision', () => {
    expect(readConfig(production).documents.clamd).toBe('127.0.0.1:3310')
    expect(readConfig({ ...production, KIST_CLAMD: 'none' }).documents.clamd).toBeNull()
    expect(readConfig(demo).documents.clamd).toBeNull()
    expect(faultsOf({ ...production, KIST_CLAMD: 'nobody' })).toEqual([expect.stringContaining('KIST_CLAMD must be host:port')])
  })
  it('accept a key with escaped line breaks', () => {
    const inOneLine = production.KIST_TOKEN_KEY_PEM.replaceAll('\n', '\\n')
    expect(readConfig({ ...production, KIST_TOKEN_KEY_PEM: inOneLine }).signIn.tokenKeys).toEqual([production.KIST_TOKEN_KEY_PEM])
  })
  it.each([
    'DATABASE_URL',
    'KIST_ORIGIN',
    'KIST_TRUSTED_PROXIES',
    'KIST_TOKEN_KEY_PEM',
    'KIST_CODE_KEY',
    'RAZORPAY_KEY_ID',
    'RAZORPAY_KEY_SECRET',
    'RAZORPAY_WEBHOOK_SECRET',
    'MSG91_AUTH_KEY',
    'MSG91_DLT_TEMPLATE_ID',
    'KIST_S3_BUCKET',
    'KIST_CLAMD',
    'KIST_BRAND_DIR',
  ])('need %s in production', (name) => {
    expect(faultsOf({ ...production, [name]: '' })).toEqual([expect.stringContaining(`${name} is missing`)])
  })
  it.each([
    ['the demo', { KIST_DEMO: 'true' }, 'KIST_DEMO'],
    ['relaxed limits', { KIST_LIMITS: 'relaxed' }, 'KIST_LIMITS'],
    ['a moved clock', { KIST_CLOCK: '+3d' }, 'KIST_CLOCK'],
    ['fail-points', { KIST_FAIL: 'posting_written:exit' }, 'KIST_FAIL'],
    ['fail-points without actions', { KIST_FAIL: 'none' }, 'KIST_FAIL'],
    ['live keys on another host', { RAZORPAY_BASE_URL: 'http://127.0.0.1:4010' }, 'RAZORPAY_BASE_URL'],
    ['an origin without TLS', { KIST_ORIGIN: 'http://loans.example' }, 'KIST_ORIGIN'],
    ['a document store without TLS', { KIST_S3_ENDPOINT: 'http://store.example:9000' }, 'KIST_S3_ENDPOINT'],
    ['one login for owning and serving', { DATABASE_OWNER_URL: 'postgres://kist_app:secret@db/kist' }, 'DATABASE_OWNER_URL'],
    ['test keys', { RAZORPAY_KEY_ID: 'rzp_test_abcdefghijkl12' }, 'RAZORPAY_KEY_ID'],
    ['a short key', { KIST_CODE_KEY: '9f2b7c04' }, 'KIST_CODE_KEY'],
    ['a key of one letter', { KIST_CODE_KEY: 'k'.repeat(32) }, 'KIST_CODE_KEY'],
    ['a key that is a word', { RAZORPAY_WEBHOOK_SECRET: 'my-webhook-secret-2026' }, 'RAZORPAY_WEBHOOK_SECRET'],
    ['a token key of another kind', { KIST_TOKEN_KEY_PEM: otherKey }, 'KIST_TOKEN_KEY_PEM'],
    [
      'an invalid token key',
      { KIST_TOKEN_KEY_PEM_PREVIOUS: '-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----' },
      'KIST_TOKEN_KEY_PEM_PREVIOUS',
    ],
    ['an access key to the bucket without its secret', { KIST_S3_ACCESS_KEY_ID: 'AKIA2XEXAMPLE' }, 'KIST_S3_ACCESS_KEY_ID'],
    ['a stop delay above the maximum', { KIST_STOP_DELAY_MS: '7000' }, 'KIST_STOP_DELAY_MS'],
    ['a carrier’s key that can be guessed', { MSG91_AUTH_KEY: 'changeme-changeme' }, 'MSG91_AUTH_KEY'],
    ['a provider’s secret that can be guessed', { RAZORPAY_KEY_SECRET: 'razorpay-password-1' }, 'RAZORPAY_KEY_SECRET'],
    ['a former webhook secret that can be guessed', { RAZORPAY_WEBHOOK_SECRET_PREVIOUS: 'default' }, 'RAZORPAY_WEBHOOK_SECRET_PREVIOUS'],
    ['an origin with a path', { KIST_ORIGIN: 'https://loans.example/portal' }, 'KIST_ORIGIN'],
  ])('A20, S18: refuse %s in production', (_name, change, setting) => {
    expect(faultsOf({ ...production, ...change })).toEqual([expect.stringContaining(setting)])
  })
  it('report everything that an empty production lacks at once', () => {
    const named = faultsOf({ ...demo, NODE_ENV: 'production' }).map((fault) => fault.split(' ')[0])
    const own = new Set<string>(Object.keys(production))
    for (const given of ['NODE_ENV', 'KIST_DATA_DIR']) own.delete(given)
    expect([...new Set(named)].sort()).toEqual([...own].sort())
    expect(named.length).toBe(own.size)
  })
  it('A20: production with demo values is refused with all faults at once', () => {
    expect(
      faultsOf({ ...demo, NODE_ENV: 'production', KIST_DEMO: 'true', KIST_LIMITS: 'demo', KIST_ORIGIN: 'http://localhost:3000' }).length,
    ).toBeGreaterThan(8)
  })
  it.each(['https://store.example', 'http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])(
    'accept the document store %s in production',
    (endpoint) => expect(faultsOf({ ...production, KIST_S3_ENDPOINT: endpoint })).toEqual([]),
  )
  it('accept fail-points only in tests, and only existing steps', () => {
    expect(readConfig({ ...demo, NODE_ENV: 'test', KIST_FAIL: 'intent_stored:exit,link_made:hold' }).failPoints.orders).not.toBeNull()
    expect(readConfig({ ...demo, NODE_ENV: 'test' }).failPoints.orders).toBeNull()
    expect(faultsOf({ ...demo, KIST_FAIL: 'none' })).toEqual([expect.stringContaining('KIST_FAIL is for tests only')])
    for (const orders of ['nowhere:exit', 'link_made:explode', 'link_made', 'link_made:delay=x'])
      expect(faultsOf({ ...demo, NODE_ENV: 'test', KIST_FAIL: orders })).toEqual([expect.stringContaining('KIST_FAIL has')])
  })
})
