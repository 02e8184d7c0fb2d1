import type { ExaminationOutcome } from './adapters/file-examiner/examiner-pool.ts'
import type { ProviderCall } from './adapters/payment-gateway/measure-gateway.ts'
import type { LoadClass } from './config/config.ts'

/**
 * The metrics of one server. Each server has its own, so that two servers in one process are not
 * added up.
 */
export type Metrics = {
  /**
   * Counts an answered request. `route` is the route pattern, not the address, to keep the number
   * of labels small. `seconds` is null of a request that was refused before anything was done.
   */
  requestEnded(request: { method: string; route: string | undefined; status: number; seconds: number | null }): void
  /** Counts a request that load shedding refused. */
  requestShed(loadClass: LoadClass): void
  /** Counts a call to the provider. */
  providerCalled(call: ProviderCall, outcome: string, seconds: number): void
  /** Counts the breaker's decision on a code to an unknown device. */
  signInCodeDecided(outcome: 'sent' | 'delayed' | 'refused'): void
  /** Counts the examination of an uploaded file. */
  fileExamined(outcome: ExaminationOutcome, seconds: number): void
  /** Counts a failed run of a background loop. */
  loopFailed(loop: string): void
  /** Sets the money figures; null if the database did not answer. */
  showFigures(figures: MoneyFigures | null): void
  /**
   * Sets the state of the sign-in breaker: codes to unknown devices that may be sent now, and how
   * many may stay unused a day; null if the database did not answer.
   */
  showBreaker(codes: { free: number; perDay: number } | null): void
  /** Renders all metrics in the Prometheus format. */
  text(): Promise<string>
  readonly contentType: string
}

/** Figures about money over the whole database at one moment, as plain numbers for graphs. */
export type MoneyFigures = {
  paymentLinksOpen: number
  capturesUnposted: number
  capturesUnpostedPaise: number
  captureOldestSeconds: number
  inboxOpen: number
  inboxOldestSeconds: number
  /** Refunds that the provider has not processed yet. */
  refundsOpen: number
  refundOldestSeconds: number
  /** Refunds that the provider refused. */
  refundsFailed: number
  /** Differences that need a review, by kind; none of a kind without any. */
  reviewsOpen: readonly { kind: string; count: number }[]
  /** As `kist jobs list` shows them: waiting, retrying, running or dead; dead also if 0. */
  jobs: readonly { queue: string; state: string; count: number }[]
  /** The end of the last successful run of each lease that had one. */
  leases: readonly { name: string; finishedAt: Date }[]
  /** The last check of the invariants; null before the first one. */
  invariants: { checkedAt: Date; broken: number } | null
  /** Why the last storage sweep removed nothing; null: it completed, or has not run yet. */
  storageSweepStopped: string | null
  /** Null where PostgreSQL does not archive its log. */
  logArchive: LogArchive | null
}

/** The archive of PostgreSQL's log. */
export type LogArchive = {
  /** The last attempt failed. */
  isFailing: boolean
  /** Since a segment was archived last, or since PostgreSQL started. */
  ageSeconds: number
}

/** The attributes of a span: names of objects and request ids, never personal data or content. */
type SpanAttributes = Record<string, string | number>

export type SpanKindName = 'server' | 'client' | 'internal'

/** The span of a request, the parent of other spans. */
export type RequestSpan = {
  /** Runs `work` with this span as the parent. */
  within<T>(work: () => T): T
  end(name: string, attributes: SpanAttributes, failed: boolean): void
}

/** Traces from the browser to the ledger. Costs nothing when tracing is off. */
export type Tracing = {
  /**
   * @param traceparent the caller's span (W3C Trace Context), so that browser and server share one
   * trace.
   */
  request(traceparent: string | undefined): RequestSpan
  /** Runs `work` in a new child span. */
  span<T>(name: string, kind: SpanKindName, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>
  /** Records a finished child of the current span; does nothing without a current span. */
  recordSpan(name: string, milliseconds: number, attributes: SpanAttributes, failed: boolean): void
  /** Sends pending spans. */
  close(): Promise<void>
}
