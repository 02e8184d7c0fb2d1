import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { explain } from './explain.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { givenInstalmentFault } from './given-instalment.ts'
import { loanStateAtEndOf } from './loan-state.ts'
import type { LoanFacts, LoanTerms, RateChange } from './loans.ts'
import { paiseToRupees, rupeesToPaise } from './money.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2025-02-05' })

const given = (date: string, percent: number, rupees: number): RateChange => ({
  date: toDay(date),
  annualRatePpb: Math.round(percent * 10_000_000),
  keep: 'both',
  instalmentPaise: rupeesToPaise(rupees),
})
const loan = (rateChanges: RateChange[], more: Partial<LoanTerms> = {}, facts: Partial<LoanFacts> = {}): LoanFacts =>
  factsOf({ ...terms, ...more }, [['2025-01-05', 120_000]], [], { rateChanges, ...facts })
const amounts = (facts: LoanFacts, day: string): number[] =>
  loanStateAtEndOf(facts, toDay(day)).rows.map(({ repaymentAmountPaise }) => paiseToRupees(repaymentAmountPaise))

describe('an instalment given by a rate change (decision 25)', () => {
  it('counts from the first row that begins on or after the day, and the number of instalments follows', () => {
    expect(amounts(loan([given('2025-04-05', 12, 20_000)]), '2025-04-05')).toEqual([
      10_662,
      10_662,
      10_662,
      20_000,
      20_000,
      20_000,
      20_000,
      expect.any(Number),
    ])
    expect(amounts(loan([given('2025-04-06', 12, 20_000)]), '2025-04-06').slice(3, 6)).toEqual([10_662, 20_000, 20_000])
  })

  it('replaces the fixed instalment of a product, which a later tranche then computes again', () => {
    const fixed = { fixedInstalmentPaise: rupeesToPaise(11_000) }
    expect(amounts(loan([given('2025-03-05', 12, 9_000)], fixed), '2025-03-05').slice(0, 4)).toEqual([11_000, 11_000, 9_000, 9_000])
    const tranche = { disbursals: [...loan([]).disbursals, { date: toDay('2025-05-05'), amountPaise: rupeesToPaise(50_000) }] }
    const facts = loan([given('2025-03-05', 12, 9_000)], fixed, { ...tranche, sanctionedPaise: rupeesToPaise(170_000) })
    const after = amounts(facts, '2025-05-05')
    // 10 instalments of 9,000 were left of 12; 2 are billed.
    expect([after.length, after.slice(2, 4), (after[4] ?? 0) > 9_000]).toEqual([14, [9_000, 9_000], true])
  })

  it.each<[string, LoanFacts, number]>([
    [
      'a later tranche',
      loan(
        [given('2025-04-10', 12, 20_000)],
        {},
        {
          sanctionedPaise: rupeesToPaise(200_000),
          disbursals: [...loan([]).disbursals, { date: toDay('2025-04-20'), amountPaise: rupeesToPaise(12_000) }],
        },
      ),
      12_238,
    ],
    [
      'a later change that keeps the number of instalments',
      loan([given('2025-04-10', 12, 20_000), { date: toDay('2025-04-20'), annualRatePpb: 120_000_000, keep: 'tenor' }]),
      10_662,
    ],
    [
      'a later change that keeps the instalment',
      loan([given('2025-04-10', 12, 20_000), { date: toDay('2025-04-20'), annualRatePpb: 120_000_000, keep: 'instalment' }]),
      20_000,
    ],
    ['a later given instalment', loan([given('2025-04-10', 12, 20_000), given('2025-04-20', 12, 15_000)]), 15_000],
    [
      'an earlier tranche',
      loan(
        [given('2025-04-20', 12, 20_000)],
        {},
        {
          sanctionedPaise: rupeesToPaise(200_000),
          disbursals: [...loan([]).disbursals, { date: toDay('2025-04-10'), amountPaise: rupeesToPaise(12_000) }],
        },
      ),
      20_000,
    ],
  ])('of several facts of one period the last decides: %s', (_name, facts, fifth) => {
    expect(amounts(facts, '2025-04-20')[4]).toBe(fifth)
  })

  it('given before EMIs begin counts from the first EMI, unless a later reset keeps the number of instalments', () => {
    const moratorium = { until: toDay('2025-05-05'), interest: 'deferred' as const }
    const waiting = { moratorium, firstDueDate: toDay('2025-06-05') }
    const first = given('2025-03-05', 12, 20_000)
    expect(amounts(loan([first], waiting), '2025-03-05').slice(0, 2)).toEqual([20_000, 20_000])
    const later = { date: toDay('2025-04-05'), annualRatePpb: 120_000_000, keep: 'tenor' as const }
    expect(amounts(loan([first, later], waiting), '2025-04-05')).toEqual(amounts(loan([], waiting), '2025-04-05'))
  })

  it('rises if it does not exceed a month’s interest, so that principal never grows', () => {
    const state = loanStateAtEndOf(loan([given('2025-04-05', 18, 1_369.94)]), toDay('2025-04-05'))
    expect(state.rows).toHaveLength(12)
    expect(amounts(loan([given('2025-04-05', 18, 1_369.94)]), '2025-04-05')).toEqual(
      amounts(loan([{ date: toDay('2025-04-05'), annualRatePpb: 180_000_000, keep: 'tenor' }]), '2025-04-05'),
    )
  })

  it.each([
    ['nothing', 0],
    ['less than nothing', -1],
  ])('of %s makes the loan UNKNOWN', (_name, rupees) => {
    expect(loanStateAtEndOf(loan([given('2025-04-05', 18, rupees)]), toDay('2025-01-05')).status).toBe('UNKNOWN')
  })

  it('is explained as given, with the number of instalments that it needs', () => {
    const facts = loan([given('2025-04-05', 18, 20_000)])
    expect(explain(facts, toDay('2025-04-05'), { figure: 'row', number: 4 })?.steps[0]).toMatchObject({
      step: 'instalment',
      isFixed: false,
      isGiven: true,
      principalPaise: rupeesToPaise(91_329.19),
      annualRatePpb: 180_000_000,
      instalments: 5,
      amountPaise: rupeesToPaise(20_000),
    })
  })
})

