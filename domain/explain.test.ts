import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import type { ExplanationStep } from './explain.ts'
import { explain } from './explain.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { prepaymentChargeType, prepaymentTaxType } from './foreclosure.ts'
import { loanStateDuring } from './loan-state.ts'
import { paise, paiseToRupees, rupeesToPaise } from './money.ts'
import { randomLoan } from './random-loan.testing.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
const facts = factsOf(
  terms,
  [
    ['2024-01-05', 120_000],
    ['2024-02-20', 60_000],
  ],
  [['2024-02-05', 10_662]],
  {
    charges: [chargeOf('bounce', '2024-03-10', 250)],
  },
)

const added = (steps: readonly ExplanationStep[]): bigint => steps.reduce((sum, step) => (step.adds ? sum + step.amountPaise : sum), 0n)

describe('explaining a row', () => {
  it('contains the instalment it follows, each stretch of interest, the principal, and what was received', () => {
    const explained = explain(facts, toDay('2024-03-01'), { figure: 'row', number: 2 })
    expect(explained?.steps.map((step) => step.step)).toEqual(['instalment', 'interest', 'interest', 'principal'])
    expect(explained?.steps[1]).toEqual({
      step: 'interest',
      adds: true,
      from: '2024-02-05',
      to: '2024-02-20',
      days: 15,
      balancePaise: rupeesToPaise(110_538),
      annualRatePpb: 120_000_000,
      basis: 'part_of_month',
      monthDays: 29,
      amountPaise: rupeesToPaise(571.75),
    })
    expect(explain(facts, toDay('2024-03-01'), { figure: 'row', number: 1 })?.steps.filter(({ step }) => step === 'received')).toEqual([
      { step: 'received', adds: false, paymentId: 'p1', date: '2024-02-05', component: 'interest', amountPaise: rupeesToPaise(1200) },
      { step: 'received', adds: false, paymentId: 'p1', date: '2024-02-05', component: 'principal', amountPaise: rupeesToPaise(9462) },
    ])
  })

  it('has no interest of days on which no principal bore any', () => {
    const daily = termsOf({ annualRatePercent: 12, instalments: 1, firstDueDate: '2024-02-05', interest: 'actual_365' })
    const paidAhead = factsOf(daily, [['2024-01-05', 30_000]], [['2024-01-20', 40_000, 'PAY_EMI']])
    const steps = explain(paidAhead, toDay('2024-02-10'), { figure: 'row', number: 1 })?.steps ?? []
    expect(steps.flatMap((step) => (step.step === 'interest' ? [[step.from, step.to]] : []))).toEqual([['2024-01-05', '2024-01-20']])
  })

  it('names the last row and rows of interest only, and knows no row 13', () => {
    expect(explain(facts, toDay('2024-03-01'), { figure: 'row', number: 12 })?.steps.at(-1)).toMatchObject({
      step: 'principal',
      why: 'last_row',
    })
    const grace = factsOf({ ...terms, principalGraceInstalments: 2 }, [['2024-01-05', 120_000]])
    expect(explain(grace, toDay('2024-01-05'), { figure: 'row', number: 1 })?.steps.at(-1)).toMatchObject({
      why: 'interest_only',
      amountPaise: 0n,
    })
    expect(explain(facts, toDay('2024-03-01'), { figure: 'row', number: 13 })).toBeNull()
  })

  it('that a foreclosure bills in the middle of a period contains the interest up to it', () => {
    const of = (given: typeof terms, day: string) => {
      const open = factsOf(given, [['2024-01-05', 120_000]])
      const amountPaise = loanStateDuring(open, toDay(day)).allowed.foreclosure?.amountPaise ?? 0n
      const closed = factsOf(given, [['2024-01-05', 120_000]], [[day, paise(amountPaise), 'FORECLOSURE']])
      const steps = explain(closed, toDay(day), { figure: 'row', number: 1 })?.steps ?? []
      return steps.flatMap((step) => (step.adds ? [[step.step, paiseToRupees(step.amountPaise)]] : []))
    }
    expect(of(terms, '2024-01-20')).toEqual([
      ['interest', 580.65],
      ['principal', 120_000],
    ])
    const deferred = {
      ...terms,
      firstDueDate: toDay('2024-04-05'),
      moratorium: { until: toDay('2024-03-05'), interest: 'deferred' as const },
    }
    expect(of(deferred, '2024-02-20')).toEqual([
      ['interest', 1_200],
      ['interest', 620.69],
      ['principal', 120_000],
    ])
  })

  it('adds up to the row, for every row of many loans', () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const { facts: random, last } = randomLoan(seed)
      const { rows } = loanStateDuring(random, last)
      const explained = rows.map(({ number }) => added(explain(random, last, { figure: 'row', number })?.steps ?? []))
      expect({ seed, rows: explained }).toEqual({ seed, rows: rows.map(({ repaymentAmountPaise }) => repaymentAmountPaise) })
    }
  })
})

