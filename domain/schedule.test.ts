import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { equatedInstalment } from './instalment.ts'
import { dailyRatio, interestFor, interestForPartOfMonth, monthlyRatio, thirtyDayRatio } from './interest.ts'
import { loanStateDuring } from './loan-state.ts'
import type { ScheduleRow } from './loans.ts'
import { divideHalfEven, maximumPaise, paise, rupeesToPaise } from './money.ts'
import { isWholeMonth } from './schedule.ts'

const seed = 20_261_120

/**
 * The definition, in bigints without any bound: the last row takes the remainder, and rows end
 * where nothing is left.
 */
function rowsByDefinition(principal: bigint, ratePpb: number, instalment: bigint, count: number): bigint[][] {
  const rows: bigint[][] = []
  let balance = principal
  for (let left = count; left > 0 && balance > 0n; left -= 1) {
    const interest = divideHalfEven(balance * BigInt(ratePpb), 12_000_000_000n)
    const wanted = instalment > interest ? instalment - interest : 0n
    const part = left === 1 || wanted > balance ? balance : wanted
    balance -= part
    rows.push([interest, part, balance])
  }
  return rows
}

/**
 * The rows of a loan of whole months with a fixed instalment, or with its own where none is given.
 */
function rowsOfLoan(principal: bigint, ratePpb: number, instalmentPaise: bigint | null, instalments: number): readonly ScheduleRow[] {
  const terms = termsOf({
    annualRatePercent: ratePpb / 10_000_000,
    instalments,
    firstDueDate: '2026-02-05',
    fixedInstalmentPaise: instalmentPaise === null ? null : paise(instalmentPaise),
  })
  const facts = factsOf(terms, [])
  const date = toDay('2026-01-05')
  return loanStateDuring({ ...facts, sanctionedPaise: paise(principal), disbursals: [{ date, amountPaise: paise(principal) }] }, date).rows
}

