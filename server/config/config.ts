import type { PortalConfig } from '#contract/portal-config.ts'
import type { AutopayRules } from '#domain/autopay.ts'
import type { Holidays } from '#domain/autopay-times.ts'
import type { DocumentQuota } from '#domain/documents.ts'
import type { Paise } from '#domain/money.ts'
import type { OperationKind } from '#domain/operations.ts'
import type { JobSignals } from './settings.ts'
import type { SignInConfig } from './sign-in-config.ts'
import type { SmsTemplates } from './sms-templates.ts'

/** The configuration. Read once at start; nothing else reads the environment. */
export type Config = {
  production: boolean
  demo: boolean
  role: 'web' | 'worker' | 'all'
  /**
   * How long a stopping process keeps accepting requests, so that load balancers first see that it
   * is not ready.
   */
  stopDelayMs: number
  /** A process ends within this time after it was told to stop. */
  stopWithinMs: number
  host: string
  port: number
  /** The origins of the portal; the first one is printed. */
  origins: readonly string[]
  dataDirectory: string
  database: {
    /** Null: the embedded PostgreSQL. */
    url: string | null
    /**
     * The login that owns the tables. In production only the operator's tool has it; elsewhere it
     * defaults to `url`.
     */
    ownerUrl: string | null
    connectionsMax: number
    connectTimeoutMs: number
    statementTimeoutMs: number
    /** Whether the tables are distributed by Citus. */
    isDistributed: boolean
  }
  jobSignals: JobSignals
  sandboxPort: number
  razorpay: {
    /** Null: the sandbox. */
    baseUrl: string | null
    keyId: string
    keySecret: string
    /**
     * The current secret first. The previous one is accepted while the provider retries old events.
     */
    webhookSecrets: readonly string[]
    timeoutMs: number
  }
  signIn: SignInConfig
  /** Null: the demo's outbox. */
  sms: Msg91Options | null
  /** The text of every message exactly as registered with the carriers, and its template id. */
  smsTemplates: SmsTemplates
  http: {
    /** The addresses and networks whose X-Forwarded-For is trusted; none by default. */
    trustedProxies: readonly string[]
    /** 0: no limit. */
    connectionsPerAddressMax: number
    headersTimeoutMs: number
    securityContact: string
  }
  load: {
    connectionsMax: number
    /** The maximum of running API requests in this process. */
    runningMax: number
    /** A request of a class is refused when this many callers wait for a database connection. */
    waitingMax: Record<LoadClass, number>
    /**
     * Requests without a session: the maximum running (a fifth of the database connections) and
     * waiting, and how long one waits.
     */
    unauthenticated: { runningMax: number; waitingMax: number; waitMsMax: number }
    /** How long a request waits for a slot of its session, or without a session of its network. */
    sessionWaitMsMax: number
  }
  staff: { assumeProfile: 'act' | 'view'; maskPan: boolean; assumesPerHourAlert: number }
  operations: {
    /** The amounts below which one person suffices, by kind. */
    limits: Partial<Record<OperationKind, Paise>>
  }
  payments: {
    /** How long the sweeper leaves a link to webhooks and the waiting page before it fetches it. */
    sweepAfterSeconds: number
    sweepIntervalMs: number
    /** How long only the process that stored an event may process it. */
    inboxLeaseMs: number
    /** A status poll fetches the link from the provider if the stored state is older than this. */
    statusFreshMs: number
  }
  autopay: {
    rules: AutopayRules
    /** For borrowers without an e-mail address; the provider demands one. */
    email: string
    /** Whether the order of a debit names the mandate beside its notification. */
    namesTokenInOrders: boolean
    holidays: Holidays
  }
  documents: {
    stagingDirectory: string
    /** The largest file that may be uploaded. */
    fileBytesMax: number
    uploadTimeoutMs: number
    /** The time for the examination of one file. */
    examinationTimeoutMs: number
    quota: DocumentQuota
    /**
     * `host:port` or the path of a socket; null: no virus scan, only detection of the EICAR test
     * file.
     */
    clamd: string | null
    storage: StorageConfig
    sweepIntervalMs: number
    /**
     * An object without a row is removed after this age; younger ones may belong to a running
     * upload.
     */
    orphanAgeMs: number
    /** Signs the addresses and verification codes of generated documents. */
    ticketKey: string
  }
  /** Retention periods (docs/privacy.md). */
  retention: { accessDays: number; noticeDays: number }
  clock: { shift: string }
  /** Fail-points for tests; null otherwise. */
  failPoints: { orders: string | null; directory: string }
  logLevel: string
  /** Null: metrics are disabled. */
  metrics: { host: string; port: number; token: string | null } | null
  /**
   * Where spans are sent; null unless telemetry is the text `true` and a collector is configured.
   */
  traces: { url: string; sharePercent: number } | null
  /** How often a worker checks all invariants; 0: only the operator does. */
  invariantsIntervalMs: number
  /** The default operator and reason of the operator's tool. The server does not use it. */
  operator: { phone: string | null; reason: string | null }
  /** The file of the lender's logo; null: the name is shown as text. */
  brandLogo: string | null
  /** The folder of the lender's icons; null: Kist's icons. */
  brandIcons: string | null
  /** The colour of the browser's toolbar and the splash screen. */
  brandSpine: string
  /** The lender's colours as a stylesheet; empty: the default colours. */
  brandStyle: string
  portal: PortalConfig
}

/**
 * The priority of requests under load. `critical`: sign-in, the provider's webhooks and payment
 * status; `bulky`: expensive calls that can wait; `normal`: the rest.
 */
export type LoadClass = 'critical' | 'normal' | 'bulky'

/** The account at the carrier MSG91. */
export type Msg91Options = {
  baseUrl: string
  authKey: string
  /** The registered header, six letters. */
  sender: string
  /** The registered entity (TRAI DLT) that owns the header and the templates. */
  dltEntityId: string
  timeoutMs: number
}

/** Where documents are stored. */
export type StorageConfig =
  | {
      kind: 'disk'
      directory: string
      /** Incomplete files of a killed process are removed after this age. */
      partialAgeMs: number
    }
  | {
      kind: 's3'
      bucket: string
      region: string
      /** Null: Amazon's endpoint of the region. */
      endpoint: string | null
      /** Null: the credentials of the machine. */
      credentials: { accessKeyId: string; secretAccessKey: string } | null
    }
