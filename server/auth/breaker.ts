import { dayMs } from '#domain/durations.ts'
import { breakerDelayMsMax } from './sign-in-limits.ts'

/**
 * The breaker of decision 58: a portal-wide token bucket for codes to unknown devices. Sending a
 * code takes a token, a sign-in returns it, and `tokensPerDay` tokens are added per day: this many
 * unused codes may be sent a day. The bucket holds one day's tokens. `fullAt` is its whole state:
 * the moment at which the bucket is full again. The bucket is empty when `fullAt` is a day ahead.
 */

/** The share of a month's sign-ins that may stay unused each day, if that exceeds the setting. */
const shareOfMonthSignIns = 0.01

/**
 * The number of codes to unknown devices that may stay unused a day: the setting or 1 % of the
 * month's sign-ins, whichever is larger.
 */
export function unusedCodesPerDay(setting: number, monthSignIns: number): number {
  return Math.max(setting, Math.floor(monthSignIns * shareOfMonthSignIns))
}

type TokenDecision =
  /** The code may be sent at `sendAt`: now, or at most 120 s later. */
  | { kind: 'taken'; sendAt: Date; fullAt: Date }
  /** No token becomes free within 120 s. None was taken. */
  | { kind: 'refused'; retryAfterMs: number }

/** Takes the next free token. */
export function takeToken(fullAt: Date, tokensPerDay: number, now: Date): TokenDecision {
  const fullAfterMs = startMs(fullAt, now) + tokenMs(tokensPerDay)
  const waitMs = Math.max(0, fullAfterMs - dayMs - now.getTime())
  if (waitMs > breakerDelayMsMax) return { kind: 'refused', retryAfterMs: waitMs - breakerDelayMsMax }
  return { kind: 'taken', sendAt: new Date(now.getTime() + waitMs), fullAt: new Date(fullAfterMs) }
}

/**
 * Takes a token even if none is free, for a phone that an operator has unlocked.
 *
 * @returns the new `fullAt`.
 */
export function forceTakeToken(fullAt: Date, tokensPerDay: number, now: Date): Date {
  return new Date(Math.min(startMs(fullAt, now) + tokenMs(tokensPerDay), latestMs(now)))
}

/**
 * Returns the token of a code that was used.
 *
 * @returns the new `fullAt`.
 */
export function returnToken(fullAt: Date, tokensPerDay: number): Date {
  return new Date(fullAt.getTime() - tokenMs(tokensPerDay))
}

/** The number of tokens that can be taken now without waiting. */
export function freeTokens(fullAt: Date, tokensPerDay: number, now: Date): number {
  const missingMs = Math.max(0, fullAt.getTime() - now.getTime())
  return Math.max(0, Math.floor((dayMs - missingMs) / tokenMs(tokensPerDay)))
}

/** The time until one more token is added, in whole milliseconds. */
const tokenMs = (tokensPerDay: number): number => Math.floor(dayMs / tokensPerDay)

/** The latest possible `fullAt`. A later one was written before the clock was set back. */
const latestMs = (now: Date): number => now.getTime() + dayMs + breakerDelayMsMax

const startMs = (fullAt: Date, now: Date): number => Math.min(Math.max(fullAt.getTime(), now.getTime()), latestMs(now))
