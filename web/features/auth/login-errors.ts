import type { ApiError } from '#web/api/api-error.ts'
import type { CodeError, PhoneError } from './login-state.ts'

/** What the page tells of a number that no code was sent to. */
export function toPhoneError(error: ApiError): PhoneError {
  if (error.code === 'AuthUserNotFoundError') return { type: 'does-not-exist' }
  return isTooManyAttempts(error) ? { type: 'too-many-attempts' } : { type: 'server', error }
}

/** What the page tells of a refused code, or of another code that was not sent. */
export function toCodeError(error: ApiError): CodeError {
  if (error.code === 'AuthInvalidOTPError') return { type: 'mismatch' }
  if (!isTooManyAttempts(error)) return { type: 'server', error }
  return { type: error.problem?.refusal === 'code_used_up' ? 'too-many-attempts' : 'too-many-codes' }
}

/** A busy moment of the network says nothing of the phone or of its code. */
const isTooManyAttempts = ({ code, problem }: ApiError): boolean =>
  code === 'AuthTooManyAttemptsError' && problem?.refusal !== 'too_many_requests'
