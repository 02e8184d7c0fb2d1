import { describe, expect, it } from 'vitest'
import { toDay, type Day } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateDuring, totalInterest } from './loan-state.ts'
import type { LoanFacts, LoanTerms } from './loans.ts'
import type { PaymentPurpose } from './payments.ts'
import { faultsIn } from './referee-check.testing.ts'
import { paise, paiseToRupees, rupeesToPaise, zeroPaise, type Paise } from './money.ts'
import { partPaymentPreview, type PartPaymentOutcome } from './part-payment-preview.ts'
import { randomLoan } from './random-loan.testing.ts'
import { nextInstalmentFrom } from './schedule.ts'

/** 1,20,000 at 12 % in 12 instalments of 10,662, the first of them paid. */
const facts = factsOf(
  termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' }),
  [['2024-01-05', 120_000]],
  [['2024-02-05', 10_662]],
)
const previewOn = (facts: LoanFacts, day: Day, amountPaise: Paise) => partPaymentPreview(facts, day, day, amountPaise)
const previewed = () => previewOn(facts, toDay('2024-02-05'), rupeesToPaise(50_000))

/** The EMI of 15,00,000 over 60 months, of which 5,00,000 are disbursed; the first is paid. */
const half = factsOf(
  termsOf({ annualRatePercent: 12, instalments: 60, firstDueDate: '2026-02-05', fixedInstalmentPaise: rupeesToPaise(33_367) }),
  [['2026-01-05', 500_000]],
  [['2026-02-05', 33_367, 'PAY_EMI']],
)

/** The loan with part payments of 50,000. */
const withPayments = (facts: LoanFacts, ...paid: readonly (readonly [day: string, purpose: PaymentPurpose])[]): LoanFacts => ({
  ...facts,
  payments: [
    ...facts.payments,
    ...paid.map(([day, purpose]) => ({ paymentId: day, date: toDay(day), amountPaise: rupeesToPaise(50_000), purpose })),
  ],
})

const shapeOf = (facts: LoanFacts) => {
  const { rows, nextInstalmentPaise } = loanStateDuring(facts, toDay('2026-02-20'))
  return [rows.length, rows.at(-1)?.dueDate, paiseToRupees(nextInstalmentPaise)]
}

describe('a part payment on a loan whose fixed instalment ends it early', () => {
  /** The EMI of 10,00,000 over 120 months, of which 4,00,000 are disbursed: repaid in 36 rows. */
  const fixed = factsOf(
    termsOf({ annualRatePercent: 10, instalments: 120, firstDueDate: '2024-02-05', fixedInstalmentPaise: rupeesToPaise(13_216) }),
    [['2024-01-05', 400_000]],
    [['2024-02-05', 13_216, 'PAY_EMI']],
  )
  const day = toDay('2024-02-10')

  it('lowers the instalment over the same due dates', () => {
    const { unchanged, reduceEmi } = previewOn(fixed, day, rupeesToPaise(13_216))
    expect([unchanged.instalmentsLeft, unchanged.lastDueDate]).toEqual([35, '2027-01-05'])
    expect([reduceEmi.instalmentsLeft, reduceEmi.lastDueDate]).toEqual([35, '2027-01-05'])
    expect([paiseToRupees(reduceEmi.instalmentPaise), paiseToRupees(reduceEmi.interestSavedPaise)]).toEqual([12_435, 431.37])
  })

  it('leaves the agreed number of instalments to a later disbursal', () => {
    const paid = { ...fixed.payments[0]!, paymentId: 'part', date: day, purpose: 'PART_PAYMENT__REDUCE_EMI' as const }
    const rest = { date: toDay('2024-02-20'), amountPaise: rupeesToPaise(600_000) }
    const grown = { ...fixed, sanctionedPaise: rupeesToPaise(1_000_000), payments: [...fixed.payments, paid] }
    const state = loanStateDuring({ ...grown, disbursals: [...fixed.disbursals, rest] }, toDay('2024-03-06'))
    expect([state.rows.length, paiseToRupees(state.nextInstalmentPaise)]).toEqual([120, 12_936])
  })

  it('as a rate does that keeps the number of instalments', () => {
    const rate = { date: day, annualRatePpb: 90_000_000, keep: 'tenor' as const }
    const state = loanStateDuring({ ...fixed, rateChanges: [rate] }, day)
    expect([state.rows.length, paiseToRupees(state.rows[2]?.repaymentAmountPaise ?? zeroPaise)]).toEqual([36, 12_700])
  })

  it('counts a payment that reduces the tenor once, also where another fact ends the fixed instalment in its period', () => {
    const shortened = withPayments(half, ['2026-02-10', 'PART_PAYMENT__REDUCE_TENOR'])
    const both = withPayments(shortened, ['2026-02-20', 'PART_PAYMENT__REDUCE_EMI'])
    const rate = { date: toDay('2026-02-20'), annualRatePpb: 110_000_000, keep: 'tenor' as const }
    expect(shapeOf(half)).toEqual([17, '2027-06-05', 33_367])
    expect(shapeOf(shortened)).toEqual([15, '2027-04-05', 33_367])
    expect(shapeOf(both)).toEqual([15, '2027-04-05', 28_214])
    expect(shapeOf({ ...shortened, rateChanges: [rate] })).toEqual([15, '2027-04-05', 32_158])
    for (const facts of [shortened, both, { ...shortened, rateChanges: [rate] }]) expect(faultsIn(facts, toDay('2026-06-10'))).toEqual([])
  })
})