describe('rows of whole months', () => {
  const anyPrincipal = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.bigInt({ min: 1n, max: 10n ** 14n }))
  it('follow the definition, for small balances and for those whose products no double holds', () => {
    fc.assert(
      fc.property(anyPrincipal, fc.integer({ min: 0, max: 400_000_000 }), fc.integer({ min: 1, max: 60 }), (principal, ratePpb, count) => {
        const month = monthlyRatio(ratePpb)
        const instalment = BigInt(equatedInstalment(Number(principal), month, count, 'rupee_up'))
        for (const emi of [instalment, instalment / 2n, instalment * 3n]) {
          if (emi === 0n) continue
          const rows = rowsOfLoan(principal, ratePpb, emi, count)
          expect(rows.map((row) => [row.interestPaise, row.principalPaise, row.closingBalancePaise])).toEqual(
            rowsByDefinition(principal, ratePpb, emi, count),
          )
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  it('round a half to the even paisa', () => {
    // 6 % a year is a two-hundredth a month: 100 paise bear half a paisa, 300 one and a half.
    const interest = [100n, 300n, 500n].map((balance) => rowsOfLoan(balance, 60_000_000, 1n, 1)[0]?.interestPaise)
    expect(interest).toEqual([0n, 2n, 2n])
  })

  it('end early where the instalment clears the balance, and are none for nothing', () => {
    expect(rowsOfLoan(1000n, 0, 600n, 5)).toMatchObject([
      { interestPaise: 0n, principalPaise: 600n, closingBalancePaise: 400n },
      { interestPaise: 0n, principalPaise: 400n, closingBalancePaise: 0n },
    ])
    expect(
      loanStateDuring(factsOf(termsOf({ annualRatePercent: 0, instalments: 5, firstDueDate: '2026-02-05' }), []), toDay('2026-01-05')).rows,
    ).toEqual([])
    const large = rowsOfLoan(maximumPaise, 999_999_999, maximumPaise, 5)
    expect(large.map(({ closingBalancePaise }) => closingBalancePaise > 0n)).toEqual([true, false])
  })
})

describe('the equated instalment', () => {
  it.each([
    ['rupee_half_even', 1_066_200],
    ['rupee_up', 1_066_200],
    ['paisa_half_even', 1_066_185],
    ['paisa_up', 1_066_186],
  ] as const)('%s', (rounding, expected) => {
    expect(equatedInstalment(12_000_000, monthlyRatio(120_000_000), 12, rounding)).toBe(expected)
  })

  it('is the principal by the number of rows where there is no interest', () => {
    const instalments = (['rupee_half_even', 'rupee_up', 'paisa_half_even', 'paisa_up'] as const).map((rounding) =>
      equatedInstalment(100_000, monthlyRatio(0), 7, rounding),
    )
    expect(instalments).toEqual([14_300, 14_300, 14_286, 14_286])
    expect(equatedInstalment(100_001, monthlyRatio(0), 10, 'paisa_half_even')).toBe(10_000)
    expect(equatedInstalment(100_001, monthlyRatio(0), 10, 'paisa_up')).toBe(10_001)
    expect(equatedInstalment(99_600, monthlyRatio(0), 8, 'rupee_half_even')).toBe(12_400)
  })
})

describe('shares of a balance', () => {
  it('are in lowest terms', () => {
    expect(monthlyRatio(120_000_000)).toEqual({ numerator: 1, denominator: 100 })
    expect(dailyRatio(365_000_000)).toEqual({ numerator: 1, denominator: 1000 })
    expect(thirtyDayRatio(365_000_000)).toEqual({ numerator: 3, denominator: 100 })
    expect(monthlyRatio(0)).toEqual({ numerator: 0, denominator: 1 })
  })

  it('of months, days and parts of a month', () => {
    expect(interestFor(1_000_000, monthlyRatio(120_000_000), 1)).toBe(10_000)
    expect(interestFor(1_000_000, dailyRatio(365_000_000), 17)).toBe(17_000)
    expect(interestForPartOfMonth(1_000_000, monthlyRatio(120_000_000), 15, 31)).toBe(4839)
  })
})

describe('a month from the first disbursal to the first due date', () => {
  it.each([
    ['2026-01-05', '2026-02-05', 5, true],
    ['2026-01-06', '2026-02-05', 5, false],
    ['2026-01-04', '2026-02-05', 5, false],
    ['2025-12-05', '2026-02-05', 5, false],
    // On the last days of a month, by either reading of a month.
    ['2026-01-31', '2026-02-28', 31, true],
    ['2026-01-29', '2026-02-28', 31, true],
    ['2026-01-28', '2026-02-28', 31, true],
    ['2026-01-27', '2026-02-28', 31, false],
    ['2026-02-28', '2026-03-31', 31, true],
    ['2026-02-27', '2026-03-31', 31, false],
    // The first due date is not on the due day.
    ['2024-01-05', '2024-02-12', 5, false],
    ['2024-01-12', '2024-02-12', 5, true],
  ])('%s to %s, due on the %s: %s', (from, first, dueDay, expected) => {
    expect(isWholeMonth(toDay(from), toDay(first), dueDay)).toBe(expected)
  })
})

describe('a plan', () => {
  const plain = { annualRatePercent: 12, instalments: 3, firstDueDate: '2026-02-05' }
  const planned = (more: Partial<Parameters<typeof termsOf>[0]>, from = '2026-01-05') => {
    const { nextInstalmentPaise, rows } = loanStateDuring(factsOf(termsOf({ ...plain, ...more }), [[from, 100_000]]), toDay(from))
    return {
      emi: nextInstalmentPaise,
      due: rows.map(({ dueDate }) => dueDate),
      interest: rows.map(({ interestPaise }) => interestPaise),
      principal: rows.map(({ principalPaise }) => principalPaise),
    }
  }

  it('of whole months', () => {
    expect(planned({})).toEqual({
      emi: 3_400_300n,
      due: ['2026-02-05', '2026-03-05', '2026-04-05'],
      interest: [100_000n, 66_997n, 33_664n],
      principal: [3_300_300n, 3_333_303n, 3_366_397n],
    })
  })

  it('whose first period is no whole month bears days of 365 there', () => {
    expect(planned({}, '2026-01-01')).toMatchObject({ emi: 3_400_300n, interest: [115_068n, 67_148n, 33_816n] })
  })

  it('in actual days of 365, its instalment from thirty days', () => {
    expect(planned({ interest: 'actual_365' })).toMatchObject({ emi: 3_399_400n, interest: [101_918n, 61_700n, 34_293n] })
  })

  it('with principal grace: interest alone first, then the instalment of the rows that are left', () => {
    expect(planned({ principalGraceInstalments: 1 })).toMatchObject({
      emi: 5_075_200n,
      interest: [100_000n, 100_000n, 50_248n],
      principal: [0n, 4_975_200n, 5_024_800n],
    })
  })

  it('with a fixed instalment, which may end it early or leave more to the last row', () => {
    expect(planned({ fixedInstalmentPaise: rupeesToPaise(60_000) })).toMatchObject({
      emi: 6_000_000n,
      due: ['2026-02-05', '2026-03-05'],
      principal: [5_900_000n, 4_100_000n],
    })
    expect(planned({ fixedInstalmentPaise: rupeesToPaise(500) }).principal).toEqual([0n, 0n, 10_000_000n])
    expect(planned({ fixedInstalmentPaise: rupeesToPaise(500) }, '2026-01-01').principal).toEqual([0n, 0n, 10_000_000n])
  })
})
