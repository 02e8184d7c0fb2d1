import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import type { ExplanationStep } from './explain.ts'
import { explain } from './explain.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring } from './loan-state.ts'
import { paiseToRupees, rupeesToPaise } from './money.ts'
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
  it('tells the instalment it follows, each stretch of interest, the principal, and what was received', () => {
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

  it('nothing is explained of a loan of which too little is known', () => {
    expect(explain({ ...facts, disbursals: [] }, toDay('2024-03-01'), { figure: 'dpd' })).toBeNull()
    expect(explain({ ...facts, sanctionedPaise: rupeesToPaise(1) }, toDay('2024-03-01'), { figure: 'dues' })).toBeNull()
  })
})
