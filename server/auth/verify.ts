import type { verify as call } from '#contract/auth.ts'
import { logAccess } from '../access-log.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../http/caller.ts'
import { Failure } from '../http/failure.ts'
import type { UseCase } from '../http/route.ts'
import { codeMatches, hashSessionToken } from './one-time-code.ts'
import { sendCode } from './send-code.ts'
import {
  codeExhausted,
  lockAfter,
  refuseLocked,
  signInLimits,
  successorWindowMs,
  wrongTriesPerCodeMax,
  type PhoneHistory,
} from './sign-in-limits.ts'
import { consumeCode, countWrongTry, findPhoneOfToken, lockPhone, readCode, saveFailures, saveSignIn } from './sign-in-store.ts'
import { startSession } from './start-session.ts'
import { findUserById, userOnWire, type UserRow } from './user-store.ts'

const mismatch = () => new Failure('AuthInvalidOTPError')

/**
 * Trades a code for a bearer token. A code that has expired is answered with a new one (facts/security §3.5): before it
 * is compared, so that the answer tells nothing of it.
 */
export const verify: UseCase<typeof call> = async (context, _caller, { body, origin }) => {
  const tokenHash = hashSessionToken(body.session_token)
  const answer = await context.database.asSystem(async (sql) => {
    const phone = await findPhoneOfToken(sql, tokenHash)
    if (phone === undefined) throw mismatch()
    const history = await lockPhone(sql, phone)
    const code = await readCode(sql, tokenHash)
    const now = context.clock.now()
    const expiredForMs = now.getTime() - code.expiresAt.getTime()
    const user = await findUserById(sql, code.userId)
    if (code.consumedAt || code.supersededAt || expiredForMs >= successorWindowMs || !user || user.disabled_at) throw mismatch()
    refuseLocked(history, now)
    if (code.wrongTries >= wrongTriesPerCodeMax) throw codeExhausted(signInLimits[context.config.signIn.limits], history, now)
    if (expiredForMs >= 0) {
      const sent = await sendCode(context, sql, history, { ...code, origin }, now)
      return { session_token: sent.sessionToken, resend_after_seconds: sent.resendAfterSeconds, expires_at: sent.expiresAt }
    }
    if (!codeMatches(context.config.signIn.codeKey, { tokenHash, phone }, body.otp, code.codeHash)) {
      await countWrongTry(sql, tokenHash)
      await countFailure(sql, { phone, history, user, origin, now })
      // Not thrown: the count must be committed.
      return mismatch()
    }
    if (!(await consumeCode(sql, tokenHash, now))) throw mismatch()
    return signIn(context, sql, { phone, history, user, origin, now })
  })
  if (answer instanceof Failure) throw answer
  return answer
}

type Attempt = { phone: string; history: PhoneHistory; user: UserRow; origin: Origin; now: Date }

async function countFailure(sql: Sql, { phone, history, user, origin, now }: Attempt): Promise<void> {
  const failures = history.failures + 1
  const lockedUntil = lockAfter(failures, now)
  const entry = { at: now, subjectId: user.user_id, actorId: user.user_id, origin, outcome: 'refused', detail: { failures } } as const
  await saveFailures(sql, phone, failures, lockedUntil)
  await logAccess(sql, { ...entry, action: 'sign_in' })
  if (lockedUntil) await logAccess(sql, { ...entry, action: 'sign_in_lock', detail: { failures, until: lockedUntil.toISOString() } })
}

async function signIn(context: Context, sql: Sql, { phone, history, user, origin, now }: Attempt) {
  await saveSignIn(sql, phone, now)
  const { token, sessionId } = await startSession(context, sql, user, origin, now)
  const detail = { session_id: sessionId, failures_before: history.failures }
  await logAccess(sql, { at: now, subjectId: user.user_id, actorId: user.user_id, action: 'sign_in', outcome: 'done', origin, detail })
  return { token, user: userOnWire(user) }
}
