import { breakerDelayMsMax } from './sign-in-limits.ts'

/**
 * The breaker of decision 58: a token bucket for codes to unknown devices, over the whole portal. A code takes a token when it is sent, a
 * sign-in gives it back, and one day brings `tokensPerDay` of them: so many codes that nobody uses may leave a day. The bucket holds one
 * day's tokens. Its state is one moment, `fullAt`: when every token will be back. It is empty while that is a day away.
 */
const dayMs = 86_400_000

/** Of the sign-ins of a month, so many codes may stay unused each day, where that is more than the setting. */
const shareOfMonthSignIns = 0.01

/** How many codes to unknown devices may stay unused a day: the setting, or 1 % of the month's sign-ins, the larger. */
export function unusedCodesPerDay(setting: number, monthSignIns: number): number {
  return Math.max(setting, Math.floor(monthSignIns * shareOfMonthSignIns))
}

export type TokenAnswer =
  /** The code may be sent then: now, or at most 120 s later. */
  | { kind: 'taken'; sendAt: Date; fullAt: Date }
  /** No token will be free in 120 s. Nothing was taken. */
  | { kind: 'refused'; retryAfterMs: number }

/** Takes the next free token. */
export function takeToken(fullAt: Date, tokensPerDay: number, now: Date): TokenAnswer {
  const fullAfterMs = startMs(fullAt, now) + tokenMs(tokensPerDay)
  const waitMs = Math.max(0, fullAfterMs - dayMs - now.getTime())
  if (waitMs > breakerDelayMsMax) return { kind: 'refused', retryAfterMs: waitMs - breakerDelayMsMax }
  return { kind: 'taken', sendAt: new Date(now.getTime() + waitMs), fullAt: new Date(fullAfterMs) }
}

/** Takes a token whether one is free or not: the code goes to a phone that an operator has unlocked. @returns the new `fullAt`. */
export function takeTokenAnyway(fullAt: Date, tokensPerDay: number, now: Date): Date {
  return new Date(Math.min(startMs(fullAt, now) + tokenMs(tokensPerDay), latestMs(now)))
}

/** A code was used: its token is back. @returns the new `fullAt`. */
export function returnToken(fullAt: Date, tokensPerDay: number): Date {
  return new Date(fullAt.getTime() - tokenMs(tokensPerDay))
}

/** How many tokens can be taken now without waiting. */
export function freeTokens(fullAt: Date, tokensPerDay: number, now: Date): number {
  const missingMs = Math.max(0, fullAt.getTime() - now.getTime())
  return Math.max(0, Math.floor((dayMs - missingMs) / tokenMs(tokensPerDay)))
}

/** How long one token takes to come, in whole milliseconds. */
const tokenMs = (tokensPerDay: number): number => Math.floor(dayMs / tokensPerDay)

/** The latest that `fullAt` can be. A later one was written under a clock that has been set back since. */
const latestMs = (now: Date): number => now.getTime() + dayMs + breakerDelayMsMax

const startMs = (fullAt: Date, now: Date): number => Math.min(Math.max(fullAt.getTime(), now.getTime()), latestMs(now))
