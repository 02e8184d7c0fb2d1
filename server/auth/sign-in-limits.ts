import { Failure } from '../http/failure.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A code is good for five minutes from when it is sent (facts/security §3.3). */
export const codeLifetimeMs = 5 * minuteMs
/** For this long after its end an expired code is answered with a new one; a session token so lives 15 minutes. */
export const successorWindowMs = 10 * minuteMs
/** How long sends must be remembered. */
export const sendsKeptMs = dayMs
/** The longest that a code to an unknown device waits for the breaker (decision 58). */
export const breakerDelayMsMax = 120 * secondMs
/** For so long after `kist unlock` the breaker lets codes to the phone pass. */
export const unlockLastsMs = hourMs

const failuresPerLock = 10
const lockMsFirst = 15 * minuteMs
const lockMsMax = dayMs
/** From here on only an operator unlocks the phone (NIST SP 800-63B-4 §3.2.2). */
const failuresMax = 100

const resendDelaysMs = [30 * secondMs, 60 * secondMs, 120 * secondMs]
const resendDelayForgottenMs = hourMs
/** A send further ahead than this was made under a clock that has been set back since; it counts no more. */
const clockSkewMaxMs = breakerDelayMsMax + minuteMs

type SendLimit = { sendsMax: number; withinMs: number }

/** What holds for the codes of a phone, or for those of a phone on one device that it signed in on before. */
export type CodeLimits = {
  sends: readonly SendLimit[]
  /** Of those, how many may be asked for from one network. */
  sendsFromOneNetwork: SendLimit | null
  /** Wrong tries of one code; then not even the right one is compared. */
  wrongTriesMax: number
}

type SignInLimits = {
  unknownDevice: CodeLimits
  /** Null: devices are not told apart, and every code counts as one to an unknown device. */
  knownDevice: CodeLimits | null
  resendDelayEnforced: boolean
  /** Whether a finished sign-in starts the resend delays anew. */
  signInClearsResendDelay: boolean
  /** Whether networks, unused codes and the sum of all sends are limited too: send-limits.ts. */
  beyondThePhone: boolean
}

/**
 * What KIST_LIMITS chooses from (decision 58, facts/security §3.3, commands.md). Single use, expiry and the lock after failures are not
 * among it: they hold always.
 */
export const signInLimits: Readonly<Record<'strict' | 'demo' | 'relaxed', SignInLimits>> = {
  strict: {
    unknownDevice: {
      sends: [
        { sendsMax: 3, withinMs: 10 * minuteMs },
        { sendsMax: 5, withinMs: hourMs },
        { sendsMax: 9, withinMs: dayMs },
      ],
      sendsFromOneNetwork: { sendsMax: 3, withinMs: dayMs },
      wrongTriesMax: 3,
    },
    knownDevice: {
      sends: [
        { sendsMax: 5, withinMs: hourMs },
        { sendsMax: 10, withinMs: dayMs },
      ],
      sendsFromOneNetwork: null,
      wrongTriesMax: 5,
    },
    resendDelayEnforced: true,
    signInClearsResendDelay: false,
    beyondThePhone: true,
  },
  demo: {
    unknownDevice: { sends: [{ sendsMax: 60, withinMs: hourMs }], sendsFromOneNetwork: null, wrongTriesMax: 5 },
    knownDevice: null,
    resendDelayEnforced: true,
    signInClearsResendDelay: true,
    beyondThePhone: false,
  },
  relaxed: {
    unknownDevice: { sends: [], sendsFromOneNetwork: null, wrongTriesMax: 5 },
    knownDevice: null,
    resendDelayEnforced: false,
    signInClearsResendDelay: true,
    beyondThePhone: false,
  },
}

/** The limits of a code: those of a known device only where devices are told apart. */
export function codeLimits(limits: SignInLimits, isKnownDevice: boolean): CodeLimits {
  return (isKnownDevice ? limits.knownDevice : null) ?? limits.unknownDevice
}

/** A code that was sent: when, and from which network it was asked for (networkHash; empty where it is not known). */
export type Send = { at: Date; network: string }

/** What is remembered beyond any one code: of a phone on unknown devices, or of one known device. */
export type SignInHistory = {
  failures: number
  lockedUntil: Date | null
  signedInAt: Date | null
  /** Oldest first. */
  sends: readonly Send[]
}

