import type { login as call } from '#contract/auth.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { UseCase } from '../http/route.ts'
import { Failure } from '../http/failure.ts'
import { provenDevice, type DevicePerson } from './device-cookie.ts'
import { isKnownDevice } from './device-store.ts'
import { canReceiveCode, withCountryCode } from './phone.ts'
import { sendCode } from './send-code.ts'
import { countAnswer } from './send-limits.ts'
import { signInLimits } from './sign-in-limits.ts'
import { lockOwner } from './sign-in-store.ts'
import { findUserByPhone } from './user-store.ts'

/**
 * Sends a code to the phone of a user. A second call sends another and ends the first (decisions 3,
 * 29).
 */
export const login: UseCase<typeof call> = async (context, _caller, { body, origin, deviceCookie }) => {
  const phone = withCountryCode(body.phone)
  // A separate transaction: the network's answer counts even if the rest fails.
  const owner = await context.database.asSystem(async (sql) => {
    const user = await findUserByPhone(sql, phone)
    const person = user && !user.disabled_at && canReceiveCode(phone) ? { userId: user.user_id, phone } : null
    const deviceHash = person && (await findKnownDevice(context, sql, deviceCookie.value, person))
    if (deviceHash === null) await countAnswer(context, sql, origin, context.clock.now())
    return person && { ...person, deviceHash }
  })
  if (owner === null) throw new Failure('AuthUserNotFoundError')
  const sent = await context.database.asSystem(async (sql) => {
    const locked = await lockOwner(sql, owner)
    // Reads the clock under the lock, so that what happened while waiting for it lies in the past.
    return sendCode(context, sql, { owner: locked, purpose: 'sign_in', wrongTries: 0, origin }, context.clock.now())
  })
  return {
    session_token: sent.sessionToken,
    session: sent.sessionToken,
    resend_after_seconds: sent.resendAfterSeconds,
    expires_at: sent.expiresAt,
  }
}

/** Null if devices are not distinguished, or this one is unknown for the person. */
async function findKnownDevice({ config, clock }: Context, sql: Sql, cookie: string | null, person: DevicePerson): Promise<Buffer | null> {
  const { limits, deviceKey } = config.signIn
  const proven = signInLimits[limits].knownDevice && provenDevice(deviceKey, cookie, person, clock.now())
  return proven && (await isKnownDevice(sql, person.userId, proven)) ? proven : null
}
