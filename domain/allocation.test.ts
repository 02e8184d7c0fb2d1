import { describe, expect, it } from 'vitest'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { nothingAllowed } from './allowed-payments.ts'
import { loanStateDuring, loanStateQuoted } from './loan-state.ts'
import type { AllocationLine, Charge, LoanFacts, LoanState, LoanTerms, ReceivedPayment } from './loans.ts'
import { paiseToRupees, rupeesToPaise } from './money.ts'
import { faultsIn } from './referee-check.testing.ts'

/**
 * 30,000 at 12 % in 3 instalments of 10,201: 300 + 9,901, 200.99 + 10,000.01, 100.99 + 10,098.99,
 * due on the 5th from February on.
 */
const terms: LoanTerms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
type Payments = NonNullable<Parameters<typeof factsOf>[2]>
const loan = (payments: Payments = [], more: Partial<LoanFacts> = {}, changed: Partial<LoanTerms> = {}): LoanFacts =>
  factsOf({ ...terms, ...changed }, [['2024-01-05', 30_000]], payments, more)
const during = (facts: LoanFacts, day: string): LoanState => loanStateDuring(facts, toDay(day))
const shown = (lines: readonly AllocationLine[] = []) =>
  lines.map(({ component, instalmentNumber, chargeId, amountPaise }) => [
    component,
    instalmentNumber ?? chargeId,
    paiseToRupees(amountPaise),
  ])
const linesOf = (state: LoanState, payment = state.allocations.length) => shown(state.allocations[payment - 1]?.lines)
const moved = (state: LoanState) => state.adjustments.map(({ date, reason, paymentId, lines }) => [date, reason, paymentId, shown(lines)])
const interestOf = (state: LoanState) => state.rows.map(({ interestPaise }) => paiseToRupees(interestPaise))

describe('interest as scheduled (decision 20)', () => {
  it('monthly: an instalment paid early or late, whole or in part, changes no interest', () => {
    for (let day = toDay('2024-01-05'); day <= '2024-03-04'; day = addDays(day, 3)) {
      for (const rupees of [10_201, 4_000]) {
        const state = loanStateDuring(loan([[day, rupees, 'PAY_EMI']]), day)
        expect([day, interestOf(state)]).toEqual([day, [300, 200.99, 100.99]])
      }
    }
  })

  it('monthly: nor do two in one period, whose days are one piece all the same', () => {
    for (let day = toDay('2024-01-06'); day <= '2024-02-18'; day = addDays(day, 1)) {
      const later = addDays(day, 7)
      const facts = loan([
        [day, 4_000, 'PAY_EMI'],
        [later, 1_000, 'PAY_EMI'],
      ])
      expect([day, interestOf(loanStateDuring(facts, later))]).toEqual([day, [300, 200.99, 100.99]])
    }
  })

  it('by days: principal paid early bears interest to its day, and the rest on', () => {
    const early = during(loan([['2024-01-15', 5_000, 'PAY_EMI']], {}, { interest: 'actual_365' }), '2024-01-15')
    // Of the row 305.75 is interest; 4,694.25 of principal are paid 21 days early, which the next
    // row gets back.
    const agreed = during(loan([], {}, { interest: 'actual_365' }), '2024-01-15')
    expect(linesOf(early)).toEqual([
      ['interest', 1, 305.75],
      ['principal', 1, 4_694.25],
    ])
    expect(interestOf(early)[1]).toBeCloseTo((interestOf(agreed)[1] ?? 0) - (4_694.25 * 0.12 * 21) / 365, 1)
  })

  it('by days: overdue principal bears interest to the day it is paid', () => {
    const late = during(loan([['2024-02-15', 10_201, null]], {}, { interest: 'actual_365' }), '2024-02-15')
    const agreed = during(loan([['2024-02-05', 10_201, null]], {}, { interest: 'actual_365' }), '2024-02-15')
    const principal = paiseToRupees(agreed.rows[0]!.principalPaise)
    expect(interestOf(late)[1]).toBeCloseTo((interestOf(agreed)[1] ?? 0) + (principal * 0.12 * 10) / 365, 1)
  })
})