describe('explaining the loan’s figures', () => {
  it('dues are the rows and charges that are unpaid', () => {
    const explained = explain(facts, toDay('2024-03-12'), { figure: 'dues' })
    expect(explained?.steps.map((step) => [step.step, step.adds ? paiseToRupees(step.amountPaise) : null])).toEqual([
      ['row', 10_662],
      ['charge', 250],
    ])
    expect(explained?.amountPaise).toBe(added(explained?.steps ?? []))
  })

  it('days past due come from the oldest unpaid row', () => {
    expect(explain(facts, toDay('2024-03-12'), { figure: 'dpd' })).toEqual({
      amountPaise: null,
      days: 7,
      steps: [{ step: 'oldest_unpaid', adds: false, number: 2, dueDate: '2024-03-05', asOf: '2024-03-12' }],
    })
    expect(explain(facts, toDay('2024-03-05'), { figure: 'dpd' })).toEqual({ amountPaise: null, days: 0, steps: [] })
  })

  it('the payoff comes from what is due, the principal that is not, and its interest to the day', () => {
    const costly = { ...terms, prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } }
    const late = factsOf(costly, [['2024-01-05', 120_000]], [['2024-02-05', 10_662]], { charges: [chargeOf('bounce', '2024-03-10', 250)] })
    const explained = explain(late, toDay('2024-03-20'), { figure: 'foreclosure' })
    expect(explained?.steps.map((step) => ('amountPaise' in step ? [step.step, paiseToRupees(step.amountPaise)] : []))).toEqual([
      ['row', 10_662],
      ['principal', 100_981.38],
      ['interest', 488.62],
      ['charge', 250],
      ['charge', 2019.63],
      ['charge', 363.53],
    ])
    expect(explained?.steps[2]).toMatchObject({ from: '2024-03-05', to: '2024-03-20', days: 15, monthDays: 31, basis: 'part_of_month' })
    expect(explained?.amountPaise).toBe(added(explained?.steps ?? []))
    const closed = factsOf(terms, [['2024-01-05', 120_000]], [['2024-01-05', 120_000, 'FORECLOSURE']])
    expect(explain(closed, toDay('2024-03-01'), { figure: 'foreclosure' })).toBeNull()
  })

  it('a payoff is lessened by money paid in advance', () => {
    const ahead = factsOf(terms, [['2024-01-05', 120_000]], [['2024-01-10', 5000, null]])
    const explained = explain(ahead, toDay('2024-01-20'), { figure: 'foreclosure' })
    expect(explained?.steps.at(-1)).toEqual({ step: 'credit', adds: true, amountPaise: rupeesToPaise(-5000) })
  })

  it('adds up to dues and payoff, for many loans', () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const { facts: random, last } = randomLoan(seed)
      const state = loanStateDuring(random, last)
      for (const [figure, amount] of [
        ['dues', state.duesPaise],
        ['foreclosure', state.allowed.foreclosure?.amountPaise],
      ] as const) {
        const explained = explain(random, last, { figure })
        if (amount === undefined) expect({ seed, explained }).toEqual({ seed, explained: null })
        else expect({ seed, figure, sum: added(explained?.steps ?? []) }).toEqual({ seed, figure, sum: amount })
      }
    }
  })

  it('the instalment comes from principal, rate and number of rows', () => {
    expect(explain(facts, toDay('2024-02-01'), { figure: 'instalment' })).toMatchObject({
      amountPaise: rupeesToPaise(10_662),
      steps: [
        { step: 'instalment', principalPaise: rupeesToPaise(120_000), annualRatePpb: 120_000_000, instalments: 12, rounding: 'rupee_up' },
      ],
    })
  })

  it('an instalment of interest only is explained by its row, not by the EMI of later rows', () => {
    const grace = factsOf({ ...terms, principalGraceInstalments: 2 }, [['2024-01-05', 120_000]])
    const explained = explain(grace, toDay('2024-01-10'), { figure: 'instalment' })
    expect([explained?.amountPaise, explained?.steps.map(({ step }) => step)]).toEqual([rupeesToPaise(1_200), ['interest', 'principal']])
  })

  it('nothing is explained of a loan of which too little is known', () => {
    expect(explain({ ...facts, disbursals: [] }, toDay('2024-03-01'), { figure: 'dpd' })).toBeNull()
    expect(explain({ ...facts, sanctionedPaise: rupeesToPaise(1) }, toDay('2024-03-01'), { figure: 'dues' })).toBeNull()
  })
})

