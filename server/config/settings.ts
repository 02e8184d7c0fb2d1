import * as z from 'zod/mini'
import { rupeesToPaise, type Paise } from '#domain/money.ts'
import type { OperationKind } from '#domain/operations.ts'
import { findLimitsFault, findProxyFault } from './setting-faults.ts'

/**
 * Which workers are woken when a job is committed. `all`: those of this process and, by LISTEN and
 * NOTIFY, of others. `process`: only those of this process, for poolers in transaction mode and for
 * Citus. `none`: none; jobs are found by polling.
 */
const jobSignals = ['all', 'process', 'none'] as const
export type JobSignals = (typeof jobSignals)[number]

const numberBetween = (minimum: number, maximum: number) =>
  z
    .pipe(z.string().check(z.regex(/^[0-9]{1,12}$/, 'must be a whole number')), z.transform(Number))
    .check(z.refine((number: number) => number >= minimum && number <= maximum, `must be between ${minimum} and ${maximum}`))
const wholeNumber = (minimum: number, maximum: number, value: number) => z.prefault(numberBetween(minimum, maximum), String(value))
const optionalPort = z.optional(
  z
    .pipe(z.string().check(z.regex(/^[0-9]{1,5}$/, 'must be a port')), z.transform(Number))
    .check(z.refine((port: number) => port <= 65_535, 'must be a port')),
)
const trueOrFalse = z.pipe(
  z.enum(['true', 'false'], 'must be true or false'),
  z.transform((text) => text === 'true'),
)
const flag = (value: boolean) => z.prefault(trueOrFalse, value ? 'true' : 'false')
const optionalFlag = z.optional(trueOrFalse)
const text = (value: string) => z._default(z.string(), value)
/** A text that is checked by a function, which names the fault. */
const textWithout = (findFault: (given: string) => string | null) =>
  text('').check(z.refine((given) => findFault(given) === null, { error: ({ input }) => findFault(String(input)) ?? '' }))
const operationLimits = z.pipe(
  textWithout(findLimitsFault),
  z.transform(
    (limits) =>
      Object.fromEntries(
        limits
          .split(',')
          .filter((limit) => limit !== '')
          .map((limit) => limit.split('='))
          .map(([kind, rupees = '0']) => [kind, rupeesToPaise(rupees)]),
      ) as Partial<Record<OperationKind, Paise>>,
  ),
)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
// Some secret stores have no line breaks; they write `\n` instead.
const pemKey = z.pipe(
  z.string().check(z.regex(/BEGIN PRIVATE KEY/, 'must be a PKCS 8 PEM of an Ed25519 key')),
  z.transform((pem) => pem.replaceAll('\\n', '\n')),
)

const meanings = new Map<unknown, { text: string; whenAbsent?: string }>()
/**
 * Adds the description of a setting for docs/settings.md.
 *
 * @param whenAbsent describes a default that the schema does not show.
 */
function setting<S extends z.core.$ZodType>(schema: S, text: string, whenAbsent?: string): S {
  meanings.set(schema, { text, ...(whenAbsent !== undefined && { whenAbsent }) })
  return schema
}

/**
 * Every setting with its environment name, by subject. `npm run documents` generates
 * docs/settings.md from it.
 */