describe('a part payment that reduces the tenor', () => {
  it('adds no rows where the last row takes what a fixed instalment leaves', () => {
    const low = factsOf(
      { ...half.terms, fixedInstalmentPaise: rupeesToPaise(20_000) },
      [['2026-01-05', 1_500_000]],
      [['2026-02-05', 20_000, 'PAY_EMI']],
    )
    const { unchanged, reduceTenor } = previewOn(low, toDay('2026-02-10'), rupeesToPaise(50_000))
    expect([unchanged.instalmentsLeft, unchanged.lastDueDate]).toEqual([59, '2031-01-05'])
    expect([reduceTenor.instalmentsLeft, reduceTenor.lastDueDate]).toEqual([59, '2031-01-05'])
    expect(paiseToRupees(reduceTenor.instalmentPaise)).toBe(20_000)
    expect(reduceTenor.interestSavedPaise).toBeGreaterThan(rupeesToPaise(59 * 500))
    const paid = withPayments(low, ['2026-02-10', 'PART_PAYMENT__REDUCE_TENOR'])
    expect(faultsIn(paid, toDay('2026-06-10'))).toEqual([])
  })

  it('nor a higher instalment, where the fixed one is less than the interest of a month', () => {
    const low = factsOf(
      { ...half.terms, fixedInstalmentPaise: rupeesToPaise(12_000) },
      [['2026-01-05', 1_500_000]],
      [['2026-02-05', 15_000, 'PAY_EMI']],
    )
    const { reduceTenor } = previewOn(low, toDay('2026-02-10'), rupeesToPaise(50_000))
    expect([reduceTenor.instalmentsLeft, paiseToRupees(reduceTenor.instalmentPaise)]).toEqual([59, 12_000])
    expect(faultsIn(withPayments(low, ['2026-02-10', 'PART_PAYMENT__REDUCE_TENOR']), toDay('2026-06-10'))).toEqual([])
  })

  it('keeps the rows that a rate added in the same period', () => {
    const rate = { date: toDay('2026-02-20'), annualRatePpb: 180_000_000, keep: 'instalment' as const }
    const plain = factsOf(
      termsOf({ annualRatePercent: 12, instalments: 60, firstDueDate: '2026-02-05' }),
      [['2026-01-05', 500_000]],
      [['2026-02-05', 11_123]],
    )
    const paid = { ...withPayments(plain, ['2026-02-10', 'PART_PAYMENT__REDUCE_TENOR']), rateChanges: [rate] }
    expect(shapeOf(paid)).toEqual([63, '2031-04-05', 11_123])
    expect(faultsIn(paid, toDay('2026-06-10'))).toEqual([])
  })
})

