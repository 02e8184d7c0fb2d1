import { describe, expect, it } from 'vitest'
import { nothingAllowed } from './allowed-payments.ts'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { paidSoFar, loanPlanAtEndOf, loanStateAtEndOf, loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanState, LoanTerms } from './loans.ts'
import { paise, paiseToRupees, rupeesToPaise } from './money.ts'

/** 1,20,000 at 12 % in 12 instalments of 10,662, due on the 5th; a whole first month. */
const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
const disbursals = [['2024-01-05', 120_000]] as const
const loan = (payments: Parameters<typeof factsOf>[2] = [], more: Partial<LoanFacts> = {}, changed: Partial<LoanTerms> = {}): LoanFacts =>
  factsOf({ ...terms, ...changed }, disbursals, payments, more)
const during = (facts: LoanFacts, day: string): LoanState => loanStateDuring(facts, toDay(day))
const atEndOf = (facts: LoanFacts, day: string): LoanState => loanStateAtEndOf(facts, toDay(day))
const shown = (state: LoanState) => ({
  status: state.status,
  dpd: state.dpd,
  dues: paiseToRupees(state.duesPaise),
  credit: paiseToRupees(state.creditPaise),
})
const row = (state: LoanState, number: number) => {
  const found = state.rows[number - 1]
  if (found === undefined) throw new Error(`No row ${number}`)
  return {
    due: found.dueDate,
    amount: paiseToRupees(found.repaymentAmountPaise),
    principal: paiseToRupees(found.principalPaise),
    interest: paiseToRupees(found.interestPaise),
    left: paiseToRupees(found.pendingPaise),
    status: found.status,
  }
}
const linesOf = (state: LoanState, payment: number) =>
  state.allocations[payment - 1]?.lines.map(({ component, instalmentNumber, chargeId, amountPaise }) => [
    component,
    instalmentNumber ?? chargeId,
    paiseToRupees(amountPaise),
  ])

describe('what the borrower has paid', () => {
  const paid = (facts: LoanFacts, day: string) => {
    const { principalPaise, interestPaise } = paidSoFar(during(facts, day))
    return [paiseToRupees(principalPaise), paiseToRupees(interestPaise)]
  }
  const ahead = ['2024-01-10', 10_662, 'PAY_EMI'] as const

  it('is without interest that a foreclosure gave back', () => {
    expect(paid(loan([ahead]), '2024-01-20')).toEqual([9_462, 1_200])
    const foreclosed = loan([ahead, ['2024-01-20', 109_918.65, 'FORECLOSURE']])
    // 15 of 31 days of 1,200.
    expect([during(foreclosed, '2024-01-20').status, ...paid(foreclosed, '2024-01-20')]).toEqual(['CLOSED', 120_000, 580.65])
  })

  it('is without what the lender wrote off', () => {
    const short = loan([['2024-01-20', 120_000, 'FORECLOSURE']], {
      foreclosureWaivers: [{ waiverId: 'w', date: toDay('2024-01-25'), amountPaise: rupeesToPaise(1_000) }],
    })
    expect([during(short, '2024-01-25').status, ...paid(short, '2024-01-25')]).toEqual(['CLOSED', 120_000, 0])
    const less = { ...short, payments: short.payments.map((payment) => ({ ...payment, amountPaise: rupeesToPaise(119_900) })) }
    expect([during(less, '2024-01-25').status, ...paid(less, '2024-01-25')]).toEqual(['CLOSED', 119_900, 0])
    expect(paidSoFar(during(less, '2024-01-25')).waivedPrincipalPaise).toBe(rupeesToPaise(100))
  })
})

it('after a foreclosure, the EMI of a new disbursal is on what is disbursed then, whatever was prepaid before', () => {
  const facts = factsOf(
    terms,
    [['2024-01-05', 120_000]],
    [
      ['2024-02-05', 10_662],
      ['2024-02-20', 50_000, 'PART_PAYMENT__REDUCE_TENOR'],
    ],
  )
  const day = toDay('2024-02-25')
  const payoff = loanStateDuring(facts, day).allowed.foreclosure?.amountPaise ?? paise(0n)
  const grown = {
    ...facts,
    sanctionedPaise: rupeesToPaise(220_000),
    payments: [...facts.payments, { paymentId: 'payoff', date: day, amountPaise: payoff, purpose: 'FORECLOSURE' as const }],
    disbursals: [...facts.disbursals, { date: toDay('2024-03-01'), amountPaise: rupeesToPaise(100_000) }],
  }
  // 1,00,000 over the ten rows that are left.
  expect(loanStateDuring(grown, toDay('2024-03-06')).nextInstalmentPaise).toBe(rupeesToPaise(10_559))
})

