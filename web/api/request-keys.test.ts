import { describe, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { createRequestKeys } from './request-keys.ts'

const problem = (status: number, code: 'PaymentGatewayUnavailable' | 'PaymentGatewayRefused' | 'PaymentNotAllowed' | 'RequestInProgress') =>
  new ApiError({
    kind: status < 500 ? 'bad_request' : 'server_error',
    status,
    problem: { type: 'about:blank', title: 't', status, detail: 'd', code, request_id: 'r' },
  })

describe('the key of a request', () => {
  it('is that of the same request before, until it has ended', () => {
    const keys = createRequestKeys()
    const first = keys.keyOf('PAY_EMI 1066200')
    expect(first).toMatch(/^[\da-f]{32}$/)
    expect(keys.keyOf('PAY_EMI 1066200')).toBe(first)
    keys.settle()
    expect(keys.keyOf('PAY_EMI 1066200')).not.toBe(first)
  })

  it('is another one for another request, also after an unknown outcome', () => {
    const keys = createRequestKeys()
    const first = keys.keyOf('PAY_EMI 1066200')
    keys.settle(problem(503, 'PaymentGatewayUnavailable'))
    expect(keys.keyOf('PAY_EMI 1066201')).not.toBe(first)
    expect(keys.keyOf('PAY_EMI 1066200')).not.toBe(first)
  })

  it.each([
    ['a time limit', new ApiError({ kind: 'network_error', network: 'timeout' }), true],
    ['a failure of the server', new ApiError({ kind: 'server_error', status: 500 }), true],
    ['a provider that does not answer', problem(503, 'PaymentGatewayUnavailable'), true],
    ['a request that is still processed', problem(409, 'RequestInProgress'), true],
    ['a refusal by the provider', problem(502, 'PaymentGatewayRefused'), false],
    ['a refusal', problem(409, 'PaymentNotAllowed'), false],
    ['an answer that cannot be used', new Error('no redirect URL'), false],
  ])('after %s is kept: %s', (_outcome, error, isKept) => {
    const keys = createRequestKeys()
    const first = keys.keyOf('PAY_EMI 1066200')
    keys.settle(error)
    expect(keys.keyOf('PAY_EMI 1066200') === first).toBe(isKept)
  })
})
