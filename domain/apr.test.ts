import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { annualPercentageRate, monthlyInternalRate } from './apr.ts'
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

  it('is the yearly rate with a grace period and with a month of moratorium paid', () => {
    expect(percentOf({ ...terms, principalGraceInstalments: 6 }, [['2024-01-01', 20_000]], 0)).toBeCloseTo(15, 3)
  })

  it('says what it is of', () => {
    const rate = annualPercentageRate(terms, factsOf(terms, [['2024-01-01', 20_000]]).disbursals, rupeesToPaise(400))
    expect([rate.netDisbursedPaise, rate.feesPaise, rate.flows.length]).toEqual([rupeesToPaise(19_600), rupeesToPaise(400), 26])
    expect(rate.flows.slice(0, 3).map(({ months }) => months)).toEqual([0, 0, 1])
  })

  it('needs a disbursal', () => {
    expect(() => annualPercentageRate(terms, [], zeroPaise)).toThrow(RangeError)
  })

  it('grows with the fees', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2000 }), (fees) => {
        expect(percentOf(terms, [['2024-01-01', 20_000]], fees + 1)).toBeGreaterThan(percentOf(terms, [['2024-01-01', 20_000]], fees))
      }),
      { seed: 20_261_120, numRuns: 40 },
    )
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