describe('the due date (decision 22)', () => {
  it('during the day: Due, DPD 0, ACTIVE, paid as the next instalment', () => {
    const state = during(loan(), '2024-02-05')
    expect(shown(state)).toEqual({ status: 'ACTIVE', dpd: 0, dues: 10_662, credit: 0 })
    expect(row(state, 1)).toEqual({ due: '2024-02-05', amount: 10_662, principal: 9462, interest: 1200, left: 10_662, status: 'Due' })
    expect(state.allowed.nextEmi).toMatchObject({ amountPaise: 1_066_200n, dueDate: '2024-02-05' })
    expect(state.allowed.overdue.amountPaise).toBe(0n)
  })

  it('at its end and during the next day: Late, DPD 1, OVERDUE, paid as overdue', () => {
    for (const state of [atEndOf(loan(), '2024-02-05'), during(loan(), '2024-02-06')]) {
      expect(shown(state)).toEqual({ status: 'OVERDUE', dpd: 1, dues: 10_662, credit: 0 })
      expect(row(state, 1).status).toBe('Late')
      expect(state.allowed.overdue).toMatchObject({ amountPaise: 1_066_200n, dpd: 1 })
      expect(state.allowed.nextEmi).toBeNull()
      expect(state.allowed.partPayment).toEqual({ minPaise: 0n, maxPaise: 0n })
    }
  })

  it('due 12 days ago shows 12', () => {
    expect(during(loan(), '2024-02-17').dpd).toBe(12)
  })

  it('a partly paid instalment is unpaid', () => {
    const state = during(loan([['2024-02-05', 10_661.99]]), '2024-02-08')
    expect(shown(state)).toEqual({ status: 'OVERDUE', dpd: 3, dues: 0.01, credit: 0 })
    expect(row(state, 1)).toMatchObject({ left: 0.01, amount: 10_662, status: 'Late' })
  })
})

describe('money without a purpose', () => {
  it('waits as credit and pays the next due date', () => {
    const early = loan([['2024-01-20', 11_000]])
    expect(shown(during(early, '2024-01-20'))).toEqual({ status: 'ACTIVE', dpd: 0, dues: 0, credit: 11_000 })
    const due = during(early, '2024-02-05')
    expect(shown(due)).toEqual({ status: 'ACTIVE', dpd: 0, dues: 0, credit: 338 })
    expect(row(due, 1).status).toBe('Paid')
    expect(due.adjustments).toMatchObject([{ date: '2024-02-05', reason: 'credit_used', paymentId: null }])
  })

  it('goes instalment by instalment, oldest first, interest before principal, then to charges, penal ones last', () => {
    const charges = [chargeOf('penal', '2024-02-10', 500, { penal: true }), chargeOf('bounce', '2024-02-20', 250)]
    const state = atEndOf(loan([['2024-03-06', 22_000]], { charges }), '2024-03-06')
    expect(linesOf(state, 1)).toEqual([
      ['interest', 1, 1200],
      ['principal', 1, 9462],
      ['interest', 2, 1105.38],
      ['principal', 2, 9556.62],
      ['charge', 'bounce', 250],
      ['charge', 'penal', 426],
    ])
    expect(shown(state)).toEqual({ status: 'ACTIVE', dpd: 0, dues: 74, credit: 0 })
    expect(state.allowed.overdue).toMatchObject({ amountPaise: 7400n, dpd: 0 })
  })

  it('goes to charges first if the product has that order', () => {
    const state = atEndOf(
      loan([['2024-02-10', 400]], { charges: [chargeOf('bounce', '2024-02-06', 250)] }, { allocation: 'charges_first' }),
      '2024-02-10',
    )
    expect(linesOf(state, 1)).toEqual([
      ['charge', 'bounce', 250],
      ['interest', 1, 150],
    ])
  })
})

describe('a payment for a purpose settles that first (decision 21)', () => {
  it('an instalment paid early is Paid at once and bears its whole interest', () => {
    const state = during(loan([['2024-01-10', 10_662, 'PAY_EMI']]), '2024-01-10')
    expect(row(state, 1)).toMatchObject({ amount: 10_662, interest: 1200, left: 0, status: 'Paid' })
    expect(state.principalOutstandingPaise).toBe(rupeesToPaise(110_538))
    expect(state.allowed.nextEmi).toMatchObject({ dueDate: '2024-03-05' })
    expect([state.instalmentsPaid, state.instalmentsDue]).toEqual([1, 11])
  })

  it('PAY_EMI pays its instalment although charges come first, OVERDUE the charges with what is overdue', () => {
    const charges = [chargeOf('bounce', '2024-02-01', 250)]
    const first = { allocation: 'charges_first' } as const
    expect(linesOf(atEndOf(loan([['2024-02-05', 10_662, 'PAY_EMI']], { charges }, first), '2024-02-05'), 1)).toEqual([
      ['interest', 1, 1200],
      ['principal', 1, 9462],
    ])
    expect(linesOf(during(loan([['2024-02-06', 10_912, 'OVERDUE']], { charges }), '2024-02-06'), 1)).toEqual([
      ['interest', 1, 1200],
      ['principal', 1, 9462],
      ['charge', 'bounce', 250],
    ])
  })

  it('PAY_EMI that comes late pays the instalment that is late', () => {
    const state = during(loan([['2024-02-09', 10_662, 'PAY_EMI']]), '2024-02-09')
    expect([row(state, 1).status, row(state, 2).status, state.dpd]).toEqual(['Paid', 'Due', 0])
  })
})

