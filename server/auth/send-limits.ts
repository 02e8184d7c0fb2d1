import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import type { Origin } from '../http/caller.ts'
import { Failure } from '../http/failure.ts'
import { addressKey } from './address.ts'
import {
  countCodes,
  forgetAddressesBefore,
  hasSignedInFrom,
  lockAddress,
  saveAddress,
  spendBudget,
  type AddressHistory,
} from './send-limits-store.ts'
import { signInLimits, type PhoneHistory } from './sign-in-limits.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Facts/security §3.2 and §3.3, by address and over all phones. They hold where KIST_LIMITS is strict. */
const sendsPerAddressSoft = 20
const sendsPerAddressHard = 100
const unknownPerAddress = 10

/** The breaker looks at codes that had two minutes to be used, over ten. */
const breakerFromMs = 12 * minuteMs
const breakerToMs = 2 * minuteMs
const breakerSendsMin = 50
const sendsPerUseMax = 2

type Request = { userId: string; history: PhoneHistory; origin: Origin; now: Date }

/**
 * Counts one send against its address and against the budget of all, in the transaction that sends and after the phone's lock:
 * exact, however many servers there are.
 *
 * @throws Failure AuthTooManyAttemptsError over a limit: nothing is counted and nothing sent.
 */
export async function spendSend(context: Context, sql: Sql, { userId, history, origin, now }: Request): Promise<void> {
  const { limits, smsPerMinuteMax, smsPerDayMax } = context.config.signIn
  if (!signInLimits[limits].beyondThePhone) return
  const address = addressKey(origin.remoteAddress)
  if (address !== null) {
    const known = within(await lockAddress(sql, address, now), now)
    refuseUnknown(known, now)
    // Past the soft limit an address reaches only phones that have signed in before; past the hard one none.
    const isKnownPhone = history.signedInAt !== null
    const sendsMax = isKnownPhone ? sendsPerAddressHard : sendsPerAddressSoft
    if (known.sentAt.length >= sendsMax) throw tooMany(known.sentAt.at(-sendsMax), hourMs, now)
    await saveAddress(sql, address, { ...known, sentAt: [...known.sentAt, now] }, now)
  }
  if ((await isBreakerOpen(sql, now)) && !(await hasSignedInFrom(sql, userId, origin.remoteAddress))) throw tooMany(now, breakerToMs, now)
  for (const [period, lengthMs, sendsMax] of [
    ['day', dayMs, smsPerDayMax],
    ['minute', minuteMs, smsPerMinuteMax],
  ] as const) {
    const startsAt = new Date(Math.floor(now.getTime() / lengthMs) * lengthMs)
    if (!(await spendBudget(sql, period, startsAt, sendsMax))) throw tooMany(startsAt, lengthMs, now)
  }
}

/**
 * Counts an answer that nobody has a phone. An address that has had ten of them in an hour gets no answer at all until the
 * hour is over, for no phone: so a list of numbers cannot be sifted (facts/security §3.2).
 *
 * @returns the answer. To be thrown after the transaction, which keeps the count.
 */
export async function answerUnknown(context: Context, sql: Sql, origin: Origin, now: Date): Promise<Failure> {
  const unknown = new Failure('AuthUserNotFoundError')
  const address = addressKey(origin.remoteAddress)
  if (!signInLimits[context.config.signIn.limits].beyondThePhone || address === null) return unknown
  const known = within(await lockAddress(sql, address, now), now)
  refuseUnknown(known, now)
  await saveAddress(sql, address, { ...known, unknownAt: [...known.unknownAt, now] }, now)
  return unknown
}

/** Forgets addresses that have not been seen for a day. */
export async function forgetAddresses({ clock, database }: Pick<Context, 'clock' | 'database'>): Promise<number> {
  return database.asSystem((sql) => forgetAddressesBefore(sql, new Date(clock.now().getTime() - dayMs)))
}

function refuseUnknown({ unknownAt }: AddressHistory, now: Date): void {
  if (unknownAt.length >= unknownPerAddress) throw tooMany(unknownAt.at(-unknownPerAddress), hourMs, now)
}

/** Messages that nobody turns into a sign-in are what message fraud looks like. */
async function isBreakerOpen(sql: Sql, now: Date): Promise<boolean> {
  const { sent, used } = await countCodes(sql, new Date(now.getTime() - breakerFromMs), new Date(now.getTime() - breakerToMs))
  return sent >= breakerSendsMin && sent > used * sendsPerUseMax
}

function within({ sentAt, unknownAt }: AddressHistory, now: Date): AddressHistory {
  const recent = (at: Date) => at.getTime() > now.getTime() - hourMs && at.getTime() <= now.getTime() + minuteMs
  return { sentAt: sentAt.filter(recent), unknownAt: unknownAt.filter(recent) }
}

/** Until the oldest that still counts has left its period. */
function tooMany(oldest: Date | undefined, periodMs: number, now: Date): Failure {
  const waitMs = (oldest ?? now).getTime() + periodMs - now.getTime()
  return new Failure('AuthTooManyAttemptsError', 'Too many codes were asked for. Please try again later.', {
    retryAfterSeconds: Math.max(1, waitMs / 1_000),
  })
}