describe('whether a given instalment is refused', () => {
  const fault = (change: RateChange, facts: LoanFacts): string | null => givenInstalmentFault({ ...facts, rateChanges: [change] }, change)

  it('counts the part payments and resets before its day, not what comes later', () => {
    const change = given('2025-04-05', 18, 1_000)
    const prepaid = (date: string) =>
      factsOf(
        terms,
        [['2025-01-05', 120_000]],
        [
          ['2025-02-05', 10_662],
          ['2025-03-05', 10_662],
          [date, 60_000, 'PART_PAYMENT__REDUCE_EMI'],
        ],
      )
    expect(fault(change, prepaid('2025-03-06'))).toBeNull()
    expect(fault(change, prepaid('2025-04-05'))).toBe("must be more than a month's interest, 1369.94")
    const steeper = { date: toDay('2025-05-05'), annualRatePpb: 900_000_000, keep: 'instalment' as const }
    const slow = given('2025-04-05', 18, 3_000)
    expect(givenInstalmentFault(loan([slow, steeper]), slow)).toBeNull()
  })

  it('counts what happened before its day, and no other change of its day or later', () => {
    const change = given('2025-04-05', 18, 1_000)
    const other = (date: string) => ({ date: toDay(date), annualRatePpb: 900_000_000, keep: 'tenor' }) as const
    const faultWith = (...others: RateChange[]) => givenInstalmentFault(loan([...others, change]), change)
    expect(faultWith(other('2025-04-05'))).toBe(faultWith())
    expect(faultWith(other('2025-06-05'))).toBe(faultWith())
    expect(faultWith(other('2025-02-05'))).not.toBe(faultWith())
  })

  it('is a month’s interest at most: a twelfth of a year, or 31 days', () => {
    const first = (rupees: number, more: Partial<LoanTerms> = {}) => givenInstalmentFault(loan([], more), given('2025-01-05', 12, rupees))
    expect(first(1_200)).toBe("must be more than a month's interest, 1200")
    expect(first(1_201)).toBe('would take more than 600 instalments')
    expect(first(1_205, { interest: 'actual_365' })).toBe("must be more than a month's interest, 1223.01")
  })

  it('needs a first disbursal, on its day or before', () => {
    const disbursedOn = (...dates: string[]) =>
      factsOf(
        terms,
        dates.map((date) => [date, 60_000] as const),
        [],
        { sanctionedPaise: rupeesToPaise(120_000) },
      )
    const change = given('2025-01-20', 12, 20_000)
    expect(fault(change, disbursedOn('2025-01-21'))).toBe('is given before the first disbursal')
    expect(fault(change, disbursedOn('2025-01-20'))).toBeNull()
    expect(fault(change, disbursedOn('2025-01-05', '2025-01-21'))).toBeNull()
  })

  it('is none where no row begins on its day or later', () => {
    expect(fault(given('2025-12-10', 12, 1), loan([]))).toBeNull()
  })

  it('is for a change that gives an instalment only', () => {
    expect(fault({ date: toDay('2025-04-05'), annualRatePpb: 180_000_000, keep: 'tenor' }, loan([]))).toBeNull()
  })

  it('leaves a loan of unknown state to be reported as such', () => {
    expect(fault(given('2025-04-05', 18, 1), { ...loan([]), sanctionedPaise: rupeesToPaise(1) })).toBeNull()
  })
})