describe('late charges (decision 21)', () => {
  const lateCharge = { graceDays: 3, amountPaise: rupeesToPaise(500) }

  it('arise when the days of grace are over, once for an instalment, named after its due date', () => {
    const facts = loan([], {}, { lateCharge })
    expect(paiseToRupees(during(facts, '2024-02-08').duesPaise)).toBe(10_662)
    const state = during(facts, '2024-02-09')
    expect(shown(state)).toEqual({ status: 'OVERDUE', dpd: 4, dues: 11_162, credit: 0 })
    expect(state.derivedCharges).toEqual([
      {
        chargeId: 'late:2024-02-05',
        date: '2024-02-09',
        chargeType: 'LATE_PAYMENT_CHARGE',
        amountPaise: 50_000n,
        penal: true,
        waivedOn: null,
      },
    ])
    expect(state.rows[0]?.charges).toEqual([{ chargeId: 'late:2024-02-05', chargeType: 'LATE_PAYMENT_CHARGE', pendingPaise: 50_000n }])
    expect(paiseToRupees(during(facts, '2024-02-20').duesPaise)).toBe(11_162)
  })

  it('do not arise when it is paid on the last day of grace, and arise when a day later', () => {
    expect(during(loan([['2024-02-08', 10_662]], {}, { lateCharge }), '2024-02-20').duesPaise).toBe(0n)
    const late = during(loan([['2024-02-09', 10_662]], {}, { lateCharge }), '2024-02-20')
    expect(shown(late)).toEqual({ status: 'ACTIVE', dpd: 0, dues: 500, credit: 0 })
  })

  it('vanish when a back-dated payment shows that it was paid in time', () => {
    const payments = [
      ['2024-02-12', 100],
      ['2024-02-07', 10_662],
    ] as const
    expect(during(loan(payments, {}, { lateCharge }), '2024-02-20').derivedCharges).toEqual([])
  })

  it('are replaced by a stored charge of that id, and may be waived', () => {
    const stored = chargeOf('late:2024-02-05', '2024-02-09', 300, {
      chargeType: 'LATE_PAYMENT_CHARGE',
      penal: true,
      waivedOn: toDay('2024-02-15'),
    })
    const facts = loan([], { charges: [stored] }, { lateCharge })
    expect(paiseToRupees(during(facts, '2024-02-14').duesPaise)).toBe(10_962)
    expect(paiseToRupees(during(facts, '2024-02-15').duesPaise)).toBe(10_662)
    expect(during(facts, '2024-02-15').derivedCharges).toEqual([])
  })

  it('bear no interest', () => {
    const without = during(loan([], {}, { interest: 'actual_365' }), '2024-04-20')
    const withCharges = during(loan([], {}, { interest: 'actual_365', lateCharge }), '2024-04-20')
    expect(withCharges.rows.map(({ interestPaise }) => interestPaise)).toEqual(without.rows.map(({ interestPaise }) => interestPaise))
  })
})

describe('foreclosure (decision 24)', () => {
  it('is principal, interest of the open period to the day, what is unpaid, and the disclosed charge with its tax', () => {
    const facts = loan(
      [],
      { charges: [chargeOf('bounce', '2024-02-10', 250)] },
      { prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 180_000_000 } },
    )
    const offer = during(facts, '2024-02-20').allowed.foreclosure
    // 15 of the 29 days from 5 February to 5 March bear 15/29 of a month's interest on 1,10,538.
    const run = Math.round((110_538 * 0.01 * 15 * 100) / 29) / 100
    expect(paiseToRupees(offer?.parts.interestPaise ?? rupeesToPaise(0))).toBeCloseTo(1200 + run, 2)
    expect(paiseToRupees(offer?.parts.principalPaise ?? rupeesToPaise(0))).toBe(120_000)
    expect(paiseToRupees(offer?.parts.chargesPaise ?? rupeesToPaise(0))).toBe(250 + 2210.76)
    expect(paiseToRupees(offer?.parts.taxPaise ?? rupeesToPaise(0))).toBe(397.94)
  })

  it('on a due date bears no interest beyond the row of that day', () => {
    const offer = during(loan([['2024-02-05', 10_662]]), '2024-02-05').allowed.foreclosure
    expect(offer?.amountPaise).toBe(rupeesToPaise(110_538))
  })

  it('gives back interest paid ahead for days that never run, and uses credit', () => {
    const facts = loan([
      ['2024-01-10', 10_662, 'PAY_EMI'],
      ['2024-01-11', 1000],
    ])
    const offer = during(facts, '2024-01-20').allowed.foreclosure
    // 15 of 31 days have run: 580.65 of the 1,200 that were paid.
    expect(paiseToRupees(offer?.amountPaise ?? rupeesToPaise(0))).toBe(110_538 - (1200 - 580.65) - 1000)
    expect([offer?.rebatePaise, offer?.creditPaise]).toEqual([61_935n, 100_000n])
    const closed = during(
      loan([
        ['2024-01-10', 10_662, 'PAY_EMI'],
        ['2024-01-11', 1000],
        ['2024-01-20', 108_918.65, 'FORECLOSURE'],
      ]),
      '2024-01-20',
    )
    expect(shown(closed)).toEqual({ status: 'CLOSED', dpd: 0, dues: 0, credit: 0 })
    expect(closed.adjustments.map(({ reason }) => reason)).toEqual(['credit_used', 'interest_rebated'])
    expect(closed.rows.map(({ status, dueDate }) => [status, dueDate])).toEqual([
      ['Paid', '2024-02-05'],
      ['Paid', '2024-03-05'],
    ])
  })

  it('begun in time closes the loan although a day’s interest is missing, which is waived by that name', () => {
    const quoted = during(loan(), '2024-01-20').allowed.foreclosure?.amountPaise ?? rupeesToPaise(0)
    const state = during(loan([['2024-01-21', quoted, 'FORECLOSURE']]), '2024-01-21')
    expect(state.status).toBe('CLOSED')
    expect(state.adjustments).toMatchObject([
      { reason: 'interest_waived', paymentId: 'p1', lines: [{ component: 'interest', amountPaise: 3870n }] },
    ])
    expect(during(loan([['2024-01-22', quoted, 'FORECLOSURE']]), '2024-01-22').status).toBe('ACTIVE')
  })

  it('is limited where one link cannot carry it', () => {
    expect(during(loan([], {}, { linkMaximumPaise: rupeesToPaise(100_000) }), '2024-01-20').allowed.foreclosure?.isLimited).toBe(true)
    expect(during(loan(), '2024-01-20').allowed.foreclosure?.isLimited).toBe(false)
  })
})