describe('a waiver of the rest of a charge', () => {
  const bounce = (more: Partial<Charge> = {}) => ({
    charges: [chargeOf('bounce', '2024-01-10', 590, { waivedOn: toDay('2024-01-20'), waivedPaise: rupeesToPaise(290), ...more })],
  })

  it('keeps what a payment of the same day paid, or one that became known later', () => {
    for (const paidOn of ['2024-01-15', '2024-01-20', '2024-01-25']) {
      const state = during(loan([[paidOn, 300, null]], bounce()), '2024-01-31')
      expect([paidOn, linesOf(state)]).toEqual([paidOn, [['charge', 'bounce', 300]]])
      expect([state.duesPaise, state.creditPaise]).toEqual([0n, 0n])
    }
  })

  it('leaves what was not decided: the part of a payment that came back is owed again', () => {
    expect(during(loan([], bounce()), '2024-01-31').duesPaise).toBe(rupeesToPaise(300))
  })

  it('waives no more than is left, and without a decided amount everything that is', () => {
    expect(during(loan([['2024-01-15', 400, null]], bounce()), '2024-01-31')).toMatchObject({ duesPaise: 0n, creditPaise: 0n })
    const older = { charges: [chargeOf('bounce', '2024-01-10', 590, { waivedOn: toDay('2024-01-20') })] }
    expect(during(loan([['2024-01-20', 300, null]], older), '2024-01-31')).toMatchObject({ duesPaise: 0n, creditPaise: 30_000n })
  })

  it('on the day of the charge takes nothing of the credit, whatever else is charged on that day', () => {
    const two = { charges: [chargeOf('a', '2024-01-10', 5_000, { waivedOn: toDay('2024-01-10') }), chargeOf('b', '2024-01-10', 500)] }
    const given = loan([['2024-01-08', 8_000, null]], two)
    expect(during(given, '2024-01-15')).toMatchObject({ creditPaise: rupeesToPaise(7_500), duesPaise: 0n })
    expect(faultsIn(given, toDay('2024-01-15'))).toEqual([])
  })

  it('on the day of the charge leaves the rest to the credit that paid it', () => {
    const state = during(loan([['2024-01-08', 300, null]], bounce({ waivedOn: toDay('2024-01-10') })), '2024-01-10')
    expect(moved(state)).toEqual([
      [
        '2024-01-10',
        'credit_used',
        null,
        [
          ['excess', null, -300],
          ['charge', 'bounce', 300],
        ],
      ],
    ])
    expect([state.duesPaise, state.creditPaise]).toEqual([0n, 0n])
  })
})

describe('charges (decision 21)', () => {
  const charges = [
    chargeOf('penal', '2024-02-06', 30, { penal: true }),
    chargeOf('first', '2024-02-06', 10),
    chargeOf('second', '2024-02-07', 20),
  ]

  it('are paid after the instalments, oldest first, penal ones last, and the rest is credit', () => {
    expect(linesOf(during(loan([['2024-02-10', 10_300, null]], { charges }), '2024-02-10'))).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
      ['charge', 'first', 10],
      ['charge', 'second', 20],
      ['charge', 'penal', 30],
      ['excess', null, 39],
    ])
  })

  it('are paid in part, and the rest by the next payment', () => {
    const state = during(
      loan(
        [
          ['2024-02-10', 15, null],
          ['2024-02-11', 20, null],
        ],
        { charges },
        { allocation: 'charges_first' },
      ),
      '2024-02-11',
    )
    expect([linesOf(state, 1), linesOf(state, 2)]).toEqual([
      [
        ['charge', 'first', 10],
        ['charge', 'second', 5],
      ],
      [
        ['charge', 'second', 15],
        ['charge', 'penal', 5],
      ],
    ])
  })
})

