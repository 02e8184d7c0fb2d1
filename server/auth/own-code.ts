import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Caller, Origin } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import { countFailure } from './count-failure.ts'
import { findDeviceOfSession } from './device-store.ts'
import { codeMatches, hashSessionToken } from './one-time-code.ts'
import { sendCode } from './send-code.ts'
import { countAnswer, returnUsedSend } from './send-limits.ts'
import { codeExhausted, codeLimits, refuseLocked, signInLimits } from './sign-in-limits.ts'
import { consumeCode, countWrongTry, findOwnerOfToken, lockOwner, readCode, saveSignIn, type LockedOwner } from './sign-in-store.ts'
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
  { sessionToken, code, origin }: { sessionToken: string; code: string; origin: Origin },
): Promise<void> {
  const tokenHash = hashSessionToken(sessionToken)
  const found = await findOwnerOfToken(context.database, tokenHash)
  if (found === null || found.userId !== userId) throw new Failure('AuthInvalidOTPError')
  const isRight = await context.database.asSystem(async (sql) => {
    const owner = await lockOwner(sql, found)
    return compareCode(context, sql, owner, { tokenHash, code, tookUnknownSend: found.deviceHash === null, origin })
  })
  // Thrown after the transaction, because the count of wrong tries must be committed.
  if (!isRight) throw new Failure('AuthInvalidOTPError')
}

async function compareCode(
  context: Context,
  sql: Sql,
  owner: LockedOwner,
  { tokenHash, code, tookUnknownSend, origin }: { tokenHash: Buffer; code: string; tookUnknownSend: boolean; origin: Origin },
): Promise<boolean> {
  const { signIn } = context.config
  const limits = signInLimits[signIn.limits]
  const { wrongTriesMax } = codeLimits(limits, owner.deviceHash !== null)
  const now = context.clock.now()
  const stored = await readCode(sql, tokenHash)
  refuseLocked(owner, now)
  if (stored.wrongTries >= wrongTriesMax) throw codeExhausted(limits, owner, now)
  if (!codeMatches(signIn.codeKey, { tokenHash, phone: owner.phone, purpose: 'own_act' }, code, stored.codeHash)) {
    await countWrongTry(sql, tokenHash)
    await countFailure(sql, owner, { origin, now })
    return false
  }
  if (!(await consumeCode(sql, tokenHash, wrongTriesMax, now))) return false
  await saveSignIn(sql, owner, now)
  if (tookUnknownSend) await returnUsedSend(context, sql, origin)
  return true
}