describe('part payment (decision 23)', () => {
  it('may be from one instalment up to all but one', () => {
    expect(during(loan(), '2024-01-20').allowed.partPayment).toEqual({ minPaise: rupeesToPaise(10_662), maxPaise: rupeesToPaise(109_338) })
    expect(during(loan([], {}, { partPaymentMinimumPaise: rupeesToPaise(5000) }), '2024-01-20').allowed.partPayment.minPaise).toBe(
      rupeesToPaise(5000),
    )
    const dueToday = during(loan(), '2024-02-05').allowed.partPayment
    expect(dueToday).toEqual({ minPaise: rupeesToPaise(21_324), maxPaise: rupeesToPaise(10_662 + 110_538 - 10_662) })
  })

  it('is not offered when too little is left for it', () => {
    const paid = Array.from({ length: 11 }, (_, index) => [`2024-${String(index + 2).padStart(2, '0')}-05`, 10_662] as const)
    expect(during(loan(paid), '2024-12-10').allowed.partPayment).toEqual({ minPaise: 0n, maxPaise: 0n })
  })

  it('reduces principal on its day, keeps the interest run in the row of its period, and the instalment until the next period', () => {
    const state = during(loan([['2024-01-20', 50_000, 'PART_PAYMENT__REDUCE_EMI']]), '2024-01-20')
    // 15 days of 31 at 1,20,000 and 16 at 70,000: 580.65 + 361.29.
    expect(row(state, 1)).toMatchObject({ amount: 10_662, interest: 941.94, principal: 9720.06 })
    expect(paiseToRupees(state.nextInstalmentPaise)).toBe(5815)
    expect(row(state, 2).amount).toBe(5815)
    expect(state.rows).toHaveLength(12)
  })

  it('keeps the instalment and drops last rows when it reduces the tenor', () => {
    const state = during(loan([['2024-02-05', 60_662, 'PART_PAYMENT__REDUCE_TENOR']]), '2024-02-05')
    expect(row(state, 2).amount).toBe(10_662)
    expect(paiseToRupees(state.rows[0]?.closingBalancePaise ?? rupeesToPaise(0))).toBe(60_538)
    expect(state.rows).toHaveLength(7)
  })

  it('leaves a row paid ahead as it was and sets its interest right in the next one', () => {
    const state = during(
      loan([
        ['2024-01-10', 10_662, 'PAY_EMI'],
        ['2024-01-20', 50_000, 'PART_PAYMENT__REDUCE_EMI'],
      ]),
      '2024-01-20',
    )
    expect(row(state, 1)).toMatchObject({ amount: 10_662, interest: 1200, status: 'Paid' })
    // The 16 days after it bore 258.06 too much; the next row is less by that.
    expect(row(state, 2).interest).toBeCloseTo(605.38 - 258.06, 2)
  })
})

