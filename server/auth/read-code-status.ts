import type { readCodeStatus as call } from '#contract/auth.ts'
import { Failure } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { hashSessionToken } from './one-time-code.ts'
import { successorWindowMs } from './sign-in-limits.ts'
import { findMessageStatus } from './sign-in-store.ts'

/**
 * What has become of the message with a code, as our own sending job recorded it: whether the phone
 * received it is not known here. A session token that `verify` would refuse is refused alike.
 */
export const readCodeStatus: UseCase<typeof call> = async ({ clock, database }, _caller, { query }) => {
  const expiredSince = new Date(clock.now().getTime() - successorWindowMs)
  const status = await database.asSystem((sql) => findMessageStatus(sql, hashSessionToken(query.session_token), expiredSince))
  if (status === null) throw new Failure('AuthInvalidOTPError')
  return { status }
}
