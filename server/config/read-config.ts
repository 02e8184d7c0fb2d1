import { join, resolve } from 'node:path'
import type { PortalConfig } from '#contract/portal-config.ts'
import { buildAutopayConfig } from './autopay-config.ts'
import { deriveKey, buildSignInConfig } from './sign-in-config.ts'
import { readOrCreateDemoSecrets, type Secrets } from './demo-secrets.ts'
import { brandLogoPath, readBrand, selectSidebarColour, buildBrandStyle, type Brand } from './brand.ts'
import { demoRepaymentAccount } from './lender.ts'
import { parseClockShift } from './clock.ts'
import { findFailPointFault } from './fail-points.ts'
import { findProductionFaults, findMissingSignInTemplates, findServingFaults, razorpayHost } from './production.ts'
import { formerSettings, settings, testSettingNames, type Settings } from './settings.ts'
import { readSmsTemplates, type SmsTemplates } from './sms-templates.ts'
import type { Config, Msg91Options, StorageConfig } from './config.ts'

const msg91Host = 'https://control.msg91.com'
/**
 * Shorter than the time that a stop leaves for background work: a text under way is not sent again.
 */
const smsTimeoutMs = 7_000

/** The pause between the end of the countdown and the provider's page (specification). */
const redirectPauseMs = 500
/** The time in which a regulated lender must answer a complaint, before the Ombudsman takes it. */
const grievanceDays = 30
/** Requests without a session may use this share of the database connections: 4 of 20. */
const unauthenticatedShare = 1 / 5