describe('a payment of what is overdue (decision 21)', () => {
  const facts = (day: string, rupees: number) => loan([[day, rupees, 'OVERDUE']], { charges: [chargeOf('bounce', '2024-02-10', 250)] })

  it('pays overdue rows and charges before the row that is due that day', () => {
    expect(linesOf(during(facts('2024-03-05', 10_551), '2024-03-05'))).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
      ['charge', 'bounce', 250],
      ['interest', 2, 100],
    ])
  })

  it('pays every row before the charges a day later', () => {
    expect(linesOf(during(facts('2024-03-06', 10_551), '2024-03-06')).map(([component]) => component)).toEqual([
      'interest',
      'principal',
      'interest',
      'principal',
    ])
  })
})

describe('an instalment paid ahead (decision 20)', () => {
  it('goes to interest, then principal, in as many payments as it takes', () => {
    const state = during(
      loan([
        ['2024-01-10', 100, 'PAY_EMI'],
        ['2024-01-11', 1_200, 'PAY_EMI'],
        ['2024-01-12', 9_000, 'PAY_EMI'],
      ]),
      '2024-01-12',
    )
    expect([linesOf(state, 1), linesOf(state, 2), linesOf(state, 3)]).toEqual([
      [['interest', 1, 100]],
      [
        ['interest', 1, 200],
        ['principal', 1, 1_000],
      ],
      [
        ['principal', 1, 8_901],
        ['excess', null, 99],
      ],
    ])
    expect(state.rows.map(({ status }) => status)).toEqual(['Paid', 'Due', 'Due'])
    expect(state.principalOutstandingPaise).toBe(rupeesToPaise(20_099))
  })

  it('is the one behind a row of nothing, as in a grace period without interest', () => {
    const grace = { annualRatePpb: 0, principalGraceInstalments: 1 }
    const state = during(loan([['2024-01-10', 15_000, 'PAY_EMI']], {}, grace), '2024-01-10')
    expect(linesOf(state)).toEqual([['principal', 2, 15_000]])
  })

  it('is none after the last row, on a closed loan, and while interest is deferred: the money is credit', () => {
    const credit = [['excess', null, 50]]
    const all = [10_201, 10_201, 10_199.98].map((rupees) => ['2024-01-10', rupees, 'PAY_EMI'] as const)
    expect(linesOf(during(loan([...all, ['2024-01-10', 50, 'PAY_EMI']]), '2024-01-10'))).toEqual(credit)
    const closed: Payments = [
      ['2024-01-05', 30_000, 'FORECLOSURE'],
      ['2024-01-06', 50, 'PAY_EMI'],
    ]
    expect(linesOf(during(loan(closed), '2024-01-06'))).toEqual(credit)
    const deferred = { firstDueDate: toDay('2024-05-05'), moratorium: { until: toDay('2024-04-05'), interest: 'deferred' as const } }
    expect(linesOf(during(loan([['2024-02-06', 50, 'PAY_EMI']], {}, deferred), '2024-02-06'))).toEqual(credit)
  })

  it('waits for the oldest unpaid one', () => {
    expect(linesOf(during(loan([['2024-02-10', 10_201, 'PAY_EMI']]), '2024-02-10'))).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
    ])
    const twice = during(loan([['2024-03-10', 20_000, 'PAY_EMI']]), '2024-03-10')
    expect(linesOf(twice)).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
      ['interest', 2, 200.99],
      ['principal', 2, 9_598.01],
    ])
  })
})

