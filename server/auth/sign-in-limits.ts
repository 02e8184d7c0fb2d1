import { Failure } from '../http/failure.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A code is good for five minutes (facts/security §3.3). */
export const codeLifetimeMs = 5 * minuteMs
/** For this long after its end an expired code is answered with a new one; a session token so lives 15 minutes. */
export const successorWindowMs = 10 * minuteMs
/** Wrong tries of one code; then not even the right one is looked at. */
export const wrongTriesPerCodeMax = 5
/** How long `sent_at` must reach back. */
export const sendsKeptMs = dayMs

const failuresPerLock = 10
const lockMsFirst = 15 * minuteMs
const lockMsMax = dayMs
/** From here on only an operator unlocks the phone (NIST SP 800-63B-4 §3.2.2). */
const failuresMax = 100

const resendDelaysMs = [30 * secondMs, 60 * secondMs, 120 * secondMs]
const resendDelayForgottenMs = hourMs
/** A send further ahead than this was made under a clock that has been set back since; it counts no more. */
const clockSkewMaxMs = minuteMs

type SendLimit = { sendsMax: number; withinMs: number }

type SignInLimits = {
  sendsPerPhone: readonly SendLimit[]
  resendDelayEnforced: boolean
  /** Whether a finished sign-in starts the resend delays anew. */
  signInClearsResendDelay: boolean
  /** Whether addresses and the sum of all sends are limited too: send-limits.ts. */
  beyondThePhone: boolean
}

/**
 * What KIST_LIMITS chooses from (facts/security §3.3, commands.md). Tries per code, single use, expiry and the lock
 * after failures are not among it: they hold always.
 */
export const signInLimits: Readonly<Record<'strict' | 'demo' | 'relaxed', SignInLimits>> = {
  strict: {
    sendsPerPhone: [
      { sendsMax: 3, withinMs: 10 * minuteMs },
      { sendsMax: 5, withinMs: hourMs },
      { sendsMax: 10, withinMs: dayMs },
    ],
    resendDelayEnforced: true,
    signInClearsResendDelay: false,
    beyondThePhone: true,
  },
  demo: {
    sendsPerPhone: [{ sendsMax: 60, withinMs: hourMs }],
    resendDelayEnforced: true,
    signInClearsResendDelay: true,
    beyondThePhone: false,
  },
  relaxed: { sendsPerPhone: [], resendDelayEnforced: false, signInClearsResendDelay: true, beyondThePhone: false },
}

/** What is remembered of a phone beyond any one code. */
export type PhoneHistory = {
  failures: number
  lockedUntil: Date | null
  signedInAt: Date | null
  /** Oldest first. */
  sentAt: readonly Date[]
}

/** @throws Failure AuthTooManyAttemptsError while the phone is locked after too many wrong codes. */
export function refuseLocked(phone: PhoneHistory, now: Date): void {
  const waitMs = phone.failures >= failuresMax ? lockMsMax : (phone.lockedUntil?.getTime() ?? 0) - now.getTime()
  if (waitMs > 0) throw tooManyAttempts('Too many wrong codes were entered for this number.', waitMs)
}

/**
 * Asks whether one more code may be sent to this phone now. Every send goes through here, an expired code's successor
 * too; limits per address and over all phones are in send-limits.ts.
 *
 * @throws Failure AuthTooManyAttemptsError over a limit, AuthResendTooSoon before the resend delay is over.
 */
export function refuseSend(limits: SignInLimits, phone: PhoneHistory, now: Date): void {
  refuseLocked(phone, now)
  const sends = sendsBefore(phone, now)
  const limitWaitMs = Math.max(0, ...limits.sendsPerPhone.map((limit) => waitForLimitMs(limit, sends, now)))
  const delayWaitMs = limits.resendDelayEnforced ? waitForResendMs(limits, phone, now) : 0
  if (limitWaitMs > 0) throw tooManyAttempts('Too many codes were sent to this number.', Math.max(limitWaitMs, delayWaitMs))
  if (delayWaitMs > 0)
    throw new Failure(
      'AuthResendTooSoon',
      `A code was sent a moment ago. A new one can be sent in ${Math.ceil(delayWaitMs / secondMs)} s.`,
      {
        retryAfterSeconds: delayWaitMs / secondMs,
      },
    )
}

/** How long after the latest send the next may follow, in whole seconds: 30, then 60, then 120. */
export function resendDelaySeconds(limits: SignInLimits, phone: PhoneHistory, now: Date): number {
  return resendDelayMs(limits, phone, now) / secondMs
}

/** The refusal of a code that was tried too often: only a new code helps, and this is when one can be had. */
export function codeExhausted(limits: SignInLimits, phone: PhoneHistory, now: Date): Failure {
  return tooManyAttempts('This code was entered wrongly too often. Ask for a new one.', waitForResendMs(limits, phone, now))
}

/** Until when a phone is locked once it has this many failures in a row; null between two locks. */
export function lockAfter(failures: number, now: Date): Date | null {
  if (failures % failuresPerLock !== 0) return null
  const doublings = failures / failuresPerLock - 1
  return new Date(now.getTime() + Math.min(lockMsFirst * 2 ** doublings, lockMsMax))
}

function tooManyAttempts(reason: string, waitMs: number): Failure {
  return new Failure('AuthTooManyAttemptsError', reason, { retryAfterSeconds: Math.max(1, waitMs / secondMs) })
}

function sendsBefore(phone: PhoneHistory, now: Date): number[] {
  return phone.sentAt.map((sentAt) => sentAt.getTime()).filter((sentAt) => sentAt <= now.getTime() + clockSkewMaxMs)
}

function waitForLimitMs({ sendsMax, withinMs }: SendLimit, sends: readonly number[], now: Date): number {
  const leavesFirst = sends.at(-sendsMax)
  return leavesFirst === undefined ? 0 : leavesFirst + withinMs - now.getTime()
}

function waitForResendMs(limits: SignInLimits, phone: PhoneHistory, now: Date): number {
  const latest = countedForDelay(limits, phone, now).at(-1)
  return latest === undefined ? 0 : Math.max(0, latest + resendDelayMs(limits, phone, now) - now.getTime())
}

function resendDelayMs(limits: SignInLimits, phone: PhoneHistory, now: Date): number {
  const sends = countedForDelay(limits, phone, now).length
  return resendDelaysMs[Math.max(0, Math.min(sends, resendDelaysMs.length) - 1)] ?? 0
}

function countedForDelay({ signInClearsResendDelay }: SignInLimits, phone: PhoneHistory, now: Date): number[] {
  const signedInAt = signInClearsResendDelay ? (phone.signedInAt?.getTime() ?? 0) : 0
  return sendsBefore(phone, now).filter((sentAt) => sentAt > signedInAt && sentAt > now.getTime() - resendDelayForgottenMs)
}
