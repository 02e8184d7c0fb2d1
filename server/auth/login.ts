import type { login as call } from '#contract/auth.ts'
import type { UseCase } from '../http/route.ts'
import { Failure } from '../http/failure.ts'
import { mayReceiveCode, withCountryCode } from './phone.ts'
import { sendCode } from './send-code.ts'
import { answerUnknown } from './send-limits.ts'
import { lockPhone } from './sign-in-store.ts'
import { findUserByPhone } from './user-store.ts'

/** Sends a code to the phone of a user; called again, sends another and ends the first (decisions 3, 29). */
export const login: UseCase<typeof call> = async (context, _caller, { body, origin }) => {
  const phone = withCountryCode(body.phone)
  const sent = await context.database.asSystem(async (sql) => {
    const user = await findUserByPhone(sql, phone)
    // Not thrown: that it was asked must be committed.
    if (!user || user.disabled_at || !mayReceiveCode(phone)) return answerUnknown(context, sql, origin, context.clock.now())
    const history = await lockPhone(sql, phone)
    // The time is taken under the lock, so that whoever waited for it sees what happened meanwhile as past.
    return sendCode(context, sql, history, { userId: user.user_id, phone, wrongTries: 0, origin }, context.clock.now())
  })
  if (sent instanceof Failure) throw sent
  return {
    session_token: sent.sessionToken,
    session: sent.sessionToken,
    resend_after_seconds: sent.resendAfterSeconds,
    expires_at: sent.expiresAt,
  }
}