it('a part payment while interest is deferred saves interest that would become principal', () => {
  const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-08-05' })
  const waiting = factsOf({ ...terms, moratorium: { until: toDay('2024-07-05'), interest: 'deferred' } }, [['2024-01-05', 120_000]])
  const { unchanged, reduceEmi } = previewOn(waiting, toDay('2024-02-05'), rupeesToPaise(50_000))
  expect(unchanged.totalInterestPaise).toBe(rupeesToPaise(7_200) + 841_850n)
  expect(reduceEmi.totalInterestPaise).toBe(unchanged.totalInterestPaise - reduceEmi.interestSavedPaise)
  expect(reduceEmi.interestSavedPaise).toBeGreaterThan(rupeesToPaise(5 * 500))
})

describe('a part payment, before it is paid', () => {
  it('shows the loan as it goes on without it', () => {
    const preview = previewed()
    expect(preview.unchanged).toMatchObject({
      instalmentPaise: rupeesToPaise(10_662),
      lastDueDate: '2025-01-05',
      instalmentsLeft: 11,
      interestSavedPaise: 0n,
    })
  })

  it('has the balances with and without it: from the payment down to nothing', () => {
    const preview = previewed()
    const shape = ({ balances }: PartPaymentOutcome) => [
      balances.length,
      paiseToRupees(balances[0]!.amountPaise),
      paiseToRupees(balances.at(-1)!.amountPaise),
      balances.at(-1)!.date,
    ]
    expect(shape(preview.unchanged)).toEqual([12, 110_538, 0, '2025-01-05'])
    expect(shape(preview.reduceEmi)).toEqual([12, 60_538, 0, '2025-01-05'])
    expect(shape(preview.reduceTenor)).toEqual([7, 60_538, 0, '2024-08-05'])
    expect(preview.unchanged.balances[0]?.date).toBe('2024-02-05')
  })

  it('reduces the instalment over the same due dates', () => {
    const preview = previewed()
    const { instalmentPaise, lastDueDate, instalmentsLeft, interestSavedPaise } = preview.reduceEmi
    expect([paiseToRupees(instalmentPaise), lastDueDate, instalmentsLeft]).toEqual([5840, '2025-01-05', 11])
    expect(paiseToRupees(interestSavedPaise)).toBeCloseTo(3049, -1)
  })

  it('or keeps the instalment and ends earlier, which saves more', () => {
    const preview = previewed()
    const { instalmentPaise, lastDueDate, instalmentsLeft } = preview.reduceTenor
    expect([paiseToRupees(instalmentPaise), lastDueDate, instalmentsLeft]).toEqual([10_662, '2024-08-05', 6])
    expect(preview.reduceTenor.interestSavedPaise > preview.reduceEmi.interestSavedPaise).toBe(true)
  })

  it('names the first day of the new instalment, and the one that stays due before it', () => {
    const { reduceEmi, reduceTenor } = previewOn(facts, toDay('2024-02-10'), rupeesToPaise(50_000))
    const nextDue = { date: '2024-03-05', amountPaise: rupeesToPaise(10_662) }
    expect(reduceEmi).toMatchObject({ instalmentFrom: '2024-04-05', nextDue })
    expect(reduceTenor.nextDue).toEqual(nextDue)
    const paidOff = previewOn(facts, toDay('2024-02-05'), rupeesToPaise(110_538)).reduceEmi
    expect([paidOff.instalmentFrom, paidOff.nextDue]).toEqual([null, null])
  })

  it('paying it yields exactly that', () => {
    const preview = previewed()
    const paid = (purpose: 'PART_PAYMENT__REDUCE_EMI' | 'PART_PAYMENT__REDUCE_TENOR') =>
      loanStateDuring(
        {
          ...facts,
          payments: [...facts.payments, { paymentId: 'p2', date: toDay('2024-02-05'), amountPaise: rupeesToPaise(50_000), purpose }],
        },
        toDay('2024-02-05'),
      )
    expect(paid('PART_PAYMENT__REDUCE_EMI').instalmentPaise).toBe(preview.reduceEmi.instalmentPaise)
    expect(paid('PART_PAYMENT__REDUCE_TENOR').rows.at(-1)?.dueDate).toBe(preview.reduceTenor.lastDueDate)
  })

  it('of a loan without a disbursal has no last due date, and a balance of zero', () => {
    const { unchanged } = previewOn({ ...facts, disbursals: [], payments: [] }, toDay('2024-02-05'), rupeesToPaise(1))
    expect(unchanged).toMatchObject({ lastDueDate: null, instalmentsLeft: 0, balances: [{ date: '2024-02-05', amountPaise: 0n }] })
  })

  it('saves to the paisa what the rows then bear less, and has the balance after each row to come', () => {
    const preview = previewed()
    for (const [purpose, outcome] of [
      ['PART_PAYMENT__REDUCE_EMI', preview.reduceEmi],
      ['PART_PAYMENT__REDUCE_TENOR', preview.reduceTenor],
    ] as const) {
      const day = toDay('2024-02-05')
      const payment = { paymentId: 'p2', date: day, amountPaise: rupeesToPaise(50_000), purpose }
      const { rows } = loanStateDuring({ ...facts, payments: [...facts.payments, payment] }, day)
      expect(outcome.totalInterestPaise).toBe(rows.reduce((sum, { interestPaise }) => sum + interestPaise, 0n))
      expect(outcome.interestSavedPaise).toBe(preview.unchanged.totalInterestPaise - outcome.totalInterestPaise)
      expect(outcome.balances.slice(1)).toEqual(
        rows.slice(1).map(({ dueDate, closingBalancePaise }) => ({ date: dueDate, amountPaise: closingBalancePaise })),
      )
    }
  })
})

