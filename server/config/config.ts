import type { PortalConfig } from '#contract/portal-config.ts'
import type { DocumentQuota } from '#domain/documents.ts'
import type { JobSignals } from './settings.ts'
import type { SignInConfig } from './sign-in-config.ts'
import type { SmsTemplates } from './sms-templates.ts'

/** Everything the settings decide. Read once at start; nothing else reads the environment. */
export type Config = {
  production: boolean
  demo: boolean
  role: 'web' | 'worker' | 'all'
  /**
   * How long a process that was told to stop goes on taking requests, so that balancers see first
   * that it is not ready.
   */
  stopDelayMs: number
  host: string
  port: number
  /** What a browser may have in its address bar; the first is the one to print. */
  origins: readonly string[]
  dataDirectory: string
  database: {
    /** Null: the embedded PostgreSQL. */
    url: string | null
    /**
     * The login that owns the tables. In production null but for the operator's tool; elsewhere
     * `url` where it is not set.
     */
    ownerUrl: string | null
    /** Where the embedded PostgreSQL keeps its log a second time; null: nowhere. */
    walArchiveDirectory: string | null
    connectionsMax: number
    connectTimeoutMs: number
    statementTimeoutMs: number
  }
  jobSignals: JobSignals
  sandboxPort: number
  razorpay: {
    /** Null: the sandbox. */
    baseUrl: string | null
    keyId: string
    keySecret: string
    /** The current one first; the previous is accepted while old events are still being retried. */
    webhookSecrets: readonly string[]
    timeoutMs: number
  }
  signIn: SignInConfig
  /** Null: the demo's outbox. */
  sms: Msg91Options | null
  /**
   * The text of every message, as registered with the carriers to the letter, and the template it
   * is registered as.
   */
  smsTemplates: SmsTemplates
  http: {
    /** Whose X-Forwarded-For is believed: addresses and networks. Nobody's by default. */
    trustedProxies: readonly string[]
    /** 0: as many as come. */
    connectionsPerAddressMax: number
    headersTimeoutMs: number
    securityContact: string
  }
  load: {
    connectionsMax: number
    /** Requests of the API under way in this process. */
    runningMax: number
    /** So many waiting for a connection to the database, and a request of the class is refused. */
    waitingMax: Record<LoadClass, number>
    /**
     * Requests without a session: so many work at once, at most a quarter of the database's
     * connections, and so many wait.
     */
    unauthenticated: { runningMax: number; waitingMax: number }
  }
  staff: { assumeProfile: 'act' | 'view'; maskPan: boolean; assumesPerHourAlert: number }
  payments: {
    linkLifetimeMinutes: number
    /**
     * How long a link is left to webhooks and the waiting page before the sweeper asks the provider
     * itself.
     */
    sweepAfterSeconds: number
    sweepIntervalMs: number
    /** How long the process that stored an event has it to itself. */
    inboxLeaseMs: number
    /** A status poll asks the provider when what is known is older than this. */
    statusFreshMs: number
  }
  documents: {
    stagingDirectory: string
    /** The largest file that may be uploaded. */
    fileBytesMax: number
    timeoutMs: number
    quota: DocumentQuota
    /**
     * `host:port` or the path of a socket; null: no virus scan, only the local twin, which
     * recognizes the EICAR test file.
     */
    clamd: string | null
    storage: StorageConfig
    sweepIntervalMs: number
    /**
     * An object that no row names is given up when it is so old: an upload under way is younger.
     */
    orphanAgeMs: number
    /** Signs the addresses of documents we write, and the codes printed in them. */
    ticketKey: string
  }
  /** After so many days it is removed (docs/privacy.md). */
  retention: { accessDays: number; noticeDays: number }
  clock: { shift: string }
  /** Where a test breaks this process on purpose; null everywhere else. */
  failPoints: { orders: string | null; directory: string }
  logLevel: string
  /** Null: what is counted is told to nobody. */
  metrics: { host: string; port: number; token: string | null } | null
  /** Where spans are sent; null unless telemetry is the text `true` and a collector is named. */
  traces: { url: string; sharePercent: number } | null
  /** How often a worker looks at all invariants; 0 leaves it to the operator. */
  invariantsIntervalMs: number
  /**
   * Who gives commands of the operator's tool, and why, unless a command says so itself. The server
   * does not use it.
   */
  operator: { phone: string | null; reason: string | null }
  /** The lender's logo, a file; null: the name is set in type. */
  brandLogo: string | null
  /** The folder of the lender's icons; null: Kist's. */
  brandIcons: string | null
  /** The colour of the browser's bar and of the installed portal's splash. */
  brandSpine: string
  /** The lender's own colours, as a stylesheet; empty: the kit's. */
  brandStyle: string
  portal: PortalConfig
}

/**
 * Which requests are served first under load. `critical`: sign-in, the provider's webhooks and
 * payment status; `bulky`: calls that cost most and can wait; `normal`: the rest.
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
      /** What a killed process left half-written is removed when it is so old. */
      partialAgeMs: number
    }
  | {
      kind: 's3'
      bucket: string
      region: string
      /** Null: Amazon's own of the region. */
      endpoint: string | null
      /** Null: what the machine itself is given. */
      credentials: { accessKeyId: string; secretAccessKey: string } | null
    }