/** The settings are invalid; `faults` lists every fault. */
export class ConfigError extends Error {
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super(`The settings are invalid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/**
 * Reads the settings.
 *
 * @param options.isServing true for a process that serves on a PostgreSQL of its settings
 * (main.ts), which must not know the login that owns the tables.
 * @throws ConfigError with every fault at once.
 */
export function readConfig(environment: NodeJS.ProcessEnv, { isServing = false } = {}): Config {
  const given = withoutEmpty(environment)
  const brand = readBrand(given['KIST_BRAND_DIR'])
  const { values, unparsable } = readValues(given)
  const production = values.NODE_ENV === 'production'
  const demo = isDemo(values, given)
  // A setting that cannot be parsed is not also reported as missing.
  const sms = readSmsTemplates(values)
  const faults = [
    ...brand.faults,
    ...findCombinedFaults(values, brand, production, demo),
    ...(isServing ? findServingFaults(values) : []),
    ...(values.NODE_ENV === 'test'
      ? []
      : testSettingNames.filter((name) => given[name] !== undefined).map((name) => `${name} is for tests only`)),
    ...Object.entries(formerSettings).flatMap(([name, instead]) =>
      given[name] === undefined ? [] : [`${name} is not a setting any more: ${instead}`],
    ),
    ...sms.faults,
    ...(production ? findMissingSignInTemplates(sms.templates) : []),
  ].filter((fault) => !unparsable.has(fault.split(' ')[0] ?? ''))
  if (unparsable.size + faults.length > 0) throw new ConfigError([...unparsable.values(), ...faults])
  return buildConfig({ values, production, demo, brand, smsTemplates: sms.templates })
}

/** An invalid DATABASE_URL is no demo either. */
const isDemo = ({ KIST_DEMO, NODE_ENV }: Settings, given: NodeJS.ProcessEnv): boolean =>
  KIST_DEMO ?? (given['DATABASE_URL'] === undefined && NODE_ENV !== 'production')

/** The part of the configuration that the portal's clock depends on. */
export type ClockConfig = Pick<Config, 'clock' | 'dataDirectory' | 'demo'> & { razorpay: Pick<Config['razorpay'], 'baseUrl'> }

/**
 * Reads the settings of the clock alone. Unlike {@link readConfig}, it creates no keys of the
 * demo.
 *
 * @throws ConfigError if the setting of the clock is invalid.
 */
export function readClockConfig(environment: NodeJS.ProcessEnv): ClockConfig {
  const given = withoutEmpty(environment)
  const { values } = readValues(given)
  const demo = isDemo(values, given)
  const faults = findClockFaults(values, demo)
  if (faults.length > 0) throw new ConfigError(faults)
  return {
    demo,
    clock: { shift: values.KIST_CLOCK },
    dataDirectory: resolve(values.KIST_DATA_DIR),
    razorpay: { baseUrl: readBaseUrl(values) },
  }
}

const readBaseUrl = ({ NODE_ENV, RAZORPAY_BASE_URL }: Settings): string | null =>
  RAZORPAY_BASE_URL ?? (NODE_ENV === 'production' ? razorpayHost : null)

type ValidSettings = { values: Settings; production: boolean; demo: boolean; brand: Brand; smsTemplates: SmsTemplates }

function buildConfig({ values, production, demo, brand, smsTemplates }: ValidSettings): Config {
  const dataDirectory = resolve(values.KIST_DATA_DIR)
  const secrets = readSecrets(values, demo, dataDirectory)
  return {
    production,
    demo,
    role: values.KIST_ROLE,
    stopDelayMs: values.KIST_STOP_DELAY_MS ?? (production ? 2_000 : 0),
    stopWithinMs: values.KIST_STOP_WITHIN_MS,
    host: values.HOST,
    port: values.PORT,
    origins: readOrigins(values),
    dataDirectory,
    database: buildDatabaseConfig(values, production),
    jobSignals: values.KIST_JOB_SIGNALS,
    sandboxPort: values.SANDBOX_PORT,
    razorpay: buildRazorpayConfig(values, production, secrets),
    signIn: buildSignInConfig(values, demo, secrets),
    sms: buildSmsConfig(values, brand),
    smsTemplates,
    http: {
      trustedProxies: splitList(values.KIST_TRUSTED_PROXIES).filter((proxy) => proxy !== 'none'),
      connectionsPerAddressMax: values.KIST_CONNECTIONS_PER_ADDRESS,
      headersTimeoutMs: values.KIST_HEADERS_TIMEOUT_MS,
      securityContact: brand.lender.security_contact,
    },
    load: buildLoadConfig(values),
    staff: {
      assumeProfile: values.KIST_ASSUME_PROFILE,
      maskPan: values.KIST_MASK_PAN,
      assumesPerHourAlert: values.KIST_ASSUMES_PER_HOUR_ALERT,
    },
    operations: { limits: values.KIST_OPERATIONS_LIMITS },
    payments: {
      sweepAfterSeconds: values.KIST_SWEEP_AFTER_SECONDS,
      sweepIntervalMs: values.KIST_SWEEP_INTERVAL_MS,
      inboxLeaseMs: values.KIST_INBOX_LEASE_MS,
      statusFreshMs: values.KIST_STATUS_FRESH_MS,
    },
    autopay: buildAutopayConfig(values, demo, brand),
    documents: buildDocumentsConfig(values, dataDirectory, secrets),
    retention: { accessDays: values.KIST_ACCESS_RETENTION_DAYS, noticeDays: values.KIST_NOTICE_RETENTION_DAYS },
    clock: { shift: values.KIST_CLOCK },
    failPoints: { orders: values.KIST_FAIL ?? null, directory: join(dataDirectory, 'fail-points') },
    logLevel: values.KIST_LOG_LEVEL,
    metrics: buildMetricsConfig(values),
    traces:
      values.KIST_TELEMETRY === 'true' && values.OTEL_EXPORTER_OTLP_ENDPOINT
        ? { url: values.OTEL_EXPORTER_OTLP_ENDPOINT, sharePercent: values.KIST_TRACE_SHARE_PERCENT }
        : null,
    operator: { phone: values.KIST_OPERATOR ?? null, reason: values.KIST_REASON ?? null },
    invariantsIntervalMs: values.KIST_INVARIANTS_INTERVAL_SECONDS * 1_000,
    brandLogo: brand.logo,
    brandIcons: brand.icons,
    brandSpine: selectSidebarColour(brand),
    brandStyle: brand.colours ? buildBrandStyle(brand.colours) : '',
    portal: buildPortalConfig(values, demo, brand),
  }
}

function buildDatabaseConfig(values: Settings, production: boolean): Config['database'] {
  return {
    url: values.DATABASE_URL ?? null,
    ownerUrl: values.DATABASE_OWNER_URL ?? (production ? null : (values.DATABASE_URL ?? null)),
    connectionsMax: values.KIST_DATABASE_CONNECTIONS,
    connectTimeoutMs: values.KIST_DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: values.KIST_DATABASE_STATEMENT_TIMEOUT_MS,
    isDistributed: values.KIST_CITUS === 'on',
  }
}

function buildRazorpayConfig(values: Settings, production: boolean, secrets: Secrets): Config['razorpay'] {
  return {
    baseUrl: readBaseUrl(values),
    keyId: values.RAZORPAY_KEY_ID ?? 'rzp_test_kist00000000',
    keySecret: values.RAZORPAY_KEY_SECRET ?? secrets.razorpayKeySecret,
    webhookSecrets: [
      values.RAZORPAY_WEBHOOK_SECRET ?? secrets.razorpayWebhookSecret,
      ...(values.RAZORPAY_WEBHOOK_SECRET_PREVIOUS ? [values.RAZORPAY_WEBHOOK_SECRET_PREVIOUS] : []),
    ],
    timeoutMs: values.RAZORPAY_TIMEOUT_MS,
  }
}

function buildLoadConfig(values: Settings): Config['load'] {
  return {
    connectionsMax: values.KIST_CONNECTIONS_MAX,
    runningMax: values.KIST_REQUESTS_MAX,
    unauthenticated: {
      runningMax: Math.max(1, Math.floor(values.KIST_DATABASE_CONNECTIONS * unauthenticatedShare)),
      waitingMax: values.KIST_UNAUTHENTICATED_WAITING,
      waitMsMax: values.KIST_UNAUTHENTICATED_WAIT_MS,
    },
    sessionWaitMsMax: values.KIST_SESSION_WAIT_MS,
    waitingMax: { critical: values.KIST_SHED_CRITICAL_AT, normal: values.KIST_SHED_NORMAL_AT, bulky: values.KIST_SHED_BULKY_AT },
  }
}

function buildDocumentsConfig(values: Settings, dataDirectory: string, secrets: Secrets): Config['documents'] {
  return {
    stagingDirectory: join(dataDirectory, 'staging'),
    fileBytesMax: values.KIST_UPLOAD_SIZE_MAX_BYTES,
    uploadTimeoutMs: values.KIST_UPLOAD_TIMEOUT_MS,
    examinationTimeoutMs: values.KIST_EXAMINATION_TIMEOUT_MS,
    quota: { countMax: values.KIST_DOCUMENTS_PER_LOAN, bytesMax: values.KIST_DOCUMENT_BYTES_PER_LOAN },
    clamd: values.KIST_CLAMD === 'none' ? null : (values.KIST_CLAMD ?? null),
    storage: buildStorageConfig(values, dataDirectory),
    sweepIntervalMs: values.KIST_STORAGE_SWEEP_INTERVAL_MS,
    orphanAgeMs: values.KIST_STORAGE_ORPHAN_SECONDS * 1_000,
    ticketKey: deriveKey(secrets.codeKey, 'document tickets'),
  }
}

function buildMetricsConfig({ KIST_METRICS_HOST: host, KIST_METRICS_PORT: port, KIST_METRICS_TOKEN: token }: Settings): Config['metrics'] {
  return port === undefined ? null : { host, port, token: token ?? null }
}

/** An empty variable counts as absent, as in shells and compose files. */
function withoutEmpty(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
}

/** The valid settings, and the faults of invalid ones by name. */
function readValues(given: NodeJS.ProcessEnv): { values: Settings; unparsable: ReadonlyMap<string, string> } {
  const parsed = settings.safeParse(given)
  if (parsed.success) return { values: parsed.data, unparsable: new Map() }
  const unparsable = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), `${path.join('.')} ${message}`]))
  return { values: settings.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !unparsable.has(name)))), unparsable }
}

function findClockFaults({ KIST_CLOCK, NODE_ENV }: Settings, demo: boolean): string[] {
  return [
    ...(!demo && KIST_CLOCK !== '+0s' && NODE_ENV !== 'test' ? ['KIST_CLOCK is for the demo and for tests only'] : []),
    ...(parseClockShift(KIST_CLOCK) === null ? ['KIST_CLOCK must be like +3d, -1h or an instant such as 2026-12-05T04:00:00Z'] : []),
  ]
}

/** Finds faults that concern several settings. */
function findCombinedFaults(values: Settings, brand: Brand, production: boolean, demo: boolean): string[] {
  const faults: string[] = []
  const require = (name: keyof Settings, why: string) => {
    if (values[name] === undefined) faults.push(`${name} is missing: ${why}`)
  }
  if (production) faults.push(...findProductionFaults(values, brand))
  faults.push(...findClockFaults(values, demo))
  if (values.KIST_FAIL !== undefined) {
    const fault = findFailPointFault(values.KIST_FAIL)
    if (fault !== null) faults.push(`KIST_FAIL has ${fault}, which is not a step with exit, throw, hold or delay=MS`)
  }
  if (!demo) {
    require('KIST_TOKEN_KEY_PEM', 'sessions are signed with it')
    require('KIST_CODE_KEY', 'one-time codes are hashed with it')
    require('RAZORPAY_KEY_ID', 'payments go through it')
    require('RAZORPAY_KEY_SECRET', 'payments go through it')
    require('RAZORPAY_WEBHOOK_SECRET', 'the provider signs its events with it')
  }
  if (values.KIST_TELEMETRY_URL !== '' && !/^https?:/.test(URL.parse(values.KIST_TELEMETRY_URL)?.protocol ?? ''))
    faults.push('KIST_TELEMETRY_URL must be an address such as https://telemetry.example/collect')
  if (
    !production &&
    values.RAZORPAY_KEY_ID?.startsWith('rzp_live_') &&
    values.RAZORPAY_BASE_URL &&
    values.RAZORPAY_BASE_URL !== razorpayHost
  )
    faults.push(`RAZORPAY_BASE_URL must be ${razorpayHost} with live keys`)
  if ((values.KIST_S3_ACCESS_KEY_ID === undefined) !== (values.KIST_S3_SECRET_ACCESS_KEY === undefined))
    faults.push('KIST_S3_ACCESS_KEY_ID and KIST_S3_SECRET_ACCESS_KEY go together')
  if (values.KIST_METRICS_PORT !== undefined) {
    if (!/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(values.KIST_METRICS_HOST))
      require('KIST_METRICS_TOKEN', 'KIST_METRICS_HOST is not only this machine, so requests for metrics must send it')
    if (values.KIST_METRICS_PORT !== 0 && values.KIST_METRICS_PORT === values.PORT)
      faults.push('KIST_METRICS_PORT must not be PORT: metrics are not public')
  }
  for (const origin of readOrigins(values))
    if (!isOrigin(origin)) faults.push(`KIST_ORIGIN has ${origin}, which is not an origin like https://loans.example`)
  return faults
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text)
}

