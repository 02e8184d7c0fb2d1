import type { verify as call } from '#contract/auth.ts'
import { logAccess } from '../access-log.ts'
import { addNotice } from '../add-notice.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { issueDeviceCookie } from './device-cookie.ts'
import { rememberDevice } from './device-store.ts'
import { hashSessionToken } from './one-time-code.ts'
import { sendCode } from './send-code.ts'
import { countAnswer } from './send-limits.ts'
import { successorWindowMs } from './sign-in-limits.ts'
import { findOwnerOfToken, lockOwner, readCode, type LockedOwner } from './sign-in-store.ts'
import { refuseTry, spendCode } from './spend-code.ts'
import { startSession } from './start-session.ts'
import { findUserForShare, saveFirstSignIn, userOnWire, type UserRow } from './user-store.ts'

const mismatch = () => new Failure('AuthInvalidOTPError')

/**
 * Exchanges a code for a bearer token. An expired code is replaced by a new one (docs/security.md,
 * A06) before it is compared, so that the answer reveals nothing about it.
 */
export const verify: UseCase<typeof call> = async (context, _caller, { body, origin, deviceCookie }) => {
  const tokenHash = hashSessionToken(body.session_token)
  const found = await findOwnerOfToken(context.database, tokenHash)
  if (found === null) throw mismatch()
  const outcome = await context.database.asSystem(async (sql) => {
    const owner = await lockOwner(sql, found)
    const code = await readCode(sql, tokenHash)
    const now = context.clock.now()
    const expiredForMs = now.getTime() - code.expiresAt.getTime()
    // Locked: an account that is being disabled gets no session.
    const user = await findUserForShare(sql, owner.userId)
    if (code.consumedAt || code.supersededAt || expiredForMs >= successorWindowMs) throw mismatch()
    // A code that was sent while the person got another phone.
    if (!user || user.disabled_at || user.phone !== owner.phone) throw mismatch()
    refuseTry(context, owner, code, now)
    if (expiredForMs >= 0) {
      if (owner.deviceHash === null) await countAnswer(context, sql, origin, now)
      const sent = await sendCode(context, sql, { owner, purpose: 'sign_in', wrongTries: code.wrongTries, origin }, now)
      return {
        answer: { session_token: sent.sessionToken, resend_after_seconds: sent.resendAfterSeconds, expires_at: sent.expiresAt },
      }
    }
    const isRight = await spendCode(context, sql, { owner, code, entered: body.otp, purpose: 'sign_in' }, { origin, now })
    // Does not throw: the count must be committed.
    if (!isRight) return { answer: mismatch() }
    return signIn(context, sql, { owner, user, origin, now }, deviceCookie.value)
  })
  if (outcome.answer instanceof Failure) throw outcome.answer
  if ('cookie' in outcome) deviceCookie.set(outcome.cookie)
  return outcome.answer
}

type SignIn = { owner: LockedOwner; user: UserRow; origin: Origin; now: Date }

async function signIn(context: Context, sql: Sql, { owner, user, origin, now }: SignIn, deviceCookie: string | null) {
  const person = { userId: owner.userId, phone: owner.phone }
  const device = issueDeviceCookie(context.config.signIn.deviceKey, deviceCookie, person, now)
  const isNewDevice = await rememberDevice(sql, owner.userId, device.deviceHash, now)
  const { token, sessionId } = await startSession(context, sql, user, { origin, deviceHash: device.deviceHash }, now)
  const detail = { session_id: sessionId, failures_before: owner.failures }
  await logAccess(sql, { at: now, subjectId: user.user_id, actorId: user.user_id, action: 'sign_in', outcome: 'done', origin, detail })
  if (user.kind === 'borrower' && user.first_signed_in_at === null) await saveFirstSignIn(sql, user.user_id, now)
  // Every device is new again after the borrower has ended all other sessions.
  else if (user.kind === 'borrower' && isNewDevice)
    await addNotice(sql, { borrowerId: user.user_id, about: `new_device:${sessionId}`, kind: 'new_device' }, now)
  return { answer: { token, user: userOnWire(user) }, cookie: device.cookie }
}