const settingGroups = {
  Process: {
    NODE_ENV: setting(
      z._default(z.enum(['development', 'test', 'production'], 'must be development, test or production'), 'development'),
      'development, test or production',
    ),
    KIST_ROLE: setting(
      z._default(z.enum(['web', 'worker', 'all'], 'must be web, worker or all'), 'all'),
      'web serves requests, worker does background work, all does both',
    ),
    HOST: setting(text('127.0.0.1'), 'address to listen on'),
    PORT: setting(wholeNumber(0, 65_535, 3000), 'port to listen on'),
    KIST_ORIGIN: setting(
      z.optional(z.string()),
      'origin that browsers show, several separated by commas; payments return only there',
      'http://localhost:$PORT',
    ),
    KIST_DATA_DIR: setting(text('./var'), 'embedded database, sandbox, outbox, staged uploads and the secrets of the demo'),
    KIST_STOP_DELAY_MS: setting(
      z.optional(numberBetween(0, 6_000)),
      'time between "not ready" and the last new connection, for the load balancer',
      '0, in production 2000',
    ),
    KIST_LOG_LEVEL: setting(
      z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'), 'info'),
      'debug, info, warn, error or silent',
    ),
    KIST_DEMO: setting(optionalFlag, 'demo town, generated secrets, softer limits; refused in production', 'true without DATABASE_URL'),
    KIST_CLOCK: setting(text('+0s'), 'shift of the clock, such as +3d or -1h, or an instant; demo and tests only'),
    KIST_INVARIANTS_INTERVAL_SECONDS: setting(
      wholeNumber(0, 604_800, 21_600),
      'time between two checks of all invariants by a worker; 0: never',
    ),
    KIST_METRICS_PORT: setting(optionalPort, 'port of /metrics for Prometheus; it must not be PORT', 'no metrics'),
    KIST_METRICS_HOST: setting(text('127.0.0.1'), 'address of /metrics'),
    KIST_METRICS_TOKEN: setting(
      z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
      'token that requests for /metrics must send; required if KIST_METRICS_HOST is not this machine',
    ),
  },
  Database: {
    DATABASE_URL: setting(z.optional(postgresUrl), 'PostgreSQL 15 or newer, the login that serves', 'embedded PostgreSQL'),
    DATABASE_OWNER_URL: setting(
      z.optional(postgresUrl),
      'the login that owns the tables, for `kist migrate`, `distribute`, `import`, `seed` and `person erase`; a serving process in production refuses it',
      'DATABASE_URL; none in production',
    ),
    KIST_CITUS: setting(
      z._default(z.enum(['on', 'off'], 'must be on or off'), 'off'),
      'on: the tables are distributed over several PostgreSQL servers by Citus (docs/scale.md)',
    ),
    KIST_DATABASE_CONNECTIONS: setting(wholeNumber(2, 500, 20), 'connections of one process'),
    KIST_DATABASE_CONNECT_TIMEOUT_MS: setting(
      wholeNumber(100, 60_000, 5_000),
      'limit for opening a connection; for the job queue at least 10 s',
    ),
    KIST_DATABASE_STATEMENT_TIMEOUT_MS: setting(wholeNumber(100, 600_000, 15_000), 'limit for one statement'),
    KIST_JOB_SIGNALS: setting(
      z._default(z.enum(jobSignals, 'must be all, process or none'), 'all'),
      'workers that are woken when a job is committed: all (other processes by LISTEN), process (for poolers and Citus), none (polling only)',
    ),
  },
  'Sign-in': {
    KIST_TOKEN_KEY_PEM: setting(z.optional(pemKey), 'Ed25519 key that signs sessions, PKCS 8 PEM', 'generated in the demo'),
    KIST_TOKEN_KEY_PEM_PREVIOUS: setting(z.optional(pemKey), 'the key before it, still accepted'),
    KIST_CODE_KEY: setting(
      z.optional(z.string().check(z.minLength(32, 'must have at least 32 characters'))),
      'secret for one-time codes and queued messages, at least 32 characters',
      'generated in the demo',
    ),
    KIST_LIMITS: setting(
      z.optional(z.enum(['strict', 'demo', 'relaxed'], 'must be strict, demo or relaxed')),
      'limits of sign-in, requests, generated documents and payment links: strict, demo or relaxed; production accepts strict only',
      'strict, in the demo demo',
    ),
    KIST_LOGIN_ANSWERS_IPV4: setting(
      wholeNumber(1, 10_000, 10),
      'answers of the login an hour to unknown devices of one IPv4 address, without a sign-in',
    ),
    KIST_LOGIN_ANSWERS_IPV4_24: setting(wholeNumber(1, 10_000, 100), 'the same for an IPv4 /24: the addresses of an office or a carrier'),
    KIST_LOGIN_ANSWERS_IPV6_64: setting(wholeNumber(1, 10_000, 10), 'the same for an IPv6 /64: one home or phone'),
    KIST_LOGIN_ANSWERS_IPV6_56: setting(wholeNumber(1, 10_000, 30), 'the same for an IPv6 /56'),
    KIST_LOGIN_ANSWERS_IPV6_48: setting(wholeNumber(1, 10_000, 100), 'the same for an IPv6 /48'),
    KIST_UNUSED_CODES_PER_DAY: setting(
      wholeNumber(1, 100_000, 300),
      'codes a day that unknown devices may leave unused, over the whole portal',
    ),
  },
  'Text messages': {
    KIST_SMS_PER_DAY_MAX: setting(
      wholeNumber(1, 100_000_000, 50_000),
      'one-time codes a day, over the whole portal; 1.2 % of it in one minute; texts of notices are not counted',
    ),
    KIST_SMS_TEMPLATES: setting(z.optional(z.string()), 'JSON file with the DLT template of each message and language'),
    MSG91_AUTH_KEY: setting(
      z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
      'key of the carrier MSG91',
      'messages go to the outbox',
    ),
    MSG91_DLT_TEMPLATE_ID: setting(
      z.optional(z.string().check(z.regex(/^[0-9]{15,20}$/, 'must be the registered template’s number'))),
      'template of the sign-in code if KIST_SMS_TEMPLATES has none',
    ),
  },
  Staff: {
    KIST_ASSUME_PROFILE: setting(
      z._default(z.enum(['act', 'view'], 'must be act or view'), 'act'),
      'act or view: what staff may do as a borrower',
    ),
    KIST_MASK_PAN: setting(
      flag(false),
      'masks the PAN in lists and profiles of borrowers and in operations; a search finds it only as a whole',
    ),
    KIST_OPERATIONS_LIMITS: setting(
      operationLimits,
      'rupees below which one person suffices on a loan in a day, by kind of operation that has an amount, such as charge_waive=500,charge_add=1000',
      'none: a second person approves every operation',
    ),
    KIST_OPERATOR: setting(
      z.optional(z.string().check(z.regex(/^(\+[0-9]{11,13}|[0-9]{10})$/, 'must be ten digits, or + with the country code'))),
      'phone of the staff member who runs `kist`, unless --as names one',
    ),
    KIST_REASON: setting(
      z.optional(z.string().check(z.minLength(3, 'must have 3 to 300 characters'), z.maxLength(300, 'must have 3 to 300 characters'))),
      'reason for a command of `kist`, unless --reason gives one',
    ),
  },
  'Network and load': {
    KIST_TRUSTED_PROXIES: setting(
      textWithout(findProxyFault),
      'addresses and networks whose X-Forwarded-For counts, or none; required in production',
      'none',
    ),
    KIST_HEADERS_TIMEOUT_MS: setting(wholeNumber(100, 120_000, 10_000), 'limit for the headers of a request'),
    KIST_UPLOAD_TIMEOUT_MS: setting(wholeNumber(100, 3_600_000, 120_000), 'limit for the upload of one file'),
  },
  Payments: {
    RAZORPAY_BASE_URL: setting(z.optional(httpUrl), 'address of the provider', 'the sandbox; in production https://api.razorpay.com'),
    RAZORPAY_KEY_ID: setting(
      z.optional(z.string().check(z.regex(/^rzp_(test|live)_[A-Za-z0-9]{12,14}$/, 'must look like rzp_test_… or rzp_live_…'))),
      'key of the provider account',
      'the sandbox’s',
    ),
    RAZORPAY_KEY_SECRET: setting(
      z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
      'secret of that key',
      'generated in the demo',
    ),
    RAZORPAY_WEBHOOK_SECRET: setting(
      z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
      'secret that signs webhooks',
      'generated in the demo',
    ),
    RAZORPAY_WEBHOOK_SECRET_PREVIOUS: setting(z.optional(z.string()), 'the secret before it, accepted while old events are retried'),
    RAZORPAY_TIMEOUT_MS: setting(wholeNumber(100, 60_000, 10_000), 'limit for one call of the provider'),
    SANDBOX_PORT: setting(wholeNumber(0, 65_535, 4010), 'port of the sandbox, which runs if RAZORPAY_BASE_URL is not set'),
    KIST_SWEEP_AFTER_SECONDS: setting(wholeNumber(1, 86_400, 900), 'time until the first check of a link without a report'),
    KIST_SWEEP_INTERVAL_MS: setting(wholeNumber(50, 600_000, 5_000), 'time between two looks for background work'),
    KIST_INBOX_LEASE_MS: setting(wholeNumber(100, 60_000, 5_000), 'time for which a stored event belongs to the process that stored it'),
    KIST_STATUS_FRESH_MS: setting(wholeNumber(0, 60_000, 2_000), 'age up to which a stored status is answered without asking the provider'),
  },
  Autopay: {
    KIST_AUTOPAY_METHODS: setting(
      z.optional(z.string().check(z.regex(/^((upi|emandate)(,(upi|emandate))?)?$/, 'must be upi, emandate, or both separated by a comma'))),
      'how instalments may be debited: upi, emandate, or both; the account at the provider must have recurring payments',
      'none: autopay is not offered; in the demo upi,emandate',
    ),
    KIST_AUTOPAY_ORDER_TOKEN: setting(flag(false), 'whether the order of a debit names the mandate at its top level too'),
  },
  'Web app': {
    KIST_POLL_INITIAL_DELAY_MS: setting(wholeNumber(0, 600_000, 5_000), 'waiting page: time before the first poll'),
    KIST_POLL_INTERVAL_MS: setting(wholeNumber(100, 600_000, 3_000), 'waiting page: time between two polls'),
    KIST_POLL_TIMEOUT_MS: setting(wholeNumber(1_000, 3_600_000, 90_000), 'waiting page: time until it gives up'),
    KIST_POLL_REDIRECT_DELAY_MS: setting(wholeNumber(0, 600_000, 3_000), 'waiting page: time before it leaves after a result'),
    KIST_TELEMETRY: setting(text('false'), 'telemetry of browser and server; on with the text true only'),
    KIST_TELEMETRY_URL: setting(text(''), 'collector for browsers'),
    KIST_TELEMETRY_ANONYMOUS: setting(flag(false), 'whether browsers leave out name and e-mail'),
    OTEL_EXPORTER_OTLP_ENDPOINT: setting(z.optional(httpUrl), 'collector for the server’s spans, OTLP as JSON over HTTP'),
    KIST_TRACE_SHARE_PERCENT: setting(wholeNumber(0, 100, 100), 'share of the traces that is sent'),
  },
  'Documents and retention': {
    KIST_CLAMD: setting(
      z.optional(z.string().check(z.regex(/^(none|\/.+|[^/:]+:[0-9]{1,5})$/, 'must be host:port, the path of a socket, or none'))),
      'host:port or socket of ClamAV’s daemon, or none: no virus scan; required in production',
      'a local stand-in',
    ),
    KIST_S3_BUCKET: setting(
      z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'))),
      'bucket for documents',
      'the data directory',
    ),
    KIST_S3_REGION: setting(text('ap-south-1'), 'region of the bucket'),
    KIST_S3_ENDPOINT: setting(z.optional(httpUrl), 'endpoint of another S3 service, https in production'),
    KIST_S3_ACCESS_KEY_ID: setting(z.optional(z.string()), 'access key', 'the machine’s own credentials'),
    KIST_S3_SECRET_ACCESS_KEY: setting(z.optional(z.string()), 'secret of that key'),
    KIST_ACCESS_RETENTION_DAYS: setting(wholeNumber(180, 3_650, 365), 'days that sessions and events are kept'),
    KIST_NOTICE_RETENTION_DAYS: setting(wholeNumber(90, 3_650, 730), 'days that notices are kept'),
  },
  Lender: {
    KIST_BRAND_DIR: setting(
      z.optional(z.string()),
      'folder with the lender’s words, colours, logo, icons and bank holidays (branding.md); required in production',
      'Kist and the demo lender',
    ),
  },
}

