import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import { minuteMs, hourMs, hourSeconds } from '#domain/durations.ts'
import { Failure } from '../http/failure.ts'
import { codeLimits, lockAfter, refuseLocked, refuseSend, resendDelaySeconds, signInLimits, type SignInHistory } from './sign-in-limits.ts'

const start = new Date('2026-12-05T04:30:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)
/** Each send is from a different network, unless `network` is given. */
const phone = ({
  sentAt = [],
  network,
  ...history
}: Partial<SignInHistory> & { sentAt?: readonly Date[]; network?: string } = {}): SignInHistory => ({
  failures: 0,
  lockedUntil: null,
  signedInAt: null,
  sends: sentAt.map((at, index) => ({ at, network: network ?? `network ${index}` })),
  ...history,
})

type Mode = keyof typeof signInLimits
function refusal(
  mode: Mode,
  history: SignInHistory,
  now: Date,
  { isKnownDevice = false, network = 'another network' } = {},
): [ErrorCode, number] | null {
  try {
    refuseSend(signInLimits[mode], history, { isKnownDevice, network }, now)
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [error.code, error.extras.retryAfterSeconds ?? NaN]
  }
}

/** The number of sends at these times that are allowed. */
function sends(mode: Mode, times: readonly number[], device: { isKnownDevice?: boolean; network?: string } = {}): number {
  let history = phone()
  for (const ms of times)
    if (refusal(mode, history, after(ms), device) === null)
      history = { ...history, sends: [...history.sends, { at: after(ms), network: device.network ?? `network at ${ms}` }] }
  return history.sends.length
}

describe('sends of a phone', () => {
  it('A12: wait 30, then 60, then 120 s for the next', () => {
    const sentAt = [start]
    expect(resendDelaySeconds(signInLimits.strict, phone({ sentAt }), start)).toBe(30)
    expect(refusal('strict', phone({ sentAt }), after(29_001))).toEqual(['AuthResendTooSoon', 0.999])
    expect(refusal('strict', phone({ sentAt }), after(30_000))).toBeNull()
    sentAt.push(after(30_000))
    expect(resendDelaySeconds(signInLimits.strict, phone({ sentAt }), after(30_000))).toBe(60)
    expect(refusal('strict', phone({ sentAt }), after(89_999))).toEqual(['AuthResendTooSoon', 0.001])
    expect(refusal('strict', phone({ sentAt }), after(90_000))).toBeNull()
    sentAt.push(after(90_000))
    expect(resendDelaySeconds(signInLimits.strict, phone({ sentAt }), after(90_000))).toBe(120)
    expect(refusal('demo', phone({ sentAt }), after(209_999))).toEqual(['AuthResendTooSoon', 0.001])
    expect(refusal('demo', phone({ sentAt }), after(210_000))).toBeNull()
  })

  it('A12: start at 30 s again once the last send is an hour ago', () => {
    const sentAt = [start, after(minuteMs), after(hourMs + minuteMs)]
    expect(resendDelaySeconds(signInLimits.strict, phone({ sentAt }), after(hourMs + minuteMs))).toBe(30)
  })

  const everySecond = (ms: number) => Array.from({ length: ms / 1_000 }, (_, index) => index * 1_000)

  it('A13: strict allows 3 in 10 min, 5 in an hour, 9 in a day to unknown devices', () => {
    expect(sends('strict', everySecond(10 * minuteMs))).toBe(3)
    expect(sends('strict', everySecond(hourMs))).toBe(5)
    expect(sends('strict', everySecond(24 * hourMs))).toBe(9)
  })

  it('strict allows 3 a day from one network', () => {
    expect(sends('strict', everySecond(24 * hourMs), { network: 'one' })).toBe(3)
    const sentAt = [start, after(hourMs), after(2 * hourMs)]
    expect(refusal('strict', phone({ sentAt, network: 'one' }), after(3 * hourMs), { network: 'one' })).toEqual([
      'AuthTooManyAttemptsError',
      21 * hourSeconds,
    ])
    expect(refusal('strict', phone({ sentAt, network: 'one' }), after(3 * hourMs), { network: 'two' })).toBeNull()
    expect(refusal('strict', phone({ sentAt, network: 'one' }), after(24 * hourMs), { network: 'one' })).toBeNull()
  })

  it('strict allows 5 in an hour and 10 in a day to a known device, from any network', () => {
    expect(sends('strict', everySecond(hourMs), { isKnownDevice: true, network: 'one' })).toBe(5)
    expect(sends('strict', everySecond(24 * hourMs), { isKnownDevice: true, network: 'one' })).toBe(10)
  })

  it('a code takes 3 wrong tries on an unknown device in strict, 5 on a known one and in the other modes', () => {
    const tries = (mode: Mode, isKnownDevice: boolean) => codeLimits(signInLimits[mode], isKnownDevice).wrongTriesMax
    expect([tries('strict', false), tries('strict', true)]).toEqual([3, 5])
    expect([tries('demo', false), tries('demo', true), tries('relaxed', false)]).toEqual([5, 5, 5])
  })

  it('A13: strict gives the exact time until the next is allowed', () => {
    const sentAt = [start, after(minuteMs), after(3 * minuteMs)]
    expect(refusal('strict', phone({ sentAt }), after(6 * minuteMs))).toEqual(['AuthTooManyAttemptsError', 240])
    expect(refusal('strict', phone({ sentAt }), after(10 * minuteMs - 1))).toEqual(['AuthTooManyAttemptsError', 1])
    expect(refusal('strict', phone({ sentAt }), after(10 * minuteMs))).toBeNull()
  })

  it('A13: demo allows 60 in an hour', () => {
    const sentAt = Array.from({ length: 59 }, (_, index) => after(index * 1_000))
    expect(refusal('demo', phone({ sentAt }), after(10 * minuteMs))).toBeNull()
    expect(refusal('demo', phone({ sentAt: [...sentAt, after(59_000)] }), after(10 * minuteMs))).toEqual([
      'AuthTooManyAttemptsError',
      3_000,
    ])
  })

  it('in demo, a sign-in clears the resend delay; in strict it does not', () => {
    const history = phone({ sentAt: [start], signedInAt: after(5_000) })
    expect(refusal('demo', history, after(6_000))).toBeNull()
    expect(refusal('strict', history, after(6_000))).toEqual(['AuthResendTooSoon', 24])
  })

  it('relaxed returns the delay and refuses nothing', () => {
    const sentAt = Array.from({ length: 500 }, () => start)
    expect(refusal('relaxed', phone({ sentAt }), start)).toBeNull()
    expect(resendDelaySeconds(signInLimits.relaxed, phone({ sentAt: [start] }), start)).toBe(30)
  })

  it('are not delayed by sends of a clock that was set back later, but by those of a clock slightly ahead', () => {
    expect(refusal('strict', phone({ sentAt: [after(72 * hourMs)] }), start)).toBeNull()
    expect(refusal('strict', phone({ sentAt: [after(2_000)] }), start)).toEqual(['AuthResendTooSoon', 32])
  })
})

describe('locks of a phone', () => {
  it('A10: start at every tenth failure and double from 15 min to 24 h', () => {
    const locks = Array.from({ length: 90 }, (_, index) => lockAfter(index + 1, start)).filter((until) => until !== null)
    expect(locks.map((until) => (until.getTime() - start.getTime()) / minuteMs)).toEqual([15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
    expect(lockAfter(9, start)).toBeNull()
    expect(lockAfter(11, start)).toBeNull()
  })

  it('A10: end as announced, and at 100 failures not by themselves', () => {
    const locked = phone({ failures: 10, lockedUntil: after(15 * minuteMs) })
    expect(() => refuseLocked(locked, after(15 * minuteMs - 1))).toThrow(Failure)
    expect(() => refuseLocked(locked, after(15 * minuteMs))).not.toThrow()
    expect(() => refuseLocked(phone({ failures: 99, lockedUntil: start }), start)).not.toThrow()
    expect(() => refuseLocked(phone({ failures: 100, lockedUntil: start }), after(1_000 * hourMs))).toThrow(Failure)
  })

  it('apply in every mode, and prevent codes from being sent', () => {
    for (const mode of Object.keys(signInLimits) as Mode[])
      expect(refusal(mode, phone({ failures: 10, lockedUntil: after(60_000) }), start)).toEqual(['AuthTooManyAttemptsError', 60])
  })
})
