import { minuteMs, hourMs, dayMs } from '#domain/durations.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../caller.ts'
import { Failure } from '../http/failure.ts'
import { findNetworks } from './address.ts'
import { freeTokens, returnToken, takeToken, forceTakeToken, unusedCodesPerDay } from './breaker.ts'
import {
  addAnswer,
  countUsedCodes,
  forgetNetworksBefore,
  lockBreaker,
  readBreaker,
  removeAnswer,
  saveBreaker,
  saveMonthSignIns,
  spendBudget,
} from './send-limits-store.ts'
import { signInLimits } from './sign-in-limits.ts'
import type { LockedOwner } from './sign-in-store.ts'

const monthMs = 30 * dayMs

type LimitContext = Pick<Context, 'config' | 'log' | 'metrics'>

/**
 * Counts one answer of POST /auth/login against the caller's networks. A network over its limit
 * gets no answer for any phone until the hour is over, so a list of numbers cannot be probed and
 * the refusal reveals nothing about a phone. Known devices are not counted.
 *
 * @throws Failure AuthTooManyAttemptsError over a limit: nothing is counted.
 */
export async function countAnswer({ config }: LimitContext, sql: Sql, { remoteAddress }: Origin, now: Date): Promise<void> {
  if (!signInLimits[config.signIn.limits].limitsNetworksAndTotals) return
  // Always the smallest network first, so that servers lock in one order and cannot deadlock.
  for (const { name, kind } of findNetworks(remoteAddress)) {
    const oldest = await addAnswer(sql, name, config.signIn.answersPerHour[kind], now)
    if (oldest !== null) throw tooMany(oldest.getTime() + hourMs - now.getTime())
  }
}

/**
 * Returns the answer and the code of a sign-in on an unknown device: it proves that they went to
 * the phone's owner.
 */
export async function returnUsedSend({ config }: LimitContext, sql: Sql, { remoteAddress }: Origin): Promise<void> {
  if (!signInLimits[config.signIn.limits].limitsNetworksAndTotals) return
  for (const { name } of findNetworks(remoteAddress)) await removeAnswer(sql, name)
  const { fullAt, monthSignIns } = await lockBreaker(sql)
  await saveBreaker(sql, returnToken(fullAt, unusedCodesPerDay(config.signIn.unusedCodesPerDay, monthSignIns)))
}

/**
 * Counts one code against the breaker (unknown devices only) and the budget of all messages, in the
 * sending transaction and under the owner's lock, so that the count is exact over all servers.
 *
 * @returns when the code may be sent: now, or at most 120 s later.
 * @throws Failure AuthTooManyAttemptsError over a limit: nothing is counted or sent.
 */
export async function spendSend(context: LimitContext, sql: Sql, owner: LockedOwner, now: Date): Promise<Date> {
  const { limits, smsPerMinuteMax, smsPerDayMax } = context.config.signIn
  if (!signInLimits[limits].limitsNetworksAndTotals) return now
  const isKnownDevice = owner.deviceHash !== null
  const sendAt = isKnownDevice ? now : await takeBreakerToken(context, sql, owner, now)
  for (const [period, lengthMs, sendsMax] of [
    ['day', dayMs, smsPerDayMax],
    ['minute', minuteMs, smsPerMinuteMax],
  ] as const) {
    const startsAt = new Date(Math.floor(now.getTime() / lengthMs) * lengthMs)
    // A known device has its own limits, which others cannot use up: it is counted, not refused.
    const isWithinBudget = await spendBudget(sql, period, startsAt, isKnownDevice ? null : sendsMax)
    if (!isWithinBudget) throw tooMany(startsAt.getTime() + lengthMs - now.getTime())
  }
  return sendAt
}

async function takeBreakerToken(
  { config, log, metrics }: LimitContext,
  sql: Sql,
  { unlockedUntil }: LockedOwner,
  now: Date,
): Promise<Date> {
  const { fullAt, monthSignIns } = await lockBreaker(sql)
  const tokensPerDay = unusedCodesPerDay(config.signIn.unusedCodesPerDay, monthSignIns)
  if (unlockedUntil !== null && unlockedUntil > now) {
    await saveBreaker(sql, forceTakeToken(fullAt, tokensPerDay, now))
    return now
  }
  const token = takeToken(fullAt, tokensPerDay, now)
  if (token.kind === 'refused') {
    metrics.signInCodeDecided('refused')
    log.warn({ event: 'sign_in_breaker', tokens_per_day: tokensPerDay }, 'sign-in code refused: the budget of unused codes is spent')
    throw tooMany(token.retryAfterMs)
  }
  const delayMs = token.sendAt.getTime() - now.getTime()
  metrics.signInCodeDecided(delayMs > 0 ? 'delayed' : 'sent')
  if (delayMs > 0)
    log.warn(
      { event: 'sign_in_breaker', tokens_per_day: tokensPerDay, delay_ms: delayMs },
      'sign-in code delayed: the budget of unused codes is spent',
    )
  await saveBreaker(sql, token.fullAt)
  return token.sendAt
}

/**
 * Reads how many codes to unknown devices may be sent now without waiting, and how many may stay
 * unused a day.
 */
export async function readBreakerCodes(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  sql: Sql,
): Promise<{ free: number; perDay: number }> {
  const { fullAt, monthSignIns } = await readBreaker(sql)
  const perDay = unusedCodesPerDay(config.signIn.unusedCodesPerDay, monthSignIns)
  return { free: freeTokens(fullAt, perDay, clock.now()), perDay }
}

/**
 * Deletes networks unused for a day, and counts the month's sign-ins once a day.
 *
 * @returns the number of deleted networks.
 */
export async function maintainSignInLimits({ clock, database }: Pick<Context, 'clock' | 'database'>): Promise<number> {
  const now = clock.now()
  await database.asSystem(async (sql) => {
    const { countedAt } = await readBreaker(sql)
    if (countedAt !== null && Math.abs(now.getTime() - countedAt.getTime()) < dayMs) return
    await saveMonthSignIns(sql, await countUsedCodes(sql, new Date(now.getTime() - monthMs), now), now)
  })
  return database.asSystem((sql) => forgetNetworksBefore(sql, new Date(now.getTime() - dayMs)))
}

function tooMany(waitMs: number): Failure {
  return new Failure('AuthTooManyAttemptsError', 'Too many codes were requested. Please try again later.', {
    retryAfterSeconds: Math.max(1, waitMs / 1_000),
  })
}
