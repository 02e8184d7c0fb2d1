/** What a span is told of. Never a person, a phone or what was sent: names of things, and identifiers of requests. */
export type SpanFacts = Record<string, string | number>

export type SpanKindName = 'server' | 'client' | 'internal'

/** One request as a span that other spans stand below. */
export type RequestSpan = {
  /** Does `work` below this span, however long after. */
  within<T>(work: () => T): T
  end(name: string, facts: SpanFacts, failed: boolean): void
}

/** Where time goes, from the browser's press to the ledger's lines. Costs nothing while nobody asked for it. */
export type Tracing = {
  /** @param traceparent the caller's own span (W3C Trace Context), so that the browser's and ours make one trace. */
  request(traceparent: string | undefined): RequestSpan
  /** Does `work` as a span of its own, below the one it is called in. */
  span<T>(name: string, kind: SpanKindName, facts: SpanFacts, work: () => Promise<T>): Promise<T>
  /** Something below the current span that has just ended; outside of one it is not told. */
  ended(name: string, milliseconds: number, facts: SpanFacts, failed: boolean): void
  /** Sends what is not sent yet. */
  close(): Promise<void>
}

const untold: RequestSpan = { within: (work) => work(), end: () => {} }

/** While tracing is off. */
export const noTracing: Tracing = {
  request: () => untold,
  span: (_name, _kind, _facts, work) => work(),
  ended: () => {},
  close: () => Promise.resolve(),
}