describe('what changes a loan on its way', () => {
  it('a tranche bears interest for its days in the open row; the instalment is computed anew from the next period', () => {
    const facts = factsOf(terms, [...disbursals, ['2024-02-20', 60_000]], [['2024-02-05', 10_662]])
    const state = atEndOf(facts, '2024-02-20')
    // 60,000 for 14 of 29 days: 289.66 beside 571.75 + 533.63 of the old balance, computed in two
    // pieces.
    expect(row(state, 2).interest).toBeCloseTo(1105.38 + 289.66, 1)
    expect(row(state, 2).amount).toBe(10_662)
    expect(row(state, 3).amount).toBeGreaterThan(16_000)
    expect(state.rows).toHaveLength(12)
  })

  it('a tranche on a due date enters after that row', () => {
    const state = atEndOf(factsOf(terms, [...disbursals, ['2024-02-05', 60_000]], [['2024-02-05', 10_662]]), '2024-02-05')
    expect(row(state, 1)).toMatchObject({ amount: 10_662, interest: 1200 })
    expect(row(state, 2).interest).toBe(1705.38)
    expect(paiseToRupees(state.rows[0]?.closingBalancePaise ?? rupeesToPaise(0))).toBe(170_538)
  })

  it('a rate change keeps the tenor or the instalment, as the borrower chose', () => {
    const rateChanges = (keep: 'instalment' | 'tenor') => [{ date: toDay('2024-02-05'), annualRatePpb: 180_000_000, keep }]
    const tenor = atEndOf(loan([['2024-02-05', 10_662]], { rateChanges: rateChanges('tenor') }), '2024-02-05')
    expect([tenor.rows.length, row(tenor, 2).amount > 10_662, row(tenor, 2).interest]).toEqual([12, true, 1658.07])
    const instalment = atEndOf(loan([['2024-02-05', 10_662]], { rateChanges: rateChanges('instalment') }), '2024-02-05')
    expect([instalment.rows.length, row(instalment, 2).amount]).toEqual([13, 10_662])
  })

  it('an instalment that would never repay the loan is raised', () => {
    const rateChanges = [{ date: toDay('2024-02-05'), annualRatePpb: 2_000_000_000, keep: 'instalment' as const }]
    const state = atEndOf(loan([['2024-02-05', 10_662]], { rateChanges }), '2024-02-05')
    expect(state.rows).toHaveLength(12)
    expect(row(state, 2).amount).toBeGreaterThan(row(state, 2).interest)
  })

  it('a first period that is no whole month bears actual days of 365, in leap years too', () => {
    const state = atEndOf(factsOf(terms, [['2024-01-15', 120_000]]), '2024-01-15')
    expect(row(state, 1).interest).toBe(Math.round((120_000 * 0.12 * 21 * 100) / 365) / 100)
    expect(row(state, 1).amount).toBe(10_662)
    expect(row(state, 2).interest).toBeCloseTo((120_000 - row(state, 1).principal) * 0.01, 2)
  })

  it('without interest the instalment is the principal by the number of rows', () => {
    const state = atEndOf(loan([], {}, { annualRatePpb: 0 }), '2024-01-05')
    expect([row(state, 1).amount, row(state, 12).amount, paiseToRupees(state.instalmentPaise)]).toEqual([10_000, 10_000, 10_000])
  })

  it('rounding up may end the schedule early', () => {
    const state = atEndOf(factsOf({ ...terms, annualRatePpb: 0, instalments: 5 }, [['2024-01-05', 6]]), '2024-01-05')
    expect(state.rows.map(({ repaymentAmountPaise }) => paiseToRupees(repaymentAmountPaise))).toEqual([2, 2, 2])
  })
})

describe('before EMIs begin (decision 25)', () => {
  const until = toDay('2024-06-05')
  const waiting = (interest: 'paid' | 'deferred') =>
    factsOf({ ...terms, firstDueDate: toDay('2024-07-05'), moratorium: { until, interest } }, disbursals)

  it('interest is paid month by month, in rows of its own', () => {
    const state = atEndOf(waiting('paid'), '2024-01-05')
    expect(state.rows).toHaveLength(17)
    expect([row(state, 1), row(state, 5).principal, row(state, 6).due, row(state, 6).amount]).toEqual([
      { due: '2024-02-05', amount: 1200, principal: 0, interest: 1200, left: 1200, status: 'Due' },
      0,
      '2024-07-05',
      10_662,
    ])
    expect(paiseToRupees(state.instalmentPaise)).toBe(1200)
  })

  it('or deferred: simple interest, nothing due, added once to principal on the day EMIs begin', () => {
    const state = atEndOf(waiting('deferred'), '2024-06-04')
    expect([state.rows.length, row(state, 1).due, paiseToRupees(state.principalOutstandingPaise)]).toEqual([12, '2024-07-05', 120_000])
    expect(state.capitalised).toEqual({ date: '2024-06-05', amountPaise: rupeesToPaise(6000) })
    expect(state.allowed.nextEmi).toBeNull()
    const begun = atEndOf(waiting('deferred'), '2024-06-05')
    expect(paiseToRupees(begun.principalOutstandingPaise)).toBe(126_000)
    expect([paidSoFar(state), paidSoFar(begun)].map(({ principalPaise }) => principalPaise)).toEqual([0n, 0n])
    expect(row(begun, 1)).toMatchObject({ interest: 1260, amount: 11_195 })
  })

  it('deferred interest is part of a payoff before it is principal', () => {
    const offer = during(waiting('deferred'), '2024-04-05').allowed.foreclosure
    expect([
      paiseToRupees(offer?.parts.principalPaise ?? rupeesToPaise(0)),
      paiseToRupees(offer?.parts.interestPaise ?? rupeesToPaise(0)),
    ]).toEqual([120_000, 3600])
  })
})

