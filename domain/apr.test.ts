import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { annualPercentageRate, monthlyInternalRate } from './apr.ts'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { paise, rupeesToPaise, zeroPaise } from './money.ts'

const terms = termsOf({ annualRatePercent: 15, instalments: 24, firstDueDate: '2024-02-01', instalmentRounding: 'paisa_half_even' })
const percentOf = (given: ReturnType<typeof termsOf>, disbursals: readonly (readonly [string, number])[], fees: number): number =>
  annualPercentageRate(given, factsOf(given, disbursals).disbursals, rupeesToPaise(fees)).aprPpb / 10_000_000

describe('the annual percentage rate', () => {
  it('is the yearly rate where nothing is taken beside it', () => {
    expect(percentOf(terms, [['2024-01-01', 20_000]], 0)).toBeCloseTo(15, 3)
    expect(percentOf({ ...terms, annualRatePpb: 0 }, [['2024-01-01', 24_000]], 0)).toBeCloseTo(0, 6)
  })

  it('is the yearly rate of a loan of many years too', () => {
    for (const instalments of [61, 120, 600])
      expect(percentOf({ ...terms, instalments }, [['2024-01-01', 2_000_000]], 0)).toBeCloseTo(15, 4)
  })

  it('is 17.07 % in the central bank’s example with fees of 400', () => {
    expect(percentOf(terms, [['2024-01-01', 20_000]], 400)).toBeCloseTo(17.07, 2)
  })

  it('counts tranches from their planned dates', () => {
    const tranches = [
      ['2024-01-01', 10_000],
      ['2024-04-01', 5000],
      ['2024-06-15', 5000],
    ] as const
    expect(percentOf(terms, tranches, 0)).toBeCloseTo(15, 2)
    expect(percentOf(terms, tranches, 400)).toBeGreaterThan(percentOf(terms, [['2024-01-01', 20_000]], 400))
  })

  it('is the yearly rate with a grace period and with months of a moratorium whose interest is paid', () => {
    expect(percentOf({ ...terms, principalGraceInstalments: 6 }, [['2024-01-01', 20_000]], 0)).toBeCloseTo(15, 3)
    const waiting = { ...terms, firstDueDate: toDay('2024-05-01'), moratorium: { until: toDay('2024-04-01'), interest: 'paid' as const } }
    expect(percentOf(waiting, [['2024-01-01', 20_000]], 0)).toBeCloseTo(15, 3)
  })

  it('is the yearly rate from the last day of a month to the last of a shorter one: a whole month (decision 20)', () => {
    const february = { ...terms, firstDueDate: toDay('2026-02-28'), dueDay: 28 }
    expect(percentOf(february, [['2026-01-31', 20_000]], 0)).toBeCloseTo(15, 3)
  })

  it('counts months from due day to due day, days between by their share of the month, a broken first period in days of 365', () => {
    const tranches = [
      ['2024-03-10', 5000],
      ['2024-01-15', 10_000],
      ['2024-01-23', 5000],
    ] as const
    const { flows } = annualPercentageRate(terms, factsOf(terms, tranches).disbursals, zeroPaise)
    const broken = (17 * 12) / 365
    const expected = [0, (8 * 12) / 365, broken + 1 + 9 / 31, 0, broken, broken + 1, broken + 2]
    expect(flows.slice(0, expected.length).map(({ months }) => months.toFixed(9))).toEqual(expected.map((months) => months.toFixed(9)))
    expect(flows.slice(0, 4).map(({ amountPaise }) => amountPaise)).toEqual([1_000_000n, 500_000n, 500_000n, 0n])
    expect(flows.at(-1)?.months.toFixed(9)).toBe((broken + 23).toFixed(9))
  })

  it('contains what it was computed from', () => {
    const rate = annualPercentageRate(terms, factsOf(terms, [['2024-01-01', 20_000]]).disbursals, rupeesToPaise(400))
    expect([rate.netDisbursedPaise, rate.feesPaise, rate.flows.length]).toEqual([rupeesToPaise(19_600), rupeesToPaise(400), 26])
    expect(rate.flows.slice(0, 3).map(({ months }) => months)).toEqual([0, 0, 1])
  })

  it('needs a disbursal', () => {
    expect(() => annualPercentageRate(terms, [], zeroPaise)).toThrow(new RangeError('An annual percentage rate needs a disbursal'))
  })

  it('grows with the fees', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2000 }), (fees) => {
        expect(percentOf(terms, [['2024-01-01', 20_000]], fees + 1)).toBeGreaterThan(percentOf(terms, [['2024-01-01', 20_000]], fees))
      }),
      { seed: 20_261_120, numRuns: 40 },
    )
  })

  it('ends its search where nothing is got for what is paid', () => {
    expect(monthlyInternalRate([{ months: 0, amountPaise: paise(-100n) }])).toBeGreaterThan(1_000_000)
  })

  it('finds rates far away too', () => {
    expect(
      monthlyInternalRate([
        { months: 0, amountPaise: paise(100n) },
        { months: 1, amountPaise: paise(-1000n) },
      ]),
    ).toBeCloseTo(9, 6)
  })
})