describe('a part payment that reduces the EMI by the quote of a due date’s evening, paid that evening', () => {
  const evening = toDay('2026-04-05')
  const next = toDay('2026-04-06')
  const paidPlan = (more: Partial<LoanTerms> = {}, last: Partial<LoanFacts> = {}): LoanFacts =>
    factsOf(
      { ...termsOf({ annualRatePercent: 11.25, instalments: 24, firstDueDate: '2026-02-05' }), ...more },
      [['2026-01-05', 400_000]],
      [
        ['2026-02-05', 18_690, 'PAY_EMI'],
        ['2026-03-05', 18_690, 'PAY_EMI'],
        ['2026-04-05', 18_690, 'PAY_EMI'],
      ],
      last,
    )
  const paidOn = (facts: LoanFacts, date: Day, purpose: PaymentPurpose = 'PART_PAYMENT__REDUCE_EMI'): LoanFacts => ({
    ...facts,
    payments: [
      ...facts.payments,
      { paymentId: `part${facts.payments.length}`, date, amountPaise: rupeesToPaise(100_000), purpose, quotedAheadFor: next },
    ],
  })
  const figures = (facts: LoanFacts) => {
    expect(faultsIn(facts, next)).toEqual([])
    expect(faultsIn(facts, toDay('2026-09-10'))).toEqual([])
    const state = loanStateDuring(facts, next)
    const may = state.rows.find(({ dueDate }) => dueDate === '2026-05-05')
    return [
      paiseToRupees(may?.repaymentAmountPaise ?? zeroPaise),
      paiseToRupees(state.nextInstalmentPaise),
      nextInstalmentFrom(state),
      paiseToRupees(totalInterest(state)),
    ]
  }

  it.each([
    ['monthly', 18_690, 7_577, 26_283.61],
    ['actual_365', 18_661, 7_564, 26_173.25],
  ] as const)('%s: has the EMI of its preview, from the same day, and no more interest', (interest, before, instalment, interestShown) => {
    const facts = paidPlan({ interest })
    const { reduceEmi } = partPaymentPreview(facts, next, evening, rupeesToPaise(200_000))
    expect(reduceEmi).toMatchObject({ instalmentPaise: rupeesToPaise(instalment), instalmentFrom: '2026-06-05' })
    expect(paiseToRupees(reduceEmi.totalInterestPaise)).toBe(interestShown)
    const whole = { date: evening, amountPaise: rupeesToPaise(200_000), purpose: 'PART_PAYMENT__REDUCE_EMI' as const }
    const paid = { ...facts, payments: [...facts.payments, { paymentId: 'part', ...whole, quotedAheadFor: next }] }
    const [may, emi, from, interestPaid] = figures(paid)
    expect([may, from]).toEqual([before, '2026-06-05'])
    expect(Number(emi)).toBeLessThanOrEqual(instalment)
    expect(Number(interestPaid)).toBeLessThanOrEqual(interestShown)
  })

  /** A day less of interest can make the EMI some rupees lower than shown. */
  const expectAsShown = (paid: LoanFacts, shown: LoanFacts) => {
    const [mayShown, emiShown, fromShown] = figures(shown)
    const [may, emi, from] = figures(paid)
    expect([may, from, rowsOf(paid)]).toEqual([mayShown, fromShown, rowsOf(shown)])
    expect(Number(emiShown) - Number(emi)).toBeOneOf([0, 1, 2, 3])
  }
  const rowsOf = (facts: LoanFacts) => loanStateDuring(facts, next).rows.length

  it('leaves the row that begins on its day to what else asked for it on that day', () => {
    const rate = { date: evening, annualRatePpb: 120_000_000, keep: 'tenor' as const }
    const withRate = paidPlan({}, { rateChanges: [rate] })
    expect(figures(withRate)[0]).toBe(18_814)
    expect(figures(paidOn(withRate, evening))[0]).toBe(18_814)
    expectAsShown(paidOn(withRate, evening), paidOn(withRate, next))
    const atOnce = factsOf(termsOf({ annualRatePercent: 11.25, instalments: 24, firstDueDate: '2026-05-05' }), [['2026-04-05', 400_000]])
    expect(figures(paidOn(atOnce, evening))[0]).toBe(18_690)
    expectAsShown(paidOn(atOnce, evening), paidOn(atOnce, next))
  })

  it('comes before another part payment of the same evening', () => {
    const emi = 'PART_PAYMENT__REDUCE_EMI'
    const tenor = 'PART_PAYMENT__REDUCE_TENOR'
    for (const [first, second] of [
      [emi, tenor],
      [tenor, emi],
      [emi, emi],
    ] as const) {
      const before = paidOn(paidPlan(), evening, first)
      expectAsShown(paidOn(before, evening, second), paidOn(before, next, second))
    }
  })
})

