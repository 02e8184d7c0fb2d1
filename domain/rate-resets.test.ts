import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { chooseUntil, floatingRateOn, isResetDue, notifyUntil, refuseChoice, refuseWithdrawal, resetStateOn } from './rate-resets.ts'

const day = toDay('2026-12-05')

describe('the days of a reset', () => {
  it('are fifteen days before the new rate to notify, and the day before it to choose', () => {
    expect([notifyUntil(day), chooseUntil(day)]).toEqual(['2026-11-20', '2026-12-04'])
  })
})

describe('the states of a reset', () => {
  it.each([
    ['chosen', '2026-12-04', 'chosen'],
    ['chosen', '2026-12-05', 'effective'],
    ['defaulted', '2026-12-05', 'effective'],
    ['notified', '2026-12-05', 'notified'],
    ['withdrawn', '2026-12-05', 'withdrawn'],
    ['computed', '2026-12-05', 'computed'],
  ] as const)('%s is on %s: %s', (stored, today, shown) => {
    expect(resetStateOn(stored, day, toDay(today))).toBe(shown)
  })

  it.each([
    ['notified', '2026-12-04', null],
    ['chosen', '2026-12-04', null],
    ['defaulted', '2026-12-04', null],
    ['notified', '2026-12-05', 'too_late'],
    ['chosen', '2026-12-05', 'too_late'],
    ['withdrawn', '2026-12-01', 'withdrawn'],
    ['computed', '2026-11-18', 'not_notified'],
  ] as const)('a choice in %s on %s is refused with %s', (stored, today, refusal) => {
    expect(refuseChoice(stored, day, toDay(today))).toBe(refusal)
  })

  it.each([
    ['computed', '2026-11-18', null],
    ['notified', '2026-12-04', null],
    ['chosen', '2026-12-04', null],
    ['defaulted', '2026-12-04', null],
    ['chosen', '2026-12-05', 'too_late'],
    ['withdrawn', '2026-12-01', 'withdrawn'],
  ] as const)('a withdrawal of %s on %s is refused with %s', (stored, today, refusal) => {
    expect(refuseWithdrawal(stored, day, toDay(today))).toBe(refusal)
  })
})

describe('the new rate', () => {
  const benchmarks = [
    { effectiveOn: toDay('2026-06-06'), annualRatePpb: 55_000_000 },
    { effectiveOn: toDay('2026-02-08'), annualRatePpb: 62_500_000 },
  ]
  it('is the latest benchmark up to the day plus the spread', () => {
    expect(floatingRateOn(benchmarks, 47_500_000, day)).toBe(102_500_000)
    expect(floatingRateOn(benchmarks, 47_500_000, toDay('2026-06-05'))).toBe(110_000_000)
    expect(floatingRateOn(benchmarks, 47_500_000, toDay('2026-02-07'))).toBeNull()
    expect(floatingRateOn(benchmarks, -55_000_000, day)).toBe(0)
    expect(floatingRateOn(benchmarks, -55_000_001, day)).toBeNull()
  })

  it('is due the months of the product after the sanction, and as far from every other change', () => {
    const loan = { sanctionedOn: toDay('2026-09-05'), changeDays: [] }
    expect([isResetDue(loan, 3, day), isResetDue(loan, 4, day)]).toEqual([true, false])
    const changedBefore = { ...loan, changeDays: [toDay('2026-10-05')] }
    expect([isResetDue(changedBefore, 2, day), isResetDue(changedBefore, 3, day)]).toEqual([true, false])
    const changedAfter = { ...loan, changeDays: [toDay('2027-01-05')] }
    expect([isResetDue(changedAfter, 1, day), isResetDue(changedAfter, 2, day)]).toEqual([true, false])
  })
})