describe('actual_365 follows the days (decision 20)', () => {
  const byDays = { interest: 'actual_365' } as const

  it('late principal bears interest until it is paid', () => {
    const onTime = atEndOf(loan([['2024-02-05', 10_662]], {}, byDays), '2024-03-01')
    const late = atEndOf(loan([['2024-02-20', 10_662]], {}, byDays), '2024-03-01')
    const principal = row(onTime, 1).principal
    expect(row(late, 2).interest - row(onTime, 2).interest).toBeCloseTo((principal * 0.12 * 15) / 365, 1)
  })

  it('an instalment paid early makes the next row bear less', () => {
    const early = atEndOf(loan([['2024-01-26', 10_661, 'PAY_EMI']], {}, byDays), '2024-02-05')
    const onTime = atEndOf(loan([['2024-02-05', 10_661]], {}, byDays), '2024-02-05')
    expect(row(early, 2).interest).toBeLessThan(row(onTime, 2).interest)
  })

  it('goes on after the last due date while principal is unpaid', () => {
    const state = atEndOf(loan([], {}, byDays), '2025-04-05')
    expect(state.rows.length).toBeGreaterThan(12)
    expect(row(state, 13)).toMatchObject({ principal: 0, status: 'Late' })
  })
})

describe('statuses', () => {
  it('a sanctioned loan without a disbursal is ACTIVE and owes nothing', () => {
    const state = during({ ...loan(), disbursals: [] }, '2024-01-20')
    expect(shown(state)).toEqual({ status: 'ACTIVE', dpd: 0, dues: 0, credit: 0 })
    expect([state.rows, state.dueDate, state.allowed.foreclosure]).toEqual([[], null, null])
  })

  it('a waived charge of before the first disbursal changes nothing', () => {
    const payments = [['2024-02-03', 5_000]] as const
    const paid = loan(payments)
    const early = { ...chargeOf('early', '2024-01-02', 500), waivedPaise: rupeesToPaise(500) }
    for (const waivedOn of ['2024-01-02', '2024-01-04', '2024-01-08', '2024-02-02'])
      for (const day of ['2024-01-06', '2024-02-04', '2024-02-10', '2024-04-01'])
        if (waivedOn <= day) {
          const { rows, ...state } = during({ ...paid, charges: [{ ...early, waivedOn: toDay(waivedOn) }] }, day)
          expect(state).toEqual((({ rows: _rows, ...others }) => others)(during(paid, day)))
          expect(rows.map(({ pendingPaise }) => pendingPaise)).toEqual(during(paid, day).rows.map(({ pendingPaise }) => pendingPaise))
        }
  })

  it.each<[string, LoanFacts]>([
    ['no instalments', loan([], {}, { instalments: 0 })],
    ['a negative rate', loan([], {}, { annualRatePpb: -1 })],
    ['a due date before the disbursal', loan([], {}, { firstDueDate: toDay('2024-01-05') })],
    ['a disbursal of nothing', factsOf(terms, [['2024-01-05', 0]])],
    ['more disbursed than sanctioned', loan([], { sanctionedPaise: rupeesToPaise(1) })],
    ['a payment before the loan', loan([['2024-01-04', 1]])],
    ['a payment of nothing', loan([['2024-01-06', 0]])],
    ['grace over all rows', loan([], {}, { principalGraceInstalments: 12 })],
    ['a rate of more than 1000 %', loan([], {}, { annualRatePpb: 10_000_000_001 })],
    ['a due day of 32', loan([], {}, { dueDay: 32 })],
    ['a fixed instalment of nothing', loan([], {}, { fixedInstalmentPaise: rupeesToPaise(0) })],
    ['a first due date in another age', loan([], {}, { firstDueDate: toDay('2150-01-05') })],
    ['a moratorium of a century', loan([], {}, { moratorium: { until: toDay('2124-01-05'), interest: 'paid' } })],
    ['interest beyond what can be counted', factsOf({ ...terms, annualRatePpb: 10_000_000_000 }, [['2024-01-05', 9_999_999_999_999]])],
    ['a charge before the loan', loan([], { charges: [chargeOf('early', '2024-01-04', 1)] })],
    ['a charge of nothing', loan([], { charges: [chargeOf('nothing', '2024-01-10', 0)] })],
    ['a negative rate to come', loan([], { rateChanges: [{ date: toDay('2024-01-10'), annualRatePpb: -1, keep: 'tenor' }] })],
  ])('%s is UNKNOWN', (_name, facts) => {
    const state = during(facts, '2024-01-20')
    expect([state.status, state.dpd, state.duesPaise, state.allowed.foreclosure]).toEqual(['UNKNOWN', 0, 0n, null])
  })

  it('the whole life of a loan: paid to the day, closed by the last', () => {
    const payments = atEndOf(loan(), '2024-01-05').rows.map(({ dueDate, repaymentAmountPaise }) => [dueDate, repaymentAmountPaise] as const)
    const facts = loan(payments)
    for (const [index, [dueDate]] of payments.entries()) {
      expect(during(facts, addDays(dueDate, -1)).instalmentsPaid).toBe(index)
      expect(shown(during(facts, dueDate))).toEqual({ status: index === 11 ? 'CLOSED' : 'ACTIVE', dpd: 0, dues: 0, credit: 0 })
    }
  })

  it.each(['monthly', 'actual_365'] as const)('a tranche after the last due date gets a row of its own (%s)', (interest) => {
    const state = atEndOf(factsOf({ ...terms, interest }, [...disbursals, ['2025-03-01', 30_000]]), '2025-03-01')
    const last = state.rows.at(-1)
    expect([last?.dueDate, last?.principalPaise, last?.closingBalancePaise]).toEqual(['2025-03-05', rupeesToPaise(30_000), 0n])
    expect(state.principalOutstandingPaise).toBe(rupeesToPaise(150_000))
  })

  it('a loan closed early takes a further tranche and goes on', () => {
    const facts = factsOf(terms, [...disbursals, ['2024-03-20', 30_000]], [['2024-02-05', 120_000 + 1200, 'FORECLOSURE']])
    expect(during(facts, '2024-03-01').status).toBe('CLOSED')
    const state = during(facts, '2024-03-20')
    expect([state.status, paiseToRupees(state.principalOutstandingPaise), state.rows.at(-1)?.closingBalancePaise]).toEqual([
      'ACTIVE',
      30_000,
      0n,
    ])
  })
})