describe('a part payment (decision 23)', () => {
  it('settles what is due, then principal up to what is not billed; the rest is credit', () => {
    expect(linesOf(during(loan([['2024-02-05', 30_500, 'PART_PAYMENT__REDUCE_TENOR']]), '2024-02-05'))).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
      ['principal', null, 20_099],
      ['excess', null, 200],
    ])
  })

  it('repays no principal twice: what the open row has of it is taken off, and where none is left the money is credit', () => {
    const state = during(
      loan([
        ['2024-01-10', 1_300, 'PAY_EMI'],
        ['2024-01-20', 30_500, 'PART_PAYMENT__REDUCE_TENOR'],
        ['2024-01-20', 50, 'PART_PAYMENT__REDUCE_TENOR'],
      ]),
      '2024-01-20',
    )
    expect([linesOf(state, 2), linesOf(state, 3)]).toEqual([
      [
        ['principal', null, 29_000],
        ['excess', null, 1_500],
      ],
      [['excess', null, 50]],
    ])
  })

  it('to reduce the tenor does not lower the instalment that another one of that day computes anew', () => {
    const paid = ['2024-02-05', 10_201, null] as const
    const reduceEmi = ['2024-02-05', 5_000, 'PART_PAYMENT__REDUCE_EMI'] as const
    const alone = during(loan([paid, reduceEmi]), '2024-02-05').nextInstalmentPaise
    const both = during(loan([paid, ['2024-02-05', 5_000, 'PART_PAYMENT__REDUCE_TENOR'], reduceEmi]), '2024-02-05')
    expect(both.nextInstalmentPaise).toBe(alone)
    expect(both.principalOutstandingPaise).toBe(rupeesToPaise(10_099))
  })

  it('on a due date closes with that row, and not on the day after', () => {
    const closing = (day: string) =>
      during(
        loan([
          ['2024-02-05', 10_201, null],
          [day, 5_000, 'PART_PAYMENT__REDUCE_EMI'],
        ]),
        day,
      ).rows.map(({ closingBalancePaise }) => paiseToRupees(closingBalancePaise))[0]
    expect([closing('2024-02-05'), closing('2024-02-06')]).toEqual([15_099, 20_099])
  })

  it('frees a fixed instalment to reduce it, and keeps it to reduce the tenor', () => {
    const fixed = { fixedInstalmentPaise: rupeesToPaise(10_500) }
    const next = (purpose: 'PART_PAYMENT__REDUCE_EMI' | 'PART_PAYMENT__REDUCE_TENOR') =>
      during(loan([['2024-01-05', 10_000, purpose]], {}, fixed), '2024-01-05').nextInstalmentPaise
    expect(next('PART_PAYMENT__REDUCE_TENOR')).toBe(rupeesToPaise(10_500))
    expect(next('PART_PAYMENT__REDUCE_EMI')).toBe(rupeesToPaise(6_801))
  })
})