const splitList = (text = ''): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

function readOrigins(values: Settings): string[] {
  const given = splitList(values.KIST_ORIGIN)
  return given.length > 0 ? given : [`http://localhost:${values.PORT}`]
}

/** Null for the outbox unless key, header and entity exist; production requires all three. */
function buildSmsConfig({ MSG91_AUTH_KEY: authKey }: Settings, { lender: { sms } }: Brand): Msg91Options | null {
  if (!authKey || !sms) return null
  return { authKey, sender: sms.header, dltEntityId: sms.entity_id, baseUrl: msg91Host, timeoutMs: smsTimeoutMs }
}

function readSecrets(values: Settings, demo: boolean, dataDirectory: string): Secrets {
  const generated = demo
    ? readOrCreateDemoSecrets(dataDirectory)
    : { tokenKeyPem: '', codeKey: '', razorpayKeySecret: '', razorpayWebhookSecret: '' }
  return {
    ...generated,
    tokenKeyPem: values.KIST_TOKEN_KEY_PEM ?? generated.tokenKeyPem,
    codeKey: values.KIST_CODE_KEY ?? generated.codeKey,
  }
}

function buildStorageConfig(values: Settings, dataDirectory: string): StorageConfig {
  const { KIST_S3_BUCKET: bucket, KIST_S3_ACCESS_KEY_ID: accessKeyId, KIST_S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (bucket === undefined)
    return { kind: 'disk', directory: join(dataDirectory, 'documents'), partialAgeMs: values.KIST_STORAGE_ORPHAN_SECONDS * 1_000 }
  return {
    kind: 's3',
    bucket,
    region: values.KIST_S3_REGION,
    endpoint: values.KIST_S3_ENDPOINT ?? null,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
  }
}

function buildPortalConfig(values: Settings, demo: boolean, { lender, logo }: Brand): PortalConfig {
  return {
    app_version: '0.0.1',
    brand: {
      name: lender.name,
      lender: lender.lender,
      lender_address: lender.lender_address,
      lender_gstin: lender.lender_gstin,
      privacy_url: lender.privacy_url,
      charges_url: lender.charges_url,
      accessibility_url: lender.accessibility_url,
      ...(logo !== null && { logo: brandLogoPath }),
    },
    default_language: lender.default_language,
    detect_language: lender.detect_language,
    // Razorpay is the only provider. `serve` adds the origins of its pages.
    use_razorpay: true,
    payment_origins: [],
    polling: {
      initial_delay_ms: values.KIST_POLL_INITIAL_DELAY_MS,
      interval_ms: values.KIST_POLL_INTERVAL_MS,
      overall_timeout_ms: values.KIST_POLL_TIMEOUT_MS,
      redirect_delay_ms: values.KIST_POLL_REDIRECT_DELAY_MS,
    },
    countdown: { seconds: values.KIST_REDIRECT_COUNTDOWN_SECONDS, pause_ms: redirectPauseMs },
    telemetry: { enabled: values.KIST_TELEMETRY, url: values.KIST_TELEMETRY_URL, anonymous: values.KIST_TELEMETRY_ANONYMOUS },
    repayment_account: lender.repayment_account ?? (demo ? demoRepaymentAccount : undefined),
    upload_size_max_bytes: values.KIST_UPLOAD_SIZE_MAX_BYTES,
    support: lender.support,
    grievance_officer: lender.grievance_officer,
    escalation: { url: lender.ombudsman_url, after_days: grievanceDays },
    assume_profile: values.KIST_ASSUME_PROFILE,
    demo,
  }
}
