import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import { ApiError } from '#web/api/api-error.ts'
import { toCodeError, toPhoneError } from './login-errors.ts'

const refusedBy = (code: ErrorCode, status: number, refusal?: string) =>
  new ApiError({
    kind: 'bad_request',
    status,
    problem: { type: 'about:blank', title: 't', status, detail: 'd', code, request_id: 'r', ...(refusal !== undefined && { refusal }) },
  })
const tooMany = (refusal?: string) => refusedBy('AuthTooManyAttemptsError', 429, refusal)

describe('a refused code', () => {
  test('that does not match', () => expect(toCodeError(refusedBy('AuthInvalidOTPError', 400))).toEqual({ type: 'mismatch' }))
  test('that is used up by wrong tries', () => expect(toCodeError(tooMany('code_used_up'))).toEqual({ type: 'too-many-attempts' }))
  test('that expired, and no other can be sent: nothing was typed wrong', () =>
    expect(toCodeError(tooMany())).toEqual({ type: 'too-many-codes' }))
  test('in a busy moment: the code is still good', () => {
    const error = tooMany('too_many_requests')
    expect(toCodeError(error)).toEqual({ type: 'server', error })
  })
})

describe('a refused phone', () => {
  test('nobody has', () => expect(toPhoneError(refusedBy('AuthUserNotFoundError', 404))).toEqual({ type: 'does-not-exist' }))
  test('that was sent too many codes', () => expect(toPhoneError(tooMany())).toEqual({ type: 'too-many-attempts' }))
  test('in a busy moment', () => {
    const error = tooMany('too_many_requests')
    expect(toPhoneError(error)).toEqual({ type: 'server', error })
  })
})