describe('a payment by a quote for the next day (decision 55)', () => {
  const quoted = (payments: Payments, rupees: number, purpose: ReceivedPayment['purpose'], on = '2024-02-04', quotedFor = '2024-02-05') => {
    const facts = loan(payments)
    const payment = { paymentId: 'quoted', date: toDay(on), amountPaise: rupeesToPaise(rupees), purpose, quotedAheadFor: toDay(quotedFor) }
    return { ...facts, payments: [...facts.payments, payment] }
  }

  it('pays the instalment of the next day first, then principal', () => {
    expect(during(quoted([], 15_201, 'PART_PAYMENT__REDUCE_TENOR'), '2024-02-04').adjustments).toEqual([])
    expect(linesOf(during(quoted([], 15_201, 'PART_PAYMENT__REDUCE_TENOR'), '2024-02-04'))).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
      ['principal', null, 5_000],
    ])
  })

  it('uses the loan’s credit for that instalment before the payment, as the quote did', () => {
    const state = during(quoted([['2024-01-20', 1_000, null]], 14_201, 'PART_PAYMENT__REDUCE_TENOR'), '2024-02-04')
    expect(moved(state)).toEqual([
      [
        '2024-02-04',
        'credit_used',
        null,
        [
          ['excess', null, -1_000],
          ['interest', 1, 300],
          ['principal', 1, 700],
        ],
      ],
    ])
    expect(linesOf(state)).toEqual([
      ['principal', 1, 9_201],
      ['principal', null, 5_000],
    ])
    expect(state.creditPaise).toBe(0n)
  })

  it('pays no further instalment where credit pays the whole of it', () => {
    const state = during(quoted([['2024-01-20', 10_301, null]], 5_000, 'PART_PAYMENT__REDUCE_TENOR'), '2024-02-04')
    expect(linesOf(state)).toEqual([['principal', null, 5_000]])
    expect([state.creditPaise, state.rows[0]?.status, state.rows[1]?.status]).toEqual([rupeesToPaise(100), 'Paid', 'Due'])
  })

  it('pays no instalment ahead where the next day is no due date, or the quote was for the day itself', () => {
    const lines = [['principal', null, 15_201]]
    expect(linesOf(during(quoted([], 15_201, 'PART_PAYMENT__REDUCE_EMI', '2024-02-02', '2024-02-03'), '2024-02-02'))).toEqual(lines)
    expect(linesOf(during(quoted([], 15_201, 'PART_PAYMENT__REDUCE_EMI', '2024-02-04', '2024-02-04'), '2024-02-04'))).toEqual(lines)
  })

  it('pays it once: a row already paid ahead stays as it is', () => {
    const state = during(quoted([['2024-01-20', 10_201, 'PAY_EMI']], 5_000, 'PART_PAYMENT__REDUCE_EMI'), '2024-02-04')
    expect(linesOf(state)).toEqual([['principal', null, 5_000]])
    const withCredit = quoted(
      [
        ['2024-01-20', 10_201, 'PAY_EMI'],
        ['2024-01-21', 500, null],
      ],
      5_000,
      'PART_PAYMENT__REDUCE_EMI',
    )
    expect(during(withCredit, '2024-02-04')).toMatchObject({ adjustments: [], creditPaise: 50_000n })
  })

  it('pays the next instalment, where credit covers the one of the quoted day', () => {
    const state = during(quoted([['2024-01-20', 10_301, null]], 10_201, 'PAY_EMI'), '2024-02-04')
    expect(state.adjustments.map(({ reason, date }) => [reason, date])).toEqual([['credit_used', '2024-02-04']])
    expect(linesOf(state).map(([component, row]) => [component, row])).toEqual([
      ['interest', 2],
      ['principal', 2],
    ])
    expect([state.creditPaise, state.rows[0]?.status, state.rows[1]?.status]).toEqual([rupeesToPaise(100), 'Paid', 'Paid'])
  })

  it('pays the rest of the instalment of the quoted day after the loan’s credit', () => {
    const state = during(quoted([['2024-01-20', 1_000, null]], 9_201, 'PAY_EMI'), '2024-02-04')
    expect(linesOf(state)).toEqual([['principal', 1, 9_201]])
    expect([state.creditPaise, state.rows[0]?.status]).toEqual([0n, 'Paid'])
  })

  it('leaves credit as it is where the instalment is paid on any other day', () => {
    const paid: Payments = [['2024-01-20', 1_000, null]]
    for (const [on, quotedFor] of [
      ['2024-02-02', '2024-02-03'],
      ['2024-02-04', '2024-02-04'],
    ])
      expect(during(quoted(paid, 9_201, 'PAY_EMI', on, quotedFor), toDay(on ?? '')).creditPaise).toBe(rupeesToPaise(1_000))
  })

  it('is offered for no instalment and no part payment of the day on which deferred interest becomes principal', () => {
    const moratorium = { until: toDay('2024-02-05'), interest: 'deferred' as const }
    const waiting = { ...loan([]), terms: { ...terms, firstDueDate: toDay('2024-03-05'), moratorium } }
    const offered = (day: string, madeOn: string) => loanStateQuoted(waiting, toDay(day), toDay(madeOn)).allowed
    expect(offered('2024-02-05', '2024-02-04')).toMatchObject({ nextEmi: null, partPayment: nothingAllowed.partPayment })
    expect(offered('2024-02-05', '2024-02-04').foreclosure).not.toBeNull()
    expect(offered('2024-02-05', '2024-02-05')).toMatchObject({ nextEmi: { dueDate: '2024-03-05' } })
    expect(offered('2024-02-05', '2024-02-05').partPayment.maxPaise).toBeGreaterThan(0n)
    expect(offered('2024-02-06', '2024-02-05')).toMatchObject({ nextEmi: { dueDate: '2024-03-05' } })
  })

  it('is no matter for a foreclosure quoted for its own day: the charge is paid after all rows', () => {
    const facts = quoted([], 30_395.16, 'FORECLOSURE', '2024-01-20', '2024-01-20')
    const state = during({ ...facts, charges: [chargeOf('bounce', '2024-01-10', 250)] }, '2024-01-20')
    expect([state.status, linesOf(state).map(([component]) => component)]).toEqual(['CLOSED', ['interest', 'principal', 'charge']])
  })

  it('of a closed loan, or while interest is deferred, pays nothing ahead', () => {
    const closed = quoted([['2024-01-05', 30_000, 'FORECLOSURE']], 50, 'PART_PAYMENT__REDUCE_EMI')
    expect(linesOf(during(closed, '2024-02-04'))).toEqual([['excess', null, 50]])
    const deferred = quoted([], 50, 'PART_PAYMENT__REDUCE_EMI')
    const moratorium = { until: toDay('2024-02-05'), interest: 'deferred' as const }
    const waiting = { ...deferred, terms: { ...terms, firstDueDate: toDay('2024-03-05'), moratorium } }
    expect(linesOf(during(waiting, '2024-02-04'))).toEqual([['principal', null, 50]])
  })

  it('closes the loan when it forecloses: the last day’s interest, paid in the row, is credit', () => {
    const state = during(quoted([], 30_300, 'FORECLOSURE'), '2024-02-04')
    expect(linesOf(state).slice(0, 2)).toEqual([
      ['interest', 1, 300],
      ['principal', 1, 9_901],
    ])
    expect([state.status, state.shortForeclosures, state.creditPaise]).toEqual(['CLOSED', [], 968n])
  })
})

