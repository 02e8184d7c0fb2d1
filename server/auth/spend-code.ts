import type { Context } from '../context.ts'
import type { Origin } from '../caller.ts'
import type { Sql } from '../database/connect.ts'
import { countFailure } from './count-failure.ts'
import { codeMatches, type CodePurpose } from './one-time-code.ts'
import { returnUsedSend } from './send-limits.ts'
import { codeExhausted, codeLimits, refuseLocked, signInLimits } from './sign-in-limits.ts'
import { consumeCode, countWrongTry, saveSignIn, type LockedOwner, type SignInCode } from './sign-in-store.ts'

/**
 * Refuses to compare any code, before anything is counted.
 *
 * @throws Failure AuthTooManyAttemptsError while the owner is locked, or after too many wrong tries
 * of this code.
 */
export function refuseTry({ config }: Context, owner: LockedOwner, code: SignInCode, now: Date): void {
  const limits = signInLimits[config.signIn.limits]
  refuseLocked(owner, now)
  if (code.wrongTries >= codeLimits(limits, owner.deviceHash !== null).wrongTriesMax) throw codeExhausted(limits, owner, now)
}

/**
 * Compares what was entered with a code and consumes the code, under the lock of its owner and
 * after {@link refuseTry}. The right code clears the owner's failures; a wrong one counts.
 *
 * @returns false for a wrong code, or one that is not usable. It does not throw, and the caller may
 * not either before the commit: the count would be lost.
 */
export async function spendCode(
  context: Context,
  sql: Sql,
  { owner, code, entered, purpose }: { owner: LockedOwner; code: SignInCode; entered: string; purpose: CodePurpose },
  { origin, now }: { origin: Origin; now: Date },
): Promise<boolean> {
  const { codeKey, limits } = context.config.signIn
  const { tokenHash } = code
  if (!codeMatches(codeKey, { tokenHash, phone: owner.phone, purpose }, entered, code.codeHash)) {
    await countWrongTry(sql, tokenHash)
    await countFailure(sql, owner, { origin, now })
    return false
  }
  const { wrongTriesMax } = codeLimits(signInLimits[limits], owner.deviceHash !== null)
  if (!(await consumeCode(sql, tokenHash, wrongTriesMax, now))) return false
  await saveSignIn(sql, owner, now)
  if (code.tookUnknownSend) await returnUsedSend(context, sql, origin)
  return true
}