describe('what a figure comes from, step by step (decision 20)', () => {
  const plain = factsOf(terms, [['2024-01-05', 120_000]])
  const row = (given: Parameters<typeof explain>[0], day: string, number: number) => explain(given, toDay(day), { figure: 'row', number })
  const lender = { annualRatePpb: 120_000_000, rounding: 'rupee_up' }

  it('an instalment by days is computed with 30 days of 365', () => {
    const byDays = factsOf({ ...terms, interest: 'actual_365' }, [['2024-01-05', 120_000]])
    expect(row(byDays, '2024-01-05', 1)?.steps[0]).toMatchObject({ basis: 'days_of_year', amountPaise: rupeesToPaise(10_653) })
  })

  it('a row of a whole month: its instalment, a month’s interest, the rest as principal', () => {
    expect(row(plain, '2024-01-05', 1)).toEqual({
      amountPaise: rupeesToPaise(10_662),
      days: null,
      steps: [
        {
          step: 'instalment',
          adds: false,
          ...lender,
          principalPaise: rupeesToPaise(120_000),
          instalments: 12,
          isFixed: false,
          isGiven: false,
          basis: 'whole_month',
          amountPaise: rupeesToPaise(10_662),
        },
        {
          step: 'interest',
          adds: true,
          from: '2024-01-05',
          to: '2024-02-05',
          days: 31,
          balancePaise: rupeesToPaise(120_000),
          annualRatePpb: 120_000_000,
          basis: 'whole_month',
          monthDays: 31,
          amountPaise: rupeesToPaise(1200),
        },
        { step: 'principal', adds: true, why: 'rest_of_instalment', amountPaise: rupeesToPaise(9462) },
      ],
    })
    expect(row(plain, '2024-01-05', 0)).toBeNull()
  })

  it('a row by days: its share of a year of 365', () => {
    expect(row({ ...plain, terms: { ...terms, interest: 'actual_365' } }, '2024-01-05', 1)?.steps[1]).toMatchObject({
      days: 31,
      basis: 'days_of_year',
      monthDays: null,
      amountPaise: rupeesToPaise(1223.01),
    })
  })

  it('a fixed instalment is marked as fixed', () => {
    const fixed = { ...plain, terms: { ...terms, fixedInstalmentPaise: rupeesToPaise(9000) } }
    expect(row(fixed, '2024-01-05', 1)?.steps[0]).toMatchObject({ isFixed: true, amountPaise: rupeesToPaise(9000) })
  })

  it('what a row paid ahead had billed too much is set right in the next (decision 25)', () => {
    const prepaid = factsOf(
      terms,
      [['2024-01-05', 120_000]],
      [
        ['2024-01-10', 10_662, 'PAY_EMI'],
        ['2024-01-20', 50_000, 'PART_PAYMENT__REDUCE_EMI'],
      ],
    )
    expect(row(prepaid, '2024-01-20', 2)?.steps.filter(({ step }) => step === 'interest_set_right')).toEqual([
      { step: 'interest_set_right', adds: true, amountPaise: rupeesToPaise(-258.06) },
    ])
  })

  it('principal paid ahead stays in its row although a tranche raises the interest: the row is changed (decision 25)', () => {
    const ahead = factsOf(
      terms,
      [
        ['2024-01-05', 120_000],
        ['2024-01-20', 60_000],
      ],
      [['2024-01-10', 10_600, 'PAY_EMI']],
    )
    expect(row(ahead, '2024-01-20', 1)?.steps.find(({ step }) => step === 'principal')).toEqual({
      step: 'principal',
      adds: true,
      why: 'changed',
      amountPaise: rupeesToPaise(9400),
    })
  })

  it('dues: on the due date already, each row by its number and each charge by its name (decision 22)', () => {
    const late = factsOf(terms, [['2024-01-05', 120_000]], [['2024-02-05', 10_662]], { charges: [chargeOf('bounce', '2024-03-01', 250)] })
    expect(explain(late, toDay('2024-03-05'), { figure: 'dues' })).toEqual({
      amountPaise: rupeesToPaise(10_912),
      days: null,
      steps: [
        { step: 'row', adds: true, number: 2, dueDate: '2024-03-05', amountPaise: rupeesToPaise(10_662) },
        { step: 'charge', adds: true, chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(250) },
      ],
    })
  })

  it('a payoff: rows due, principal that is not, charges, and what is charged for it with its tax (decision 24)', () => {
    const costly = { ...terms, prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } }
    const late = factsOf(costly, [['2024-01-05', 120_000]], [], { charges: [chargeOf('bounce', '2024-02-05', 250)] })
    expect(explain(late, toDay('2024-02-05'), { figure: 'foreclosure' })).toMatchObject({
      days: null,
      steps: [
        { step: 'row', adds: true, number: 1, dueDate: '2024-02-05', amountPaise: rupeesToPaise(10_662) },
        { step: 'principal', adds: true, why: 'not_due', amountPaise: rupeesToPaise(110_538) },
        { step: 'charge', adds: true, chargeType: 'BOUNCE_CHARGE', amountPaise: rupeesToPaise(250) },
        { step: 'charge', adds: true, chargeType: prepaymentChargeType, amountPaise: rupeesToPaise(2210.76) },
        { step: 'charge', adds: true, chargeType: prepaymentTaxType, amountPaise: rupeesToPaise(397.94) },
      ],
    })
  })

  it('a payoff before EMIs begin: the interest deferred so far, month by month (decision 25)', () => {
    const moratorium = { until: toDay('2024-06-05'), interest: 'deferred' as const }
    const waiting = factsOf({ ...terms, firstDueDate: toDay('2024-07-05'), moratorium }, [['2024-01-05', 120_000]])
    const steps = explain(waiting, toDay('2024-04-05'), { figure: 'foreclosure' })?.steps
    expect(steps?.map((step) => ('amountPaise' in step ? [step.step, paiseToRupees(step.amountPaise)] : []))).toEqual([
      ['principal', 120_000],
      ['interest', 1200],
      ['interest', 1200],
      ['interest', 1200],
    ])
  })

  it('an evening’s quote is explained without the late charge of its own day (decision 55)', () => {
    const late = factsOf({ ...terms, lateCharge: { graceDays: 3, amountPaise: rupeesToPaise(500) } }, [['2024-01-05', 120_000]])
    for (const figure of ['dues', 'foreclosure'] as const) {
      const [evening, morning] = ['2024-02-08', '2024-02-09'].map((madeOn) => explain(late, toDay('2024-02-09'), { figure }, toDay(madeOn)))
      expect(evening?.amountPaise).toBe(added(evening?.steps ?? []))
      expect(morning?.amountPaise).toBe(added(morning?.steps ?? []))
      expect((morning?.amountPaise ?? 0n) - (evening?.amountPaise ?? 0n)).toBe(rupeesToPaise(500))
    }
  })

  it('the instalment: of the next row that is due, and of the last where none is', () => {
    const paidOff = factsOf(terms, [['2024-01-05', 120_000]], [['2024-02-20', 130_000, 'FORECLOSURE']])
    expect(explain(paidOff, toDay('2024-03-01'), { figure: 'instalment' })).toMatchObject({
      days: null,
      steps: [{ step: 'instalment', adds: false, ...lender, principalPaise: rupeesToPaise(120_000), isFixed: false }],
    })
    expect(explain(facts, toDay('2024-03-06'), { figure: 'instalment' })?.steps).toMatchObject([{ instalments: 10 }])
  })

  it.each([7, 12, 741])('leads to the EMI where a row bills what is left, without an instalment of its own (seed %i)', (seed) => {
    const { facts: random, last } = randomLoan(seed)
    const explained = explain(random, last, { figure: 'instalment' })
    const [step] = explained?.steps ?? []
    if (step?.step === 'instalment') expect(step.amountPaise).toBe(explained?.amountPaise)
    else expect(explained?.steps.length).toBeGreaterThan(0)
  })
})
