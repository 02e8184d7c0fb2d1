import { describe, expect, test } from 'vitest'
import { paise } from '#domain/money.ts'
import { ApiError, isOutcomeUnknown } from '#web/api/api-error.ts'
import { NoRedirectUrlError } from './use-payments.ts'
import { pressFor } from './press.ts'

const emi = { purpose: 'PAY_EMI', amount: paise(1_066_200n) } as const

describe('the key of a press', () => {
  test('is new for each press, and kept for the same order while its outcome is unknown', () => {
    const first = pressFor(emi, null, () => 'key-1')
    expect(first.key).toBe('key-1')
    expect(pressFor(emi, first, () => 'key-2')).toBe(first)
    expect(pressFor({ ...emi, amount: paise(1_066_201n) }, first, () => 'key-2').key).toBe('key-2')
    expect(pressFor({ ...emi, purpose: 'OVERDUE' }, first, () => 'key-2').key).toBe('key-2')
    expect(pressFor(emi, null, () => 'key-2').key).toBe('key-2')
  })

  test('is kept only where the link may have been made', () => {
    const problem = (
      status: number,
      code: 'PaymentGatewayUnavailable' | 'PaymentGatewayRefused' | 'PaymentNotAllowed' | 'RequestInProgress',
    ) =>
      new ApiError({
        kind: status < 500 ? 'bad_request' : 'server_error',
        status,
        problem: { type: 'about:blank', title: 't', status, detail: 'd', code, request_id: 'r' },
      })
    expect(isOutcomeUnknown(new ApiError({ kind: 'network_error', network: 'timeout' }))).toBe(true)
    expect(isOutcomeUnknown(new ApiError({ kind: 'server_error', status: 500 }))).toBe(true)
    expect(isOutcomeUnknown(problem(503, 'PaymentGatewayUnavailable'))).toBe(true)
    expect(isOutcomeUnknown(problem(409, 'RequestInProgress'))).toBe(true)
    expect(isOutcomeUnknown(problem(502, 'PaymentGatewayRefused'))).toBe(false)
    expect(isOutcomeUnknown(problem(409, 'PaymentNotAllowed'))).toBe(false)
    expect(isOutcomeUnknown(new NoRedirectUrlError())).toBe(false)
  })
})
