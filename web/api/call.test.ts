import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { login, readPermissions } from '#contract/auth.ts'
import { readLoansSummary } from '#contract/loans.ts'
import { createPaymentLink, readPaymentLinkStatus } from '#contract/payments.ts'
import { readUser } from '#contract/users.ts'
import { paise } from '#domain/money.ts'
import { getPortalConfig } from '#web/portal-config.ts'
import { ApiError } from './api-error.ts'
import { bearer, call, createLimitedSignal } from './call.ts'

const fetched = vi.fn<typeof fetch>()
const refused = vi.fn()
const config = getPortalConfig()

const answer = (body: unknown, status = 200, headers = {}) =>
  fetched.mockResolvedValueOnce(new Response(JSON.stringify(body), { status, headers }))
const failure = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('navigator', { onLine: true })
  bearer.token = 'the-token'
  bearer.onRefused = refused
})
const initial = { ...bearer }
afterEach(() => {
  Object.assign(bearer, initial)
  vi.unstubAllGlobals()
  vi.resetAllMocks()
})

const problem = (status: number, code: string) => ({ type: 'about:blank', title: 't', status, detail: 'd', code, request_id: 'r' })

describe('what the server says of a failure itself', () => {
  test.each([
    ['a problem document', { ...problem(409, 'LoanNotActive'), detail: 'The loan is not active.' }, 'The loan is not active.'],
    ['a message of a server of another make', { message: ' Try again after 6 pm. ' }, 'Try again after 6 pm.'],
    ['a detail alone', { detail: 'Closed for the night.' }, 'Closed for the night.'],
    ['no words', { detail: '' }, null],
    ['something else', { message: { text: 'x' } }, null],
    ['a page of text', { message: 'x'.repeat(501) }, null],
    ['nothing', null, null],
  ])('%s', async (_what, body, message) => {
    answer(body, 409)
    expect((await failure(call(readPermissions, {}))).ownMessage).toBe(message)
  })
})

