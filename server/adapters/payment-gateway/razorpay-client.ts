import type { AxiosInstance } from 'axios'
import Razorpay from 'razorpay'

export type RazorpaySettings = { baseUrl: string; keyId: string; keySecret: string; timeoutMs: number }

/** What the SDK rejects with, once the connection's own faults are told apart from the provider's answers. */
export type RazorpayRejection = { statusCode: number; error?: { code?: string; description?: string; reason?: string } }

const sdkBaseUrl = 'https://api.razorpay.com'

/**
 * The official SDK, pointed at our base address and given the limits it lacks: a timeout, no redirects, no proxy, and
 * an error that says when no answer came at all (as status 0) instead of breaking on it.
 *
 * @throws Error when live keys are to go to any host but the provider's, whatever the settings were checked for.
 * @throws Error when the SDK's inside is not what it was at the pinned version.
 */
export function razorpayClient({ baseUrl, keyId, keySecret, timeoutMs }: RazorpaySettings): Razorpay {
  if (keyId.startsWith('rzp_live_') && baseUrl !== sdkBaseUrl) throw new Error(`Live keys go to ${sdkBaseUrl} alone, not to ${baseUrl}.`)
  const client = new Razorpay({ key_id: keyId, key_secret: keySecret })
  const http = (client.api as unknown as { rq: AxiosInstance | undefined }).rq
  if (http?.defaults.baseURL !== sdkBaseUrl) throw new Error('The razorpay SDK is not the version that its adapter was written for.')
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
 * Asks the provider past the SDK, which can set no header: refunds need their key in one. As the SDK does, it goes through the
 * instance that {@link razorpayClient} has set up, and rejects with a {@link RazorpayRejection}.
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

/** Reads whatever the SDK rejected with; a defect inside it counts as no answer. */
export function rejectionOf(error: unknown): RazorpayRejection {
  if (typeof error === 'object' && error !== null && 'statusCode' in error && typeof error.statusCode === 'number')
    return error as RazorpayRejection
  return { statusCode: 0, error: { description: String(error) } }
}

/** The provider knows of no such thing: a 400, never a 404. */
export const isAbsent = ({ error }: RazorpayRejection) => error?.description === 'The id provided does not exist'

/** A clear no. No answer, a broken one, a failure of theirs, or "too many requests" is not: the effect is unknown. */
export const isRefusal = ({ statusCode, error }: RazorpayRejection) =>
  statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429 && error !== undefined

export const reasonOf = ({ statusCode, error }: RazorpayRejection) =>
  `${statusCode} ${error?.reason ?? ''} ${error?.description ?? ''}`.trim()
