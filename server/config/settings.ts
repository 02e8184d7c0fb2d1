import * as z from 'zod/mini'
import { demoLender } from './demo-lender.ts'

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
const flag = (value: boolean) =>
  z.prefault(
    z.pipe(
      z.enum(['true', 'false'], 'must be true or false'),
      z.transform((text) => text === 'true'),
    ),
    value ? 'true' : 'false',
  )
const optionalFlag = z.optional(
  z.pipe(
    z.enum(['true', 'false'], 'must be true or false'),
    z.transform((text) => text === 'true'),
  ),
)
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
/**
 * Some secret stores have no line breaks: there they are written as `
 * `.
 */
const pemKey = z.pipe(
  z.string().check(z.regex(/BEGIN PRIVATE KEY/, 'must be a PKCS 8 PEM of an Ed25519 key')),
  z.transform((pem) => pem.replaceAll('\\n', '\n')),
)
const text = (value: string) => z._default(z.string(), value)

/** Every setting with its environment name, allowed values and default. The README lists them. */
export const settings = z.object({
  NODE_ENV: z._default(z.enum(['development', 'test', 'production'], 'must be development, test or production'), 'development'),
  KIST_ROLE: z._default(z.enum(['web', 'worker', 'all'], 'must be web, worker or all'), 'all'),
  KIST_STOP_DELAY_MS: z.optional(numberBetween(0, 6_000)),
  HOST: text('127.0.0.1'),
  PORT: wholeNumber(0, 65_535, 3000),
  KIST_ORIGIN: z.optional(z.string()),
  KIST_DATA_DIR: text('./var'),
  KIST_WAL_ARCHIVE_DIR: z.optional(z.string()),
  KIST_DEMO: optionalFlag,
  KIST_CLOCK: text('+0s'),
  KIST_FAIL: z.optional(z.string()),
  KIST_LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'), 'info'),

  KIST_OPERATOR: z.optional(z.string().check(z.regex(/^(\+[0-9]{11,13}|[0-9]{10})$/, 'must be ten digits, or + with the country code'))),
  KIST_REASON: z.optional(
    z.string().check(z.minLength(3, 'must have 3 to 300 characters'), z.maxLength(300, 'must have 3 to 300 characters')),
  ),

  KIST_METRICS_PORT: optionalPort,
  KIST_METRICS_HOST: text('127.0.0.1'),
  KIST_METRICS_TOKEN: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  KIST_INVARIANTS_INTERVAL_SECONDS: wholeNumber(0, 604_800, 21_600),

  DATABASE_URL: z.optional(postgresUrl),
  DATABASE_OWNER_URL: z.optional(postgresUrl),
  KIST_DATABASE_CONNECTIONS: wholeNumber(2, 500, 20),
  KIST_DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(100, 60_000, 5_000),
  KIST_DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(100, 600_000, 15_000),

  KIST_LIMITS: z.optional(z.enum(['strict', 'demo', 'relaxed'], 'must be strict, demo or relaxed')),
  KIST_TOKEN_KEY_PEM: z.optional(pemKey),
  KIST_TOKEN_KEY_PEM_PREVIOUS: z.optional(pemKey),
  KIST_SMS_PER_MINUTE_MAX: wholeNumber(1, 1_000_000, 600),
  KIST_SMS_PER_DAY_MAX: wholeNumber(1, 100_000_000, 50_000),
  KIST_UNUSED_CODES_PER_DAY: wholeNumber(1, 100_000, 300),
  KIST_LOGIN_ANSWERS_IPV4: wholeNumber(1, 10_000, 10),
  KIST_LOGIN_ANSWERS_IPV4_24: wholeNumber(1, 10_000, 100),
  KIST_LOGIN_ANSWERS_IPV6_64: wholeNumber(1, 10_000, 10),
  KIST_LOGIN_ANSWERS_IPV6_56: wholeNumber(1, 10_000, 30),
  KIST_LOGIN_ANSWERS_IPV6_48: wholeNumber(1, 10_000, 100),
  KIST_SMS_TEMPLATE: text(
    '{code} is your {brand} sign-in code, valid for 5 minutes. Do not share it with anyone: we never ask for it.\\n\\n@{host} #{code}',
  ),
  KIST_SMS_TEMPLATES: z.optional(z.string()),
  MSG91_AUTH_KEY: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  MSG91_SENDER: z.optional(z.string().check(z.regex(/^[A-Za-z]{6}$/, 'must be the registered header of six letters'))),
  MSG91_DLT_TEMPLATE_ID: z.optional(z.string().check(z.regex(/^[0-9]{15,20}$/, 'must be the registered template’s number'))),
  MSG91_DLT_ENTITY_ID: z.optional(z.string().check(z.regex(/^[0-9]{15,20}$/, 'must be the registered entity’s number'))),
  MSG91_BASE_URL: z.optional(httpUrl),

  KIST_TRUSTED_PROXIES: text(''),
  KIST_CONNECTIONS_PER_ADDRESS: wholeNumber(0, 100_000, 2_000),
  KIST_HEADERS_TIMEOUT_MS: wholeNumber(100, 120_000, 10_000),
  KIST_CONNECTIONS_MAX: wholeNumber(10, 1_000_000, 10_000),
  KIST_REQUESTS_MAX: wholeNumber(1, 100_000, 1_000),
  KIST_UNAUTHENTICATED_RUNNING: wholeNumber(1, 1_000, 4),
  KIST_UNAUTHENTICATED_WAITING: wholeNumber(0, 100_000, 200),
  KIST_SHED_CRITICAL_AT: wholeNumber(1, 100_000, 400),
  KIST_SHED_NORMAL_AT: wholeNumber(1, 100_000, 24),
  KIST_SHED_BULKY_AT: wholeNumber(1, 100_000, 8),
  KIST_SECURITY_CONTACT: text(demoLender.KIST_SECURITY_CONTACT),
  KIST_ASSUME_PROFILE: z._default(z.enum(['act', 'view'], 'must be act or view'), 'act'),
  KIST_MASK_PAN: flag(false),
  KIST_ASSUMES_PER_HOUR_ALERT: wholeNumber(1, 10_000, 20),
  KIST_CODE_KEY: z.optional(z.string().check(z.minLength(32, 'must have at least 32 characters'))),

  SANDBOX_PORT: wholeNumber(0, 65_535, 4010),
  RAZORPAY_BASE_URL: z.optional(httpUrl),
  RAZORPAY_KEY_ID: z.optional(z.string().check(z.regex(/^rzp_(test|live)_[A-Za-z0-9]{12,14}$/, 'must look like rzp_test_… or rzp_live_…'))),
  RAZORPAY_KEY_SECRET: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  RAZORPAY_WEBHOOK_SECRET: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  RAZORPAY_WEBHOOK_SECRET_PREVIOUS: z.optional(z.string()),
  RAZORPAY_TIMEOUT_MS: wholeNumber(100, 60_000, 10_000),
  KIST_USE_RAZORPAY: flag(true),
  KIST_PAYMENT_ORIGINS: z.optional(z.string()),

  KIST_LINK_LIFETIME_MINUTES: wholeNumber(16, 1_440, 60),
  KIST_SWEEP_AFTER_SECONDS: wholeNumber(1, 86_400, 900),
  KIST_INBOX_LEASE_MS: wholeNumber(100, 60_000, 5_000),
  KIST_SWEEP_INTERVAL_MS: wholeNumber(50, 600_000, 5_000),
  KIST_JOB_SIGNALS: z._default(z.enum(jobSignals, 'must be all, process or none'), 'all'),
  KIST_STATUS_FRESH_MS: wholeNumber(0, 60_000, 2_000),

  KIST_BRAND_DIR: z.optional(z.string()),
  KIST_BRAND: text('Kist'),
  KIST_LENDER: text(demoLender.KIST_LENDER),
  KIST_LENDER_ADDRESS: text(demoLender.KIST_LENDER_ADDRESS),
  KIST_LENDER_GSTIN: z._default(
    z.string().check(z.regex(/^([0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][0-9A-Z]Z[0-9A-Z])?$/, 'must be a GSTIN of fifteen letters and digits')),
    '',
  ),
  KIST_DEFAULT_LANGUAGE: z._default(z.enum(['en', 'hi'], 'must be en or hi'), 'en'),
  KIST_DETECT_LANGUAGE: flag(true),
  KIST_POLL_INITIAL_DELAY_MS: wholeNumber(0, 600_000, 5_000),
  KIST_POLL_INTERVAL_MS: wholeNumber(100, 600_000, 3_000),
  KIST_POLL_TIMEOUT_MS: wholeNumber(1_000, 3_600_000, 90_000),
  KIST_POLL_REDIRECT_DELAY_MS: wholeNumber(0, 600_000, 3_000),
  KIST_REDIRECT_COUNTDOWN_SECONDS: wholeNumber(1, 60, 10),
  KIST_REDIRECT_PAUSE_MS: wholeNumber(0, 10_000, 500),
  KIST_TELEMETRY: text('false'),
  KIST_TELEMETRY_URL: text(''),
  KIST_TELEMETRY_ANONYMOUS: flag(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(httpUrl),
  KIST_TRACE_SHARE_PERCENT: wholeNumber(0, 100, 100),
  KIST_UPLOAD_SIZE_MAX_BYTES: wholeNumber(1_024, 104_857_600, 10_485_760),
  KIST_UPLOAD_TIMEOUT_MS: wholeNumber(100, 3_600_000, 120_000),
  KIST_DOCUMENTS_PER_LOAN: wholeNumber(1, 10_000, 50),
  KIST_DOCUMENT_BYTES_PER_LOAN: wholeNumber(1_024, 99_999_999_999, 209_715_200),
  KIST_CLAMD: z.optional(z.string().check(z.regex(/^(none|\/.+|[^/:]+:[0-9]{1,5})$/, 'must be host:port, the path of a socket, or none'))),
  KIST_S3_BUCKET: z.optional(z.string().check(z.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket'))),
  KIST_S3_REGION: text('ap-south-1'),
  KIST_S3_ENDPOINT: z.optional(httpUrl),
  KIST_S3_ACCESS_KEY_ID: z.optional(z.string()),
  KIST_S3_SECRET_ACCESS_KEY: z.optional(z.string()),
  KIST_ACCESS_RETENTION_DAYS: wholeNumber(180, 3_650, 365),
  KIST_NOTICE_RETENTION_DAYS: wholeNumber(90, 3_650, 730),
  KIST_STORAGE_SWEEP_INTERVAL_MS: wholeNumber(50, 86_400_000, 600_000),
  KIST_STORAGE_ORPHAN_SECONDS: wholeNumber(1, 604_800, 3_600),
  KIST_SUPPORT_PHONE: text(demoLender.KIST_SUPPORT_PHONE),
  KIST_SUPPORT_EMAIL: text(demoLender.KIST_SUPPORT_EMAIL),
  KIST_SUPPORT_HOURS: text('Mon–Sat, 9:00–18:00 IST'),
  KIST_GRIEVANCE_NAME: text(demoLender.KIST_GRIEVANCE_NAME),
  KIST_GRIEVANCE_PHONE: text(demoLender.KIST_GRIEVANCE_PHONE),
  KIST_GRIEVANCE_EMAIL: text(demoLender.KIST_GRIEVANCE_EMAIL),
  KIST_OMBUDSMAN_URL: z._default(z.union([httpUrl, z.literal('')]), 'https://cms.rbi.org.in'),
  KIST_GRIEVANCE_DAYS: wholeNumber(1, 90, 30),
})

export type Settings = z.output<typeof settings>