/** Limits that only tests change: their environment names are refused unless NODE_ENV is test. */
const testSettings = {
  // Time after SIGTERM within which a process has ended; an orchestrator kills it later.
  KIST_STOP_WITHIN_MS: wholeNumber(1_000, 600_000, 10_000),
  KIST_CONNECTIONS_PER_ADDRESS: wholeNumber(0, 100_000, 2_000),
  KIST_CONNECTIONS_MAX: wholeNumber(10, 1_000_000, 10_000),
  KIST_REQUESTS_MAX: wholeNumber(1, 100_000, 1_000),
  KIST_UNAUTHENTICATED_WAITING: wholeNumber(0, 100_000, 200),
  KIST_UNAUTHENTICATED_WAIT_MS: wholeNumber(1, 600_000, 10_000),
  KIST_SESSION_WAIT_MS: wholeNumber(1, 600_000, 5_000),
  KIST_SHED_CRITICAL_AT: wholeNumber(1, 100_000, 400),
  KIST_SHED_NORMAL_AT: wholeNumber(1, 100_000, 24),
  KIST_SHED_BULKY_AT: wholeNumber(1, 100_000, 8),
  // Assumed sessions of one staff member an hour, above which an alert is logged.
  KIST_ASSUMES_PER_HOUR_ALERT: wholeNumber(1, 10_000, 20),
  // Seconds before the provider's page opens (specification: 10).
  KIST_REDIRECT_COUNTDOWN_SECONDS: wholeNumber(1, 60, 10),
  // The largest upload, 10 MB, which the screens name; the uploads for one loan and their bytes.
  KIST_UPLOAD_SIZE_MAX_BYTES: wholeNumber(1_024, 104_857_600, 10_485_760),
  KIST_DOCUMENTS_PER_LOAN: wholeNumber(1, 10_000, 50),
  KIST_DOCUMENT_BYTES_PER_LOAN: wholeNumber(1_024, 99_999_999_999, 209_715_200),
  // Time for the examination of one uploaded file; a file that takes longer is refused.
  KIST_EXAMINATION_TIMEOUT_MS: wholeNumber(1, 600_000, 5_000),
  KIST_STORAGE_SWEEP_INTERVAL_MS: wholeNumber(50, 86_400_000, 600_000),
  KIST_STORAGE_ORPHAN_SECONDS: wholeNumber(1, 604_800, 3_600),
  KIST_FAIL: z.optional(z.string()),
}
export const testSettingNames: readonly string[] = Object.keys(testSettings)

