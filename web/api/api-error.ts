import type { ErrorCode } from '#contract/errors.ts'
import type { Problem } from '#contract/problem.ts'

/** The error types of the failure panel (spec §4), without 'none'. */
export type FailureKind = 'unauthorized' | 'bad_request' | 'forbidden' | 'network_error' | 'server_error'

/**
 * Why no response arrived: no connection, our timeout, or another reason (decision
 * 43).
 */
type NetworkReason = 'offline' | 'timeout' | 'failed'

/** The only error that a call rejects with, besides AbortError. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly kind: FailureKind
  /** The HTTP status; null without a response. */
  readonly status: number | null
  /** The server's code; null if it is missing. A newer server can send one that we do not know. */
  readonly code: ErrorCode | null
  readonly problem: Problem | null
  /** The server's own message in English; null if it sent none. */
  readonly ownMessage: string | null
  readonly network: NetworkReason | null
  /** Seconds that the server asks to wait (Retry-After). */
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

/** What a call has thrown: anything but an ApiError is an error of our own code. */
export const asApiError = (cause: unknown): ApiError => (cause instanceof ApiError ? cause : new ApiError({ kind: 'server_error', cause }))

/** The error for a request that failed because of the connection. */
export const createConnectionError = (cause?: unknown): ApiError =>
  new ApiError({ kind: 'network_error', network: navigator.onLine ? 'failed' : 'offline', cause })

/** Spec §8, 'HTTP status mapping'. */
export function mapStatusToFailureKind(status: number): FailureKind {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  return status >= 400 && status < 500 ? 'bad_request' : 'server_error'
}

/** Anything else that was thrown is an error of our own code. */
export const getFailureKind = (error: unknown): FailureKind => (error instanceof ApiError ? error.kind : 'server_error')

/** Whether a retry can help: no response, a server error (spec §8), or too many requests. */
export function isWorthRetrying(error: unknown): boolean {
  const kind = getFailureKind(error)
  return kind === 'network_error' || kind === 'server_error' || (error instanceof ApiError && error.status === 429)
}
