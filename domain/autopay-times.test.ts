import { describe, expect, it } from 'vitest'
import {
  addWorkingDays,
  announceAtMs,
  changeableUntilMs,
  expectedByMs,
  isWorkingDay,
  lastDebitBefore,
  nextWindowAtMs,
  postponedToMs,
  presentAfterDeliveryAtMs,
  presentAtMs,
  redeliverAtMs,
} from './autopay-times.ts'
import { toDay } from './calendar.ts'

const india = (text: string): number => Date.parse(`${text}+05:30`)
const shown = (ms: number): string => new Date(ms + 19_800_000).toISOString().slice(0, 16)
const debitOn = toDay('2026-11-25')

describe('a UPI debit', () => {
  it('is announced at 10:00 two days before, and presented from 06:00', () => {
    expect(shown(announceAtMs(debitOn))).toBe('2026-11-23T10:00')
    expect(shown(presentAtMs('upi', debitOn, india('2026-11-23T10:00')))).toBe('2026-11-25T06:00')
  })

  it('is announced again if that is not delivered by 05:00 of the day before', () => {
    expect(shown(redeliverAtMs(debitOn))).toBe('2026-11-24T05:00')
  })

  it('follows a late announcement by 25 hours, in a window of NPCI', () => {
    expect(shown(presentAtMs('upi', debitOn, india('2026-11-24T05:30')))).toBe('2026-11-25T06:00')
    expect(shown(presentAtMs('upi', debitOn, india('2026-11-24T06:30')))).toBe('2026-11-25T07:30')
    expect(shown(presentAtMs('upi', debitOn, india('2026-11-24T09:00')))).toBe('2026-11-25T13:00')
    expect(shown(presentAtMs('upi', debitOn, india('2026-11-24T17:00')))).toBe('2026-11-25T21:30')
    expect(shown(presentAtMs('upi', debitOn, india('2026-11-24T23:30')))).toBe('2026-11-26T06:00')
  })

  it('waits 25 hours for a delivery that came too late', () => {
    const announced = { debitOn, presentMs: india('2026-11-25T06:00') }
    const delivered = (text: string) => shown(presentAfterDeliveryAtMs('upi', announced, india(text), india(text)))
    expect(delivered('2026-11-24T05:40')).toBe('2026-11-25T06:00')
    expect(delivered('2026-11-24T05:41')).toBe('2026-11-25T06:41')
    expect(delivered('2026-11-24T13:00')).toBe('2026-11-25T14:00')
    // On another day: a day after the borrower is told of it, which can be later than the delivery.
    expect(delivered('2026-11-24T23:30')).toBe('2026-11-26T06:00')
    const toldLater = presentAfterDeliveryAtMs('upi', announced, india('2026-11-24T23:30'), india('2026-11-25T15:00'))
    expect(shown(toldLater)).toBe('2026-11-26T15:20')
  })

  it('is postponed within its day; another day is told 24 hours before', () => {
    const postponed = (text: string) => shown(postponedToMs('upi', debitOn, india(text)))
    expect(postponed('2026-11-25T09:24')).toBe('2026-11-25T09:24')
    expect(postponed('2026-11-25T09:26')).toBe('2026-11-25T13:00')
    expect(postponed('2026-11-25T23:39')).toBe('2026-11-25T23:39')
    expect(postponed('2026-11-25T23:41')).toBe('2026-11-27T06:00')
    expect(postponed('2026-11-26T06:01')).toBe('2026-11-27T06:21')
  })

  it('leaves a day between notice and debit when two clocks are ten minutes wrong', () => {
    const slow = india('2026-11-24T06:00') - 10 * 60_000
    const fast = presentAtMs('upi', debitOn, slow) - 10 * 60_000
    expect(fast - india('2026-11-24T06:00')).toBeGreaterThanOrEqual(24 * 3_600_000)
  })

  it('begins in no window that is about to end', () => {
    const next = (text: string) => shown(nextWindowAtMs('upi', india(text)))
    expect(next('2026-11-25T05:59')).toBe('2026-11-25T06:00')
    expect(next('2026-11-25T06:00')).toBe('2026-11-25T06:00')
    expect(next('2026-11-25T09:24')).toBe('2026-11-25T09:24')
    expect(next('2026-11-25T09:26')).toBe('2026-11-25T13:00')
  })

  it('is known within 36 hours', () => {
    expect(shown(expectedByMs('upi', india('2026-11-25T06:00'), new Set()))).toBe('2026-11-26T18:00')
  })

  it('can be changed until an hour before', () => {
    expect(shown(changeableUntilMs(india('2026-11-25T06:00')))).toBe('2026-11-25T05:00')
  })
})

describe('an eNACH debit', () => {
  it('is presented at 07:00, and before 09:00 or on the next day', () => {
    expect(shown(presentAtMs('emandate', debitOn, india('2026-11-23T10:00')))).toBe('2026-11-25T07:00')
    expect(shown(nextWindowAtMs('emandate', india('2026-11-25T08:54')))).toBe('2026-11-25T08:54')
    expect(shown(nextWindowAtMs('emandate', india('2026-11-25T08:59')))).toBe('2026-11-26T07:00')
    // The day after would be told less than 24 hours before.
    expect(shown(postponedToMs('emandate', debitOn, india('2026-11-25T08:59')))).toBe('2026-11-27T07:00')
  })

  it('is known after two working days: no Sunday, no second or fourth Saturday, no holiday', () => {
    const holidays = new Set([toDay('2026-11-24')])
    expect(isWorkingDay(toDay('2026-11-24'), holidays)).toBe(false)
    // 7 and 21 November 2026 are the first and the third Saturday, 14 and 28 the second and fourth.
    expect(['2026-11-07', '2026-11-14', '2026-11-21', '2026-11-28', '2026-11-29'].map((day) => isWorkingDay(toDay(day), holidays))).toEqual(
      [true, false, true, false, false],
    )
    expect(addWorkingDays(toDay('2026-11-23'), 2, holidays)).toBe('2026-11-26')
    expect(shown(expectedByMs('emandate', india('2026-11-25T07:00'), holidays))).toBe('2026-11-27T18:00')
    expect(shown(expectedByMs('emandate', india('2026-11-27T07:00'), holidays))).toBe('2026-12-01T18:00')
    expect(shown(expectedByMs('emandate', india('2026-11-25T10:00'), holidays))).toBe('2026-11-30T18:00')
  })
})

describe('the last debit before another one', () => {
  it('has its outcome in time for the other to be announced and presented on its day', () => {
    const next = toDay('2026-12-07')
    expect(lastDebitBefore('upi', next, new Set())).toBe('2026-12-04')
    expect(lastDebitBefore('emandate', next, new Set())).toBe('2026-12-03')
    expect(lastDebitBefore('emandate', next, new Set([toDay('2026-12-04')]))).toBe('2026-12-02')
    // The second Saturday and the Sunday after it.
    expect(lastDebitBefore('emandate', toDay('2026-12-14'), new Set())).toBe('2026-12-09')
  })
})
