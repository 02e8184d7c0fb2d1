import * as z from 'zod/mini'
import { apiPrefix, type Endpoint, type RequestOf, type ResponseOf } from '#contract/endpoint.ts'
import { readProblem } from '#contract/any-problem.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { ApiError, mapStatusToFailureKind, createConnectionError } from './api-error.ts'
import { nameRequest, takeEarlyAnswer } from './early-answers.ts'

const timeoutMs = 30_000
/** Files have up to 10 MB, and a slow phone receives 50 kB a second. */
export const fileTimeoutMs = 240_000
/**
 * With the two seconds that the server asks for, this is longer than the server's lease for a
 * request whose process died.
 */
const inProgressTriesMax = 8

type CallOptions = {
  signal?: AbortSignal
  /** Replaces the default of 30 s. */
  timeoutMs?: number
  /** Replaces the session's token, for the moment between two sessions. */
  token?: string
  /**
   * The call is part of a change of the session: it does not wait for the change, and the caller
   * handles a 401 itself.
   */
  changesSession?: boolean
  /** Identifies one intent: the server does it once, however often it is sent. */
  idempotencyKey?: string
}

/** Makes one call of the contract. Rejects with ApiError, or with the AbortError of `signal`. */
export async function call<E extends Endpoint>(target: E, request: RequestOf<E>, options: CallOptions = {}): Promise<ResponseOf<E>> {
  return (await decode(target, await sendUntilProcessed(target, request, options))) as ResponseOf<E>
}

/** As {@link call}, for an endpoint that responds with the bytes of a file. */
export async function callForFile<E extends Endpoint>(target: E, request: RequestOf<E>, options: CallOptions = {}): Promise<Blob> {
  const response = await sendRequest(target, request, options)
  try {
    return await response.blob()
  } catch (cause) {
    throw toNetworkError(cause)
  }
}

/**
 * While an earlier request with the same key is still running on any server, asks again for its
 * response.
 */
async function sendUntilProcessed(target: Endpoint, request: RequestOf<Endpoint>, options: CallOptions): Promise<Response> {
  for (let triesLeft = inProgressTriesMax; ; triesLeft -= 1)
    try {
      return await sendRequest(target, request, options)
    } catch (error) {
      if (triesLeft === 0 || !(error instanceof ApiError) || error.code !== 'RequestInProgress') throw error
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterSeconds ?? 1) * 1_000))
    }
}