describe('the loan’s credit (decision 49)', () => {
  it('is used for what falls due, on that day, in the order of a payment', () => {
    const facts = loan([['2024-01-20', 10_211, null]], { charges: [chargeOf('bounce', '2024-02-05', 25)] })
    expect(moved(during(facts, '2024-02-05'))).toEqual([
      [
        '2024-02-05',
        'credit_used',
        null,
        [
          ['excess', null, -10_201],
          ['interest', 1, 300],
          ['principal', 1, 9_901],
        ],
      ],
      [
        '2024-02-05',
        'credit_used',
        null,
        [
          ['excess', null, -10],
          ['charge', 'bounce', 10],
        ],
      ],
    ])
    expect(during(facts, '2024-02-05')).toMatchObject({ creditPaise: 0n, duesPaise: 1_500n })
  })

  it('that is sent back is set aside first, and only the rest is used', () => {
    const facts = loan([['2024-01-20', 500, null]], {
      refunds: [{ refundId: 'r1', date: toDay('2024-01-25'), amountPaise: rupeesToPaise(200) }],
    })
    expect(during(facts, '2024-01-25')).toMatchObject({ creditPaise: 30_000n, heldPaise: 20_000n, refundShortPaise: 0n })
    expect(moved(during(facts, '2024-02-05'))).toEqual([
      [
        '2024-02-05',
        'credit_used',
        null,
        [
          ['excess', null, -300],
          ['interest', 1, 300],
        ],
      ],
    ])
  })

  it('moves nothing where nothing is due', () => {
    expect(during(loan([['2024-01-20', 500, null]]), '2024-02-04')).toMatchObject({ adjustments: [], creditPaise: 50_000n })
  })
})
