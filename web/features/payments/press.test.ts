import { describe, expect, test } from 'vitest'
import { paise } from '#domain/money.ts'
import { ApiError } from '#web/api/api-error.ts'
import { NoRedirectUrlError } from './use-payments.ts'
import { isUnheardOf, pressFor } from './press.ts'

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
    const problem = (status: number, code: 'PaymentGatewayUnavailable' | 'PaymentGatewayRefused' | 'PaymentNotAllowed') =>
      new ApiError({
        kind: status < 500 ? 'bad_request' : 'server_error',
        status,
        problem: { type: 'about:blank', title: 't', status, detail: 'd', code, request_id: 'r' },
      })
    expect(isUnheardOf(new ApiError({ kind: 'network_error', network: 'timeout' }))).toBe(true)
    expect(isUnheardOf(new ApiError({ kind: 'server_error', status: 500 }))).toBe(true)
    expect(isUnheardOf(problem(503, 'PaymentGatewayUnavailable'))).toBe(true)
    expect(isUnheardOf(problem(502, 'PaymentGatewayRefused'))).toBe(false)
    expect(isUnheardOf(problem(409, 'PaymentNotAllowed'))).toBe(false)
    expect(isUnheardOf(new NoRedirectUrlError())).toBe(false)
  })
})