/** @throws Failure AuthTooManyAttemptsError while the phone, or the known device, is locked after too many wrong codes. */
export function refuseLocked(history: SignInHistory, now: Date): void {
  const waitMs = history.failures >= failuresMax ? lockMsMax : (history.lockedUntil?.getTime() ?? 0) - now.getTime()
  if (waitMs > 0) throw tooManyAttempts('Too many wrong codes were entered for this number.', waitMs)
}

/**
 * Asks whether one more code may be sent now. Every send is checked here, an expired code's successor too; limits per network and over
 * all phones are in send-limits.ts.
 *
 * @param isKnownDevice whether the history is that of a known device.
 * @param network from which the code is asked for.
 * @throws Failure AuthTooManyAttemptsError over a limit, AuthResendTooSoon before the resend delay is over.
 */
export function refuseSend(
  limits: SignInLimits,
  history: SignInHistory,
  { isKnownDevice, network }: { isKnownDevice: boolean; network: string },
  now: Date,
): void {
  refuseLocked(history, now)
  const { sends: sendLimits, sendsFromOneNetwork } = codeLimits(limits, isKnownDevice)
  const sends = sendsBefore(history, now)
  const fromHere = sends.filter((send) => send.network === network)
  const limitWaitMs = Math.max(
    0,
    ...sendLimits.map((limit) => waitForLimitMs(limit, sends, now)),
    sendsFromOneNetwork ? waitForLimitMs(sendsFromOneNetwork, fromHere, now) : 0,
  )
  const delayWaitMs = limits.resendDelayEnforced ? waitForResendMs(limits, history, now) : 0
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
export function resendDelaySeconds(limits: SignInLimits, history: SignInHistory, now: Date): number {
  return resendDelayMs(limits, history, now) / secondMs
}

/** The refusal of a code that was tried too often: only a new code helps, and this is when one can be had. */
export function codeExhausted(limits: SignInLimits, history: SignInHistory, now: Date): Failure {
  return tooManyAttempts('This code was entered wrongly too often. Ask for a new one.', waitForResendMs(limits, history, now))
}

/** Until when a phone or known device is locked once it has this many failures in a row; null between two locks. */
export function lockAfter(failures: number, now: Date): Date | null {
  if (failures % failuresPerLock !== 0) return null
  const doublings = failures / failuresPerLock - 1
  return new Date(now.getTime() + Math.min(lockMsFirst * 2 ** doublings, lockMsMax))
}

function tooManyAttempts(reason: string, waitMs: number): Failure {
  return new Failure('AuthTooManyAttemptsError', reason, { retryAfterSeconds: Math.max(1, waitMs / secondMs) })
}

function sendsBefore({ sends }: SignInHistory, now: Date): Send[] {
  return sends.filter(({ at }) => at.getTime() <= now.getTime() + clockSkewMaxMs)
}

function waitForLimitMs({ sendsMax, withinMs }: SendLimit, sends: readonly Send[], now: Date): number {
  const leavesFirst = sends.at(-sendsMax)?.at.getTime()
  return leavesFirst === undefined ? 0 : leavesFirst + withinMs - now.getTime()
}

function waitForResendMs(limits: SignInLimits, history: SignInHistory, now: Date): number {
  const latest = countedForDelay(limits, history, now).at(-1)
  return latest === undefined ? 0 : Math.max(0, latest + resendDelayMs(limits, history, now) - now.getTime())
}

function resendDelayMs(limits: SignInLimits, history: SignInHistory, now: Date): number {
  const sends = countedForDelay(limits, history, now).length
  return resendDelaysMs[Math.max(0, Math.min(sends, resendDelaysMs.length) - 1)] ?? 0
}

function countedForDelay({ signInClearsResendDelay }: SignInLimits, history: SignInHistory, now: Date): number[] {
  const signedInAt = signInClearsResendDelay ? (history.signedInAt?.getTime() ?? 0) : 0
  return sendsBefore(history, now)
    .map(({ at }) => at.getTime())
    .filter((sentAt) => sentAt > signedInAt && sentAt > now.getTime() - resendDelayForgottenMs)
}