describe('a loan whose facts do not add up (decision 35)', () => {
  const early = { paymentId: 'p1', date: toDay('2024-01-04'), amountPaise: rupeesToPaise(100), purpose: null, heldPaise: rupeesToPaise(30) }
  const whole = { paymentId: 'p2', date: toDay('2024-01-06'), amountPaise: rupeesToPaise(10), purpose: null, heldPaise: rupeesToPaise(10) }

  it('shows the agreed schedule, takes no payment, and holds all that was received as credit but for what goes back', () => {
    const refunds = [{ refundId: 'r1', date: toDay('2024-01-07'), amountPaise: rupeesToPaise(20) }]
    const facts = { ...loan([], { charges: [chargeOf('bounce', '2024-01-10', 250)], refunds }), payments: [early, whole] }
    const state = during(facts, '2024-01-20')
    expect(state).toEqual({
      status: 'UNKNOWN',
      instalmentPaise: rupeesToPaise(10_662),
      rows: during(loan(), '2024-01-20').rows.map((agreed) => ({ ...agreed, status: 'Unknown' })),
      disbursedPaise: rupeesToPaise(120_000),
      principalOutstandingPaise: rupeesToPaise(120_000),
      duesPaise: 0n,
      dpd: 0,
      dueDate: null,
      instalmentsPaid: 0,
      instalmentsDue: 12,
      creditPaise: 0n,
      heldPaise: rupeesToPaise(60),
      refundShortPaise: 0n,
      allowed: { ...nothingAllowed, linkMaximumPaise: rupeesToPaise(500_000) },
      allocations: [
        {
          paymentId: 'p1',
          lines: [
            { component: 'excess', instalmentNumber: null, chargeId: null, amountPaise: rupeesToPaise(70) },
            { component: 'held', instalmentNumber: null, chargeId: null, amountPaise: rupeesToPaise(30) },
          ],
        },
        { paymentId: 'p2', lines: [{ component: 'held', instalmentNumber: null, chargeId: null, amountPaise: rupeesToPaise(10) }] },
      ],
      adjustments: [],
      shortForeclosures: [],
      capitalised: null,
      nextInstalmentPaise: 0n,
      derivedCharges: [],
      voidCharges: [],
    })
  })

  it.each<[string, Partial<LoanFacts>]>([
    ['a charge of nothing', { charges: [chargeOf('nothing', '2024-01-10', 0)] }],
    ['a negative rate', { rateChanges: [{ date: toDay('2024-01-10'), annualRatePpb: -1, keep: 'tenor' }] }],
    ['a refund of nothing', { refunds: [{ refundId: 'r', date: toDay('2024-01-10'), amountPaise: rupeesToPaise(0) }] }],
    ['more disbursed than sanctioned', { sanctionedPaise: rupeesToPaise(1) }],
    [
      'a disbursal of nothing beside a real one',
      { disbursals: [...loan().disbursals, { date: toDay('2024-01-10'), amountPaise: rupeesToPaise(0) }] },
    ],
    [
      'a payment too early, before a tranche to come',
      { payments: [early], disbursals: [...loan().disbursals, { date: toDay('2024-03-10'), amountPaise: rupeesToPaise(5) }] },
    ],
  ])('with %s it shows the schedule that was agreed', (_name, more) => {
    const state = during(loan([], more), '2024-01-20')
    expect(state).toMatchObject({ status: 'UNKNOWN', disbursedPaise: rupeesToPaise(120_000), instalmentsDue: 12 })
    expect(state.rows).toEqual(during(loan(), '2024-01-20').rows.map((agreed) => ({ ...agreed, status: 'Unknown' })))
  })

  it('shows no schedule where its terms make none', () => {
    expect(during(loan([], {}, { instalments: 0 }), '2024-01-20')).toMatchObject({
      rows: [],
      instalmentPaise: 0n,
      instalmentsDue: 0,
      disbursedPaise: rupeesToPaise(120_000),
      principalOutstandingPaise: rupeesToPaise(120_000),
    })
    expect(during({ ...loan(), disbursals: [], payments: [early] }, '2024-01-20')).toMatchObject({ status: 'UNKNOWN', rows: [] })
  })

  it('before its first disbursal a loan has received and sent back nothing', () => {
    const refunds = [{ refundId: 'r1', date: toDay('2024-01-07'), amountPaise: rupeesToPaise(20) }]
    const state = during({ ...loan(), disbursals: [], payments: [whole], refunds }, '2024-01-05')
    expect(state).toMatchObject({ status: 'ACTIVE', disbursedPaise: 0n, heldPaise: 0n, allocations: [] })
  })
})

