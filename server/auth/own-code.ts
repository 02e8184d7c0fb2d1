import type { Context } from '../context.ts'
import type { Caller, Origin } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import { findDeviceOfSession } from './device-store.ts'
import { hashSessionToken } from './one-time-code.ts'
import { sendCode } from './send-code.ts'
import { countAnswer } from './send-limits.ts'
import { signInLimits } from './sign-in-limits.ts'
import { findOwnerOfToken, lockOwner, readCode } from './sign-in-store.ts'
import { refuseTry, spendCode } from './spend-code.ts'
import { findUserById } from './user-store.ts'

/**
 * Sends a code to the signed-in person's own phone, with the limits of sign-in on the device of the
 * session.
 *
 * @throws Failure AuthTooManyAttemptsError, AuthResendTooSoon: nothing is sent.
 */
export async function sendOwnCode(
  context: Context,
  { actorId: userId, sessionId }: Pick<Caller, 'actorId' | 'sessionId'>,
  origin: Origin,
): Promise<{ sessionToken: string; resendAfterSeconds: number }> {
  const owner = await context.database.asSystem(async (sql) => {
    const user = await findUserById(sql, userId)
    if (!user || user.disabled_at) throw new Failure('AuthSessionExpired')
    const person = { userId, phone: user.phone }
    const hasKnownDevices = signInLimits[context.config.signIn.limits].knownDevice
    const deviceHash = hasKnownDevices ? await findDeviceOfSession(sql, userId, sessionId) : null
    if (deviceHash === null) await countAnswer(context, sql, origin, context.clock.now())
    return { ...person, deviceHash }
  })
  return context.database.asSystem(async (sql) => {
    const locked = await lockOwner(sql, owner)
    return sendCode(context, sql, { owner: locked, purpose: 'own_act', wrongTries: 0, origin }, context.clock.now())
  })
}

/**
 * Uses up a code that was sent to the signed-in person. A wrong one counts as in sign-in.
 *
 * @throws Failure AuthInvalidOTPError for a wrong, expired or foreign code,
 * AuthTooManyAttemptsError after too many wrong ones.
 */
export async function spendOwnCode(
  context: Context,
  userId: string,
  { sessionToken, code: entered, origin }: { sessionToken: string; code: string; origin: Origin },
): Promise<void> {
  const tokenHash = hashSessionToken(sessionToken)
  const found = await findOwnerOfToken(context.database, tokenHash)
  if (found === null || found.userId !== userId) throw new Failure('AuthInvalidOTPError')
  const isRight = await context.database.asSystem(async (sql) => {
    const owner = await lockOwner(sql, found)
    const code = await readCode(sql, tokenHash)
    const now = context.clock.now()
    refuseTry(context, owner, code, now)
    return spendCode(context, sql, { owner, code, entered, purpose: 'own_act' }, { origin, now })
  })
  // Thrown after the transaction, because the count of wrong tries must be committed.
  if (!isRight) throw new Failure('AuthInvalidOTPError')
}
