import { secondMs, minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import { Failure } from '../http/failure.ts'

/** A code is valid for five minutes after it is sent (docs/security.md). */
export const codeLifetimeMs = 5 * minuteMs
/**
 * For this long after its expiry a code is replaced by a new one; a session token therefore lasts
 * 15 minutes.
 */
export const successorWindowMs = 10 * minuteMs
/** How long sends are stored. */
export const sendRetentionMs = dayMs
/** The longest that a code to an unknown device waits for the breaker (decision 58). */
export const breakerDelayMsMax = 120 * secondMs
/** How long after `kist unlock` the breaker lets codes to the phone pass. */
export const unlockDurationMs = hourMs

const failuresPerLock = 10
const lockMsFirst = 15 * minuteMs
const lockMsMax = dayMs
/** After this many failures only an operator can unlock the phone (NIST SP 800-63B-4 §3.2.2). */
const failuresMax = 100

const resendDelaysMs = [30 * secondMs, 60 * secondMs, 120 * secondMs]
const resendDelayWindowMs = hourMs
/** A send further in the future was counted before the clock was set back; it is ignored. */
const clockSkewMaxMs = breakerDelayMsMax + minuteMs

type SendLimit = { sendsMax: number; withinMs: number }

/** The limits of a phone's codes, or of its codes on one known device. */
type CodeLimits = {
  sends: readonly SendLimit[]
  /** The part of the sends that one network may request. */
  sendsFromOneNetwork: SendLimit | null
  /** After this many wrong tries even the right code is refused. */
  wrongTriesMax: number
}

type SignInLimits = {
  unknownDevice: CodeLimits
  /** Null: devices are not distinguished, and all count as unknown. */
  knownDevice: CodeLimits | null
  resendDelayEnforced: boolean
  /** Whether a sign-in resets the resend delay. */
  signInClearsResendDelay: boolean
  /** Whether networks, unused codes and the total of sends are limited too: send-limits.ts. */
  limitsNetworksAndTotals: boolean
}

/**
 * The choices of KIST_LIMITS (decision 58, docs/security.md). Single use, expiry
 * and the lock after failures always apply.
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
    limitsNetworksAndTotals: true,
  },
  demo: {
    unknownDevice: { sends: [{ sendsMax: 60, withinMs: hourMs }], sendsFromOneNetwork: null, wrongTriesMax: 5 },
    knownDevice: null,
    resendDelayEnforced: true,
    signInClearsResendDelay: true,
    limitsNetworksAndTotals: false,
  },
  relaxed: {
    unknownDevice: { sends: [], sendsFromOneNetwork: null, wrongTriesMax: 5 },
    knownDevice: null,
    resendDelayEnforced: false,
    signInClearsResendDelay: true,
    limitsNetworksAndTotals: false,
  },
}

/** The limits of a code. Known devices have their own where devices are distinguished. */
export function codeLimits(limits: SignInLimits, isKnownDevice: boolean): CodeLimits {
  return (isKnownDevice ? limits.knownDevice : null) ?? limits.unknownDevice
}

/** A sent code: when, and the network that requested it (networkHash; empty if unknown). */
export type Send = { at: Date; network: string }

/** The history of a phone on unknown devices, or of one known device. */
export type SignInHistory = {
  failures: number
  lockedUntil: Date | null
  signedInAt: Date | null
  /** Oldest first. */
  sends: readonly Send[]
}

/**
 * @throws Failure AuthTooManyAttemptsError while the phone or known device is locked after too many
 * wrong codes.
 */
export function refuseLocked(history: SignInHistory, now: Date): void {
  const waitMs = history.failures >= failuresMax ? lockMsMax : (history.lockedUntil?.getTime() ?? 0) - now.getTime()
  if (waitMs > 0) throw tooManyAttempts('Too many wrong codes were entered for this number.', waitMs)
}

/**
 * Refuses a send over the limits of a phone. Every send is checked here, also the successor of an
 * expired code; limits per network and over all phones are in send-limits.ts.
 *
 * @param isKnownDevice whether the history belongs to a known device.
 * @param network that requests the code.
 * @throws Failure AuthTooManyAttemptsError over a limit, AuthResendTooSoon before the resend delay
 * is over.
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

/** The delay between the latest send and the next in whole seconds: 30, then 60, then 120. */
export function resendDelaySeconds(limits: SignInLimits, history: SignInHistory, now: Date): number {
  return resendDelayMs(limits, history, now) / secondMs
}

/** The refusal of a code with too many wrong tries; retry after the next code can be sent. */
export function codeExhausted(limits: SignInLimits, history: SignInHistory, now: Date): Failure {
  const waitMs = waitForResendMs(limits, history, now)
  return tooManyAttempts('This code was entered wrongly too often. Ask for a new one.', waitMs, { refusal: 'code_used_up' })
}

/** The end of the lock that this number of consecutive failures causes; null if it causes none. */
export function lockAfter(failures: number, now: Date): Date | null {
  if (failures % failuresPerLock !== 0) return null
  const doublings = failures / failuresPerLock - 1
  return new Date(now.getTime() + Math.min(lockMsFirst * 2 ** doublings, lockMsMax))
}

function tooManyAttempts(reason: string, waitMs: number, extras: Pick<Failure['extras'], 'refusal'> = {}): Failure {
  return new Failure('AuthTooManyAttemptsError', reason, { ...extras, retryAfterSeconds: Math.max(1, waitMs / secondMs) })
}

function sendsBefore({ sends }: SignInHistory, now: Date): Send[] {
  return sends.filter(({ at }) => at.getTime() <= now.getTime() + clockSkewMaxMs)
}

function waitForLimitMs({ sendsMax, withinMs }: SendLimit, sends: readonly Send[], now: Date): number {
  const oldestCountedMs = sends.at(-sendsMax)?.at.getTime()
  return oldestCountedMs === undefined ? 0 : oldestCountedMs + withinMs - now.getTime()
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
    .filter((sentAt) => sentAt > signedInAt && sentAt > now.getTime() - resendDelayWindowMs)
}