/** Sends the request and turns every other response than a good one into an ApiError. */
async function sendRequest<E extends Endpoint>(target: E, request: RequestOf<E>, options: CallOptions): Promise<Response> {
  const { params, query, body } = request as { params?: unknown; query?: unknown; body?: unknown }
  const token = target.access === 'public' ? null : await chooseToken(options)
  // Signed out while the page was still shown: no request is needed to know the result.
  if (target.access !== 'public' && token === null) throw new ApiError({ kind: 'unauthorized' })
  const url = apiPrefix + buildPath(target, params) + buildSearch(target, query)
  const sentBody = target.body ? JSON.stringify(z.encode(target.body, body)) : null
  const init = {
    method: target.method,
    headers: {
      accept: target.answers === 'file' ? '*/*' : 'application/json',
      ...(sentBody !== null && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(getPortalConfig().telemetry.enabled === 'true' && { traceparent: createTraceparent() }),
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
    },
    body: sentBody,
    signal: createLimitedSignal(options.timeoutMs ?? timeoutMs, ...(options.signal ? [options.signal] : [])),
  }
  const response = await awaitResponse(takeEarlyAnswer(nameRequest(target.method, url, sentBody), token) ?? fetch(url, init))

  if (response.ok) return response
  if (response.status === 401 && !options.changesSession) reportRefusal(token)
  throw readErrorResponse(response.status, await response.json().catch(() => null), response.headers.get('retry-after'))
}

/** The token for a call: the given one, or the session's. */
async function chooseToken({ token, changesSession = false, signal }: CallOptions): Promise<string | null> {
  if (token !== undefined) return token
  return changesSession ? bearer.token : readToken(signal)
}

/**
 * The token for a new call. While the session is being changed the call waits, because its token
 * may be refused; what was pressed in one session is never sent in the next.
 */
export async function readToken(signal: AbortSignal | undefined): Promise<string | null> {
  const { token } = bearer
  while (bearer.change !== null) await Promise.allSettled([bearer.change])
  signal?.throwIfAborted()
  if (bearer.token !== token) throw new DOMException('The session has changed', 'AbortError')
  return token
}

/**
 * Opens the session-expired dialog for a 401; not for that of an earlier session, nor of one that
 * is being changed.
 */
export function reportRefusal(token: string | null): void {
  if (token !== null && token === bearer.token && bearer.change === null) bearer.onRefused()
}

/** The error of a response with an error status. */
export function readErrorResponse(status: number, json: unknown, retryAfter: string | null): ApiError {
  return new ApiError({
    kind: mapStatusToFailureKind(status),
    status,
    problem: readProblem(json),
    ownMessage: readOwnMessage(json),
    retryAfterSeconds: Number.parseInt(retryAfter ?? '', 10) || null,
  })
}

/** A longer text is a page, not a message. */
const ownMessageLengthMax = 500

/**
 * The message of an error response: `detail` of a problem document, or `message`, as other servers
 * name it.
 */
function readOwnMessage(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null
  const { detail, message } = json as { detail?: unknown; message?: unknown }
  const text = [detail, message].find((one) => typeof one === 'string' && one.trim() !== '')
  return typeof text === 'string' && text.length <= ownMessageLengthMax ? text.trim() : null
}

async function awaitResponse(answer: Promise<Response>): Promise<Response> {
  try {
    return await answer
  } catch (cause) {
    throw toNetworkError(cause)
  }
}

function toNetworkError(cause: unknown): unknown {
  const name = cause instanceof DOMException ? cause.name : ''
  if (name === 'AbortError') return cause
  return name === 'TimeoutError' ? new ApiError({ kind: 'network_error', network: 'timeout', cause }) : createConnectionError(cause)
}

async function decode(target: Endpoint, response: Response): Promise<unknown> {
  let json: unknown
  try {
    json = await response.json()
  } catch (cause) {
    // The connection can break after the headers.
    throw cause instanceof SyntaxError ? new ApiError({ kind: 'server_error', status: response.status, cause }) : toNetworkError(cause)
  }
  const read = z.safeDecode(target.response, nameList(target.response, json) as never)
  if (read.success) return read.data
  throw new ApiError({ kind: 'server_error', status: response.status, cause: read.error })
}

/**
 * The server may also send a list without an object around it (decision 1): it gets the name from
 * the contract.
 */
function nameList(schema: z.ZodMiniType, json: unknown): unknown {
  if (!Array.isArray(json)) return json
  const { shape } = schema._zod.def as { shape?: Record<string, z.ZodMiniType> }
  const list = Object.entries(shape ?? {}).find(([, field]) => field._zod.def.type === 'array')
  return list ? { [list[0]]: json } : json
}

function buildPath(target: Endpoint, params: unknown): string {
  if (!target.params) return target.path
  const values = z.encode(target.params, params) as Record<string, unknown>
  return target.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
}

function buildSearch(target: Endpoint, query: unknown): string {
  if (!target.query || query === undefined) return ''
  const values = Object.entries(z.encode(target.query, query) as Record<string, unknown>)
  const search = new URLSearchParams(values.filter(([, value]) => value !== undefined).map(([key, value]) => [key, String(value)]))
  return search.toString() === '' ? '' : `?${search}`
}

/**
 * The token of all calls, the change of the session that is under way, and the handler for a
 * refused token. web/session sets them; they are here so that this module does not depend on it.
 */
export const bearer: { token: string | null; change: Promise<void> | null; onRefused: () => void } = {
  token: null,
  change: null,
  onRefused: () => {},
}

/**
 * A signal that aborts after a time, with a TimeoutError, or with any of the given signals. The
 * fallback is for browsers without `AbortSignal.any`: Chrome before 116, Safari before 17.4.
 */
export function createLimitedSignal(timeoutMs: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const all = [AbortSignal.timeout(timeoutMs), ...signals]
  if ('any' in AbortSignal) return AbortSignal.any(all)
  const controller = new AbortController()
  for (const signal of all) {
    const follow = (): void => controller.abort(signal.reason)
    if (signal.aborted) follow()
    else signal.addEventListener('abort', follow, { once: true, signal: controller.signal })
  }
  return controller.signal
}

/**
 * Starts a trace with this call (W3C Trace Context), so that the server's spans have the browser's
 * trace id.
 */
const createTraceparent = (): string => `00-${createRandomHex(16)}-${createRandomHex(8)}-01`

/** Random bytes. `randomUUID` is missing on pages without TLS. */
export const createRandomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')