/**
 * Former settings, and what replaces them. A start refuses them: an ignored one could send
 * unregistered text messages.
 */
export const formerSettings: Readonly<Record<string, string>> = {
  KIST_SMS_PER_MINUTE_MAX: 'it follows from KIST_SMS_PER_DAY_MAX',
  KIST_SMS_TEMPLATE: 'the file of KIST_SMS_TEMPLATES has the text of sign_in_code',
  MSG91_SENDER: 'brand.json has it as sms.header',
  MSG91_DLT_ENTITY_ID: 'brand.json has it as sms.entity_id',
  KIST_AUTOPAY_UPI_DEBIT_MAX: 'it is the 15,000 rupees of the Reserve Bank',
  KIST_AUTOPAY_UPI_MANDATE_MAX: 'brand.json has it as upi_mandate_max',
  KIST_BANK_HOLIDAYS: 'the folder of KIST_BRAND_DIR has bank-holidays.json',
}

export const settings = z.object({
  ...settingGroups.Process,
  ...settingGroups.Database,
  ...settingGroups['Sign-in'],
  ...settingGroups['Text messages'],
  ...settingGroups.Staff,
  ...settingGroups['Network and load'],
  ...settingGroups.Payments,
  ...settingGroups.Autopay,
  ...settingGroups['Web app'],
  ...settingGroups['Documents and retention'],
  ...settingGroups.Lender,
  ...testSettings,
})

export type Settings = z.output<typeof settings>

/** The rows of docs/settings.md: a group's title and its settings with default and meaning. */
export function describeSettings(): { title: string; rows: { name: string; whenAbsent: string; meaning: string }[] }[] {
  const defaults: Record<string, unknown> = settings.parse({})
  return Object.entries(settingGroups).map(([title, group]) => ({
    title,
    rows: Object.entries(group).map(([name, schema]) => {
      const { text: meaning, whenAbsent } = meanings.get(schema) ?? { text: '' }
      return { name, whenAbsent: whenAbsent ?? String(defaults[name] ?? ''), meaning }
    }),
  }))
}
