import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { termsOf } from './facts.testing.ts'
import type { RateChange } from './loans.ts'
import { parsePercent, percentToPpb, ppbToPercent, rateOn } from './rates.ts'

describe('a percentage', () => {
  it.each([
    ['0', 0],
    ['18', 180_000_000],
    ['11.25', 112_500_000],
    ['0.0000001', 1],
    ['1000', 10_000_000_000],
  ])('%s is parts per billion', (text, ratePpb) => {
    expect(parsePercent(text)).toBe(ratePpb)
    expect(percentToPpb(Number(text))).toBe(ratePpb)
    expect(ppbToPercent(ratePpb)).toBe(Number(text))
  })

  it.each(['', '-1', '1e1', '.5', '5.', '1000.0000001', '10000', '0.00000001', ' 1', '1 %'])('is not %j', (text) => {
    expect(parsePercent(text)).toBeNull()
  })
})

describe('the rate of a loan', () => {
  it('changes on the day of a change', () => {
    const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' })
    const change = (date: string, annualRatePpb: number): RateChange => ({ date: toDay(date), annualRatePpb, keep: 'tenor' })
    const facts = { terms, rateChanges: [change('2026-06-05', 1), change('2026-12-05', 2)] }
    expect(['2026-06-04', '2026-06-05', '2026-12-05'].map((on) => rateOn(facts, toDay(on)))).toEqual([120_000_000, 1, 2])
  })
})