it('a part payment by an evening’s quote pays no late charge that arises on the next day, and its preview shows none', () => {
  const terms = termsOf({
    annualRatePercent: 12,
    instalments: 12,
    firstDueDate: '2024-02-05',
    lateCharge: { graceDays: 0, amountPaise: rupeesToPaise(500) },
  })
  const unpaid = factsOf(terms, [['2024-01-05', 120_000]])
  const { facts: random } = randomLoan(239, 16, false)
  const early = random.payments.filter(({ date }) => date <= '2021-07-08')
  for (const [facts, evening, next, amountPaise, left] of [
    [unpaid, '2024-02-05', '2024-02-06', rupeesToPaise(60_662), 60_538],
    [{ ...random, payments: early }, '2021-07-08', '2021-07-09', paise(34_076_616n), 52_869.25],
  ] as const) {
    const { reduceEmi, reduceTenor } = partPaymentPreview(facts, toDay(next), toDay(evening), amountPaise)
    expect([reduceEmi, reduceTenor].map(({ balances }) => paiseToRupees(balances[0]!.amountPaise))).toEqual([left, left])
    for (const date of [toDay(evening), toDay(next)]) {
      const payment = { paymentId: 'part', date, amountPaise, purpose: 'PART_PAYMENT__REDUCE_EMI' as const, quotedAheadFor: toDay(next) }
      const { principalOutstandingPaise } = loanStateDuring({ ...facts, payments: [...facts.payments, payment] }, toDay(next))
      expect(paiseToRupees(principalOutstandingPaise)).toBe(left)
    }
  }
})
