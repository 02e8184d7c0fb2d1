import type { AxiosInstance } from 'axios'
import Razorpay from 'razorpay'
import type { Absent, Unknown } from './payment-gateway.ts'

export type RazorpaySettings = { baseUrl: string; keyId: string; keySecret: string; timeoutMs: number }

/** The SDK's rejection. Status 0 means that no answer came. */
export type RazorpayRejection = { statusCode: number; error?: { code?: string; description?: string; reason?: string } }

const sdkBaseUrl = 'https://api.razorpay.com'

/**
 * Creates the official SDK with our base address and the limits it lacks: a timeout, no redirects,
 * no proxy, and a rejection with status 0 when no answer came, which the SDK itself fails on.
 *
 * @throws Error if live keys would go to another host than the provider's, whatever the settings
 * allow.
 * @throws Error if the SDK's internals differ from the pinned version.
 */
export function createRazorpayClient({ baseUrl, keyId, keySecret, timeoutMs }: RazorpaySettings): Razorpay {
  if (keyId.startsWith('rzp_live_') && baseUrl !== sdkBaseUrl)
    throw new Error(`Live keys may only be sent to ${sdkBaseUrl}, not to ${baseUrl}.`)
  const client = new Razorpay({ key_id: keyId, key_secret: keySecret })
  const http = (client.api as unknown as { rq: AxiosInstance | undefined }).rq
  if (http?.defaults.baseURL !== sdkBaseUrl) throw new Error('The razorpay SDK differs from the version that its adapter supports.')
  http.defaults.baseURL = baseUrl
  http.defaults.timeout = timeoutMs
  http.defaults.maxRedirects = 0
  http.defaults.proxy = false
  http.defaults.maxContentLength = 1024 * 1024
  http.interceptors.response.use(undefined, (error: { response?: unknown; code?: string; message?: string }) => {
    error.response ??= { status: 0, data: { error: { code: 'NETWORK_ERROR', reason: error.code, description: error.message } } }
    return Promise.reject(error)
  })
  return client
}

/**
 * Posts to the provider without the SDK, which cannot set headers; a refund needs its idempotency
 * key in one. Uses the HTTP client of {@link createRazorpayClient} and rejects with a {@link
 * RazorpayRejection}.
 */
export async function post(client: Razorpay, path: string, body: object, headers: Record<string, string>): Promise<unknown> {
  const http = (client.api as unknown as { rq: AxiosInstance }).rq
  try {
    return (await http.post<unknown>(`/v1${path}`, body, { headers })).data
  } catch (error) {
    const { status, data } = (error as { response: { status: number; data?: { error?: RazorpayRejection['error'] } } }).response
    const rejection: RazorpayRejection = { statusCode: status, ...(data?.error && { error: data.error }) }
    throw rejection
  }
}

/** Reads a rejection of the SDK; an error inside the SDK counts as no answer. */
export function readRejection(error: unknown): RazorpayRejection {
  if (typeof error === 'object' && error !== null && 'statusCode' in error && typeof error.statusCode === 'number')
    return error as RazorpayRejection
  return { statusCode: 0, error: { description: String(error) } }
}

/** Whether the object does not exist: the provider answers 400, never 404. */
export const isAbsent = ({ error }: RazorpayRejection) => error?.description === 'The id provided does not exist'

/**
 * Whether the provider refused. After no answer, a malformed one, a server error or "too many
 * requests" the effect is unknown.
 */
export const isRefusal = ({ statusCode, error }: RazorpayRejection) =>
  statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429 && error !== undefined

export const formatReason = ({ statusCode, error }: RazorpayRejection) =>
  `${statusCode} ${error?.reason ?? ''} ${error?.description ?? ''}`.trim()

type Outcome = { kind: string }

/** Looks for something: a rejection means that it does not exist, or that nothing is known. */
export async function absentOrUnknown<const Found extends Outcome>(
  work: () => Promise<Found>,
  reasonOf = formatReason,
): Promise<Found | Absent | Unknown> {
  try {
    return await work()
  } catch (error) {
    const rejection = readRejection(error)
    return isAbsent(rejection) ? { kind: 'absent' } : { kind: 'unknown', reason: reasonOf(rejection) }
  }
}

/** Reads a list or what must exist: after any rejection nothing is known. */
export async function unknownOnError<const Found extends Outcome>(
  work: () => Promise<Found>,
  reasonOf = formatReason,
): Promise<Found | Unknown> {
  try {
    return await work()
  } catch (error) {
    return { kind: 'unknown', reason: reasonOf(readRejection(error)) }
  }
}