describe('charges in the rows of the schedule (decision 35)', () => {
  it('a charge is shown with the row of its period, one after the last row with the last, what is paid of it left out', () => {
    const charges = [
      chargeOf('on the due date', '2024-02-05', 100),
      chargeOf('after it', '2024-02-06', 200),
      chargeOf('next due date', '2024-03-05', 300),
      chargeOf('after the last', '2025-02-01', 400),
    ]
    const shownIn = (facts: LoanFacts, day: string) =>
      atEndOf(facts, day).rows.flatMap(({ number, charges: inRow }) =>
        inRow.map((charge) => [number, charge.chargeId, charge.pendingPaise]),
      )
    expect(shownIn(loan([], { charges }), '2025-02-01')).toEqual([
      [1, 'on the due date', rupeesToPaise(100)],
      [2, 'after it', rupeesToPaise(200)],
      [2, 'next due date', rupeesToPaise(300)],
      [12, 'after the last', rupeesToPaise(400)],
    ])
    expect(shownIn(loan([['2024-03-05', 2 * 10_662 + 250]], { charges }), '2024-03-05')).toEqual([
      [2, 'after it', rupeesToPaise(50)],
      [2, 'next due date', rupeesToPaise(300)],
    ])
    const [first, second] = atEndOf(loan([], { charges }), '2025-02-01').rows
    expect([first?.pendingPaise, second?.pendingPaise]).toEqual([rupeesToPaise(10_762), rupeesToPaise(11_162)])
  })

  it('a late charge is shown with the instalment that is late, although it arose in the period of the next', () => {
    const lateCharge = { graceDays: 3, amountPaise: rupeesToPaise(500) }
    const { rows } = during(loan([['2024-02-05', 10_662]], {}, { lateCharge }), '2024-03-10')
    expect(rows.slice(0, 3).map(({ charges }) => charges.map(({ chargeId }) => chargeId))).toEqual([[], ['late:2024-03-05'], []])
  })
})

describe('the agreed schedule', () => {
  it('instalments not paid in time bear no further interest in it, by days (decision 20)', () => {
    const facts = loan([], {}, { interest: 'actual_365' })
    const planned = loanPlanAtEndOf(facts, toDay('2024-06-05'))
    const interest = (state: LoanState) => state.rows.map(({ interestPaise }) => interestPaise)
    expect(interest(planned)).toEqual(interest(atEndOf(facts, '2024-01-05')))
    expect(interest(planned)).not.toEqual(interest(atEndOf(facts, '2024-06-05')))
    expect(planned.dpd).toBe(atEndOf(facts, '2024-06-05').dpd)
  })

  it('the instalment of a loan before its last row is the agreed one, although that row is less', () => {
    const paid = Array.from({ length: 11 }, (_, index) => [`2024-${String(index + 2).padStart(2, '0')}-05`, 10_662] as const)
    const state = during(loan(paid), '2024-12-20')
    expect([state.instalmentsDue, state.rows.at(-1)?.repaymentAmountPaise]).toEqual([1, rupeesToPaise(10_660.16)])
    expect([state.instalmentPaise, state.capitalised]).toEqual([rupeesToPaise(10_662), null])
  })

  it('a loan that is not paid out yet is ACTIVE, without rows', () => {
    expect(during({ ...loan(), disbursals: [] }, '2024-01-05')).toMatchObject({ status: 'ACTIVE', rows: [], heldPaise: 0n })
  })

  it('the instalment of a loan that is paid is that of its last row', () => {
    const lowered = loan([
      ['2024-03-05', 51_324, 'PART_PAYMENT__REDUCE_EMI'],
      ['2024-04-05', 100_000, 'FORECLOSURE'],
    ])
    const before = during(lowered, '2024-03-06')
    expect(during(lowered, '2024-04-06')).toMatchObject({ status: 'CLOSED', instalmentPaise: before.nextInstalmentPaise })
    expect(before.nextInstalmentPaise).toBeLessThan(rupeesToPaise(10_662))
    const closed = during(loan([['2024-02-05', 121_200, 'FORECLOSURE']]), '2024-03-01')
    expect([closed.status, closed.dueDate, closed.instalmentPaise]).toEqual(['CLOSED', null, rupeesToPaise(10_662)])
  })
})
