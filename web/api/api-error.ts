import type { ErrorCode, Problem } from '#contract/errors.ts'

/** The error types of the failure panel (spec §4), without 'none'. */
export type FailureKind = 'unauthorized' | 'bad_request' | 'forbidden' | 'network_error' | 'server_error'

/** Why no answer came: the browser is offline, our own time limit, anything else (decision 43). */
export type NetworkReason = 'offline' | 'timeout' | 'failed'

/** The one way a call fails. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: FailureKind
  /** The HTTP status; null where no answer came. */
  readonly status: number | null
  /** The server's code, or null where it gave none that we know. */
  readonly code: ErrorCode | null
  readonly problem: Problem | null
  /** What the server says of it, in its own words (English); null where it says nothing. */
  readonly ownMessage: string | null
  readonly network: NetworkReason | null
  /** Seconds the server asks to wait, from Retry-After. */
  readonly retryAfterSeconds: number | null

  constructor(of: {
    kind: FailureKind
    status?: number
    problem?: Problem | null
    ownMessage?: string | null
    network?: NetworkReason
    retryAfterSeconds?: number | null
    cause?: unknown
  }) {
    super(of.problem?.code ?? of.network ?? of.kind, { cause: of.cause })
    this.kind = of.kind
    this.status = of.status ?? null
    this.code = of.problem?.code ?? null
    this.problem = of.problem ?? null
    this.ownMessage = of.ownMessage ?? null
    this.network = of.network ?? null
    this.retryAfterSeconds = of.retryAfterSeconds ?? null
  }
}

/** That nothing came from the server, for no reason but the connection. */
export const noConnection = (cause?: unknown): ApiError =>
  new ApiError({ kind: 'network_error', network: navigator.onLine ? 'failed' : 'offline', cause })

/** Whether the server may have done what was asked although no good answer came: sent again under the same key, it is done once. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.kind === 'network_error' || error.code === 'RequestInProgress') return true
  return error.kind === 'server_error' && error.code !== 'PaymentGatewayRefused'
}

/** Spec §8, 'HTTP status mapping'. */
export function failureKind(status: number): FailureKind {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  return status >= 400 && status < 500 ? 'bad_request' : 'server_error'
}

/** Of whatever was thrown; what is none of a call's failures is our own. */
export const failureKindOf = (error: unknown): FailureKind => (error instanceof ApiError ? error.kind : 'server_error')

/** Whether asking again can help: no answer, a bad one (spec §8), or one that was asked for too often. */
export function isWorthRetrying(error: unknown): boolean {
  const kind = failureKindOf(error)
  return kind === 'network_error' || kind === 'server_error' || (error instanceof ApiError && error.status === 429)
}