describe('a call', () => {
  test('goes where the contract says, with the token', async () => {
    answer({ permissions: ['loan:update'] })
    expect(await call(readPermissions, {})).toEqual({ permissions: ['loan:update'] })
    expect(fetched).toHaveBeenCalledWith(
      '/api/v1/auth/permissions',
      expect.objectContaining({ method: 'GET', headers: { accept: 'application/json', authorization: 'Bearer the-token' } }),
    )
  })
  test('bears a trace of its own where telemetry is on, and no header where it is off', async () => {
    const traceOf = async () => {
      answer({ permissions: [] })
      await call(readPermissions, {})
      return new Headers(fetched.mock.lastCall?.[1]?.headers).get('traceparent')
    }
    expect(await traceOf()).toBeNull()
    config.telemetry.enabled = 'true'
    const traces = [await traceOf(), await traceOf()]
    config.telemetry.enabled = 'false'
    for (const trace of traces) expect(trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(new Set(traces).size).toBe(2)
  })
  test('says rupees on the wire and paise in the code', async () => {
    answer({ redirect_url: 'https://pay.example', payment_link_id: 'plink_1', amount: 25_019.5, expires_at: null, quote: null })
    const body = {
      amount: paise(2_501_950n),
      lead_id: 'L1',
      purpose: 'PAY_EMI',
      application_id: 'K1',
      callback_url: 'http://localhost',
    } as const
    await call(createPaymentLink, { query: { use_razorpay: 'true' }, body })
    const [url, init] = fetched.mock.calls[0] ?? []
    expect(url).toBe('/api/v1/portal/payment-link?use_razorpay=true')
    expect(JSON.parse(init?.body as string)).toMatchObject({ amount: 25_019.5, purpose: 'PAY_EMI' })
  })
  test('needs nothing of a payment link’s answer but its address', async () => {
    answer({ redirect_url: 'https://pay.example' })
    const body = {
      amount: paise(2_501_950n),
      lead_id: 'L1',
      purpose: 'PAY_EMI',
      application_id: 'K1',
      callback_url: 'http://localhost',
    } as const
    expect(await call(createPaymentLink, { query: {}, body })).toEqual({ redirect_url: 'https://pay.example' })
  })
  test('puts its query into the address', async () => {
    answer({ status: 'paid', rps_updated: false })
    await call(readPaymentLinkStatus, { query: { payment_link_id: 'plink_1' } })
    expect(fetched.mock.calls[0]?.[0]).toBe('/api/v1/portal/payment-link/status?payment_link_id=plink_1')
  })
  test('puts its parameters into the path', async () => {
    answer({ user: null })
    await failure(call(readUser, { params: { user_id: 'u-1' } }))
    expect(fetched.mock.calls[0]?.[0]).toBe('/api/v1/auth/users/u-1')
  })
  test('accepts a bare list', async () => {
    answer([])
    expect(await call(readLoansSummary, {})).toEqual({ loans: [] })
  })
  test('that anyone may make carries no token', async () => {
    answer({ session_token: 's', session: 's', resend_after_seconds: 30, expires_at: '2026-11-20T10:00:00Z' })
    await call(login, { body: { phone: '+919000000001' } })
    expect(fetched.mock.calls[0]?.[1]?.headers).not.toHaveProperty('authorization')
  })
})

describe('a failure', () => {
  test.each([
    [401, 'AuthSessionExpired', 'unauthorized'],
    [403, 'PermissionDenied', 'forbidden'],
    [404, 'NotFound', 'bad_request'],
    [409, 'PaymentAlreadyPending', 'bad_request'],
    [500, 'Unexpected', 'server_error'],
    [503, 'PaymentGatewayUnavailable', 'server_error'],
  ])('%i %s is %s', async (status, code, kind) => {
    answer(problem(status, code), status)
    expect(await failure(call(readPermissions, {}))).toMatchObject({ kind, status, code })
  })
  test('without a problem document has its status only', async () => {
    fetched.mockResolvedValueOnce(new Response('<html>', { status: 502 }))
    expect(await failure(call(readPermissions, {}))).toMatchObject({ kind: 'server_error', status: 502, code: null })
  })
  test('has the time to wait', async () => {
    answer(problem(429, 'AuthResendTooSoon'), 429, { 'retry-after': '17' })
    expect(await failure(call(login, { body: { phone: '9000000001' } }))).toMatchObject({
      code: 'AuthResendTooSoon',
      retryAfterSeconds: 17,
    })
  })
  test('is one, too, when the answer is not what the contract says', async () => {
    answer({ permissions: 'all' })
    expect((await failure(call(readPermissions, {}))).kind).toBe('server_error')
  })
  test.each([
    ['timeout', new DOMException('', 'TimeoutError'), true],
    ['failed', new TypeError('Failed to fetch'), true],
    ['offline', new TypeError('Failed to fetch'), false],
  ])('of the network: %s', async (network, cause, onLine) => {
    vi.stubGlobal('navigator', { onLine })
    fetched.mockRejectedValueOnce(cause)
    expect(await failure(call(readPermissions, {}))).toMatchObject({ kind: 'network_error', network, status: null })
  })
  test('by the caller’s own hand stays an abort', async () => {
    fetched.mockRejectedValueOnce(new DOMException('', 'AbortError'))
    await expect(call(readPermissions, {})).rejects.toThrow(DOMException)
  })
})

describe('a 401', () => {
  test('ends the session', async () => {
    answer(problem(401, 'AuthSessionExpired'), 401)
    await failure(call(readPermissions, {}))
    expect(refused).toHaveBeenCalledOnce()
  })
  test('does not, where the caller changes the session', async () => {
    answer(problem(401, 'AuthSessionExpired'), 401)
    await failure(call(readPermissions, {}, { changesSession: true }))
    expect(refused).not.toHaveBeenCalled()
  })
  test('does not, when it is about an earlier session', async () => {
    fetched.mockImplementationOnce(async () => {
      bearer.token = 'a-newer-one'
      return new Response(JSON.stringify(problem(401, 'AuthSessionExpired')), { status: 401 })
    })
    await failure(call(readPermissions, {}))
    expect(refused).not.toHaveBeenCalled()
  })
  test('is not asked for without a token', async () => {
    bearer.token = null
    expect((await failure(call(readPermissions, {}))).kind).toBe('unauthorized')
    expect(fetched).not.toHaveBeenCalled()
  })
})

const native = AbortSignal.any

describe.each(['with AbortSignal.any', 'without it'])('%s', (which) => {
  beforeEach(() => {
    if (which === 'without it') Reflect.deleteProperty(AbortSignal, 'any')
  })
  afterEach(() => {
    AbortSignal.any = native
  })

  test('a signal aborts with its first cause, and keeps it', async () => {
    const own = new AbortController()
    const limited = createLimitedSignal(20, own.signal)
    expect(limited.aborted).toBe(false)
    own.abort('left')
    expect([limited.aborted, limited.reason]).toEqual([true, 'left'])
    const later = createLimitedSignal(20)
    await vi.waitFor(() => expect(later.aborted).toBe(true), 60_000)
    expect(limited.reason).toBe('left')
  })

  test('it aborts when the time is over, as a timeout', async () => {
    const limited = createLimitedSignal(5)
    await vi.waitFor(() => expect(limited.aborted).toBe(true), 60_000)
    expect((limited.reason as DOMException).name).toBe('TimeoutError')
  })

  test('it is aborted from the start by one that is', () => {
    expect(createLimitedSignal(1000, AbortSignal.abort('gone')).reason).toBe('gone')
  })
})
