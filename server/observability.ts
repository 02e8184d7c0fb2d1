import type { ExaminationOutcome } from './adapters/file-examiner/examiner-pool.ts'
import type { ProviderCall } from './adapters/payment-gateway/measure-gateway.ts'
import type { LoadClass } from './config/config.ts'

/**
 * What can be counted of one server. Each server has its own, so that two in one process are not
 * added up.
 */
export type Metrics = {
  /**
   * One request was answered. `route` is the pattern of the address, never the address: its kinds
   * stay few.
   */
  requestEnded(request: { method: string; route: string | undefined; status: number; seconds: number }): void
  /** A request was refused because there was too much to do. */
  requestShed(loadClass: LoadClass): void
  /** The provider was called. */
  providerCalled(call: ProviderCall, outcome: string, seconds: number): void
  /** A code to an unknown device was asked for: what the breaker of sign-in said. */
  signInCodeDecided(outcome: 'sent' | 'delayed' | 'refused'): void
  /** An uploaded file was examined in a process of its own, or its examination was ended. */
  fileExamined(outcome: ExaminationOutcome, seconds: number): void
  /** A turn of a loop in the background failed. */
  loopFailed(loop: string): void
  /** How the money stands now; null where the database did not tell. */
  showFigures(figures: MoneyFigures | null): void
  /**
   * The breaker of sign-in: codes to unknown devices that may leave now, of so many that may stay
   * unused a day; null where the database did not tell.
   */
  showBreaker(codes: { free: number; perDay: number } | null): void
  /** Everything, as Prometheus reads it. */
  text(): Promise<string>
  readonly contentType: string
}

/**
 * How the money stands at one moment, over the whole database. Counts and ages in plain numbers:
 * they are for graphs.
 */
export type MoneyFigures = {
  paymentLinksOpen: number
  capturesUnposted: number
  capturesUnpostedPaise: number
  captureOldestSeconds: number
  inboxOpen: number
  inboxOldestSeconds: number
  /** Refunds that have not left yet. */
  refundsOpen: number
  refundOldestSeconds: number
  /** Refunds that the provider refused. */
  refundsFailed: number
  /** Differences that wait for a person. */
  reviewsOpen: number
  /** Jobs that wait, run or have failed for good; those that are done are not told. */
  jobs: readonly { queue: string; state: string; count: number }[]
  /** The last check of the invariants; null before the first. */
  invariants: { checkedAt: Date; broken: number } | null
  /** Why the last storage sweep removed nothing; null: it swept, or has not run yet. */
  storageSweepStopped: string | null
}

/**
 * What a span is told of. Never a person, a phone or what was sent: names of things, and
 * identifiers of requests.
 */
export type SpanFacts = Record<string, string | number>

export type SpanKindName = 'server' | 'client' | 'internal'

/** One request as a span that other spans stand below. */
export type RequestSpan = {
  /** Does `work` below this span, however long after. */
  within<T>(work: () => T): T
  end(name: string, facts: SpanFacts, failed: boolean): void
}

/**
 * Where time goes, from the browser's press to the ledger's lines. Costs nothing while nobody asked
 * for it.
 */
export type Tracing = {
  /**
   * @param traceparent the caller's own span (W3C Trace Context), so that the browser's and ours
   * make one trace.
   */
  request(traceparent: string | undefined): RequestSpan
  /** Does `work` as a span of its own, below the one it is called in. */
  span<T>(name: string, kind: SpanKindName, facts: SpanFacts, work: () => Promise<T>): Promise<T>
  /** Something below the current span that has just ended; outside of one it is not told. */
  ended(name: string, milliseconds: number, facts: SpanFacts, failed: boolean): void
  /** Sends what is not sent yet. */
  close(): Promise<void>
}
