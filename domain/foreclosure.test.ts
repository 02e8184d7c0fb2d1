import { describe, expect, it } from 'vitest'
import { toDay, type Day } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { isPrepaymentCharge } from './foreclosure.ts'
import { loanStateAtEndOf, loanStateDuring, loanStateQuoted } from './loan-state.ts'
import type { LoanAdjustment, LoanFacts, LoanState, LoanTerms } from './loans.ts'
import { paise, paiseToRupees, rupeesToPaise, type Paise } from './money.ts'
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
const payoff = (facts: LoanFacts, day: string): number => paiseToRupees(during(facts, day).allowed.foreclosure?.amountPaise ?? paise(0n))
const linesOf = ({ lines }: Pick<LoanAdjustment, 'lines'>) =>
  lines.map(({ component, instalmentNumber, chargeId, amountPaise }) => [
    component,
    instalmentNumber ?? chargeId,
    paiseToRupees(amountPaise),
  ])
const moved = (state: LoanState) =>
  state.adjustments.map((adjustment) => [adjustment.date, adjustment.reason, adjustment.paymentId, linesOf(adjustment)])
const rowsOf = (state: LoanState) =>
  state.rows.map((row) => [
    row.number,
    row.dueDate,
    paiseToRupees(row.interestPaise),
    paiseToRupees(row.principalPaise),
    paiseToRupees(row.closingBalancePaise),
    row.status,
  ])
const prepaymentCharge = { ratePpb: 20_000_000, taxRatePpb: 180_000_000 }

describe('the payoff (decision 24)', () => {
  it('of a loan with rows paid ahead is less by what they billed beyond the days run', () => {
    // Row 1 paid in part: 140 of the 145.16 that have run by 20 January.
    expect(payoff(loan([['2024-01-10', 140, 'PAY_EMI']]), '2024-01-20')).toBe(30_005.16)
    // Row 1 paid in part, 300 of interest and 1,000 of principal.
    const part = loan([['2024-01-10', 1_300, 'PAY_EMI']])
    expect(payoff(part, '2024-01-20')).toBe(28_845.16)
    const closed = { paymentId: 'close', date: toDay('2024-01-20'), amountPaise: rupeesToPaise(28_845.16), purpose: 'FORECLOSURE' as const }
    expect(during({ ...part, payments: [...part.payments, closed] }, '2024-01-20')).toMatchObject({
      status: 'CLOSED',
      creditPaise: 0n,
      principalOutstandingPaise: 0n,
    })
    // Rows 1 and 2 paid: 500.99 of interest for 9.68 of one day.
    const ahead: Payments = [
      ['2024-01-06', 10_201, 'PAY_EMI'],
      ['2024-01-06', 10_201, 'PAY_EMI'],
    ]
    expect(payoff(loan(ahead), '2024-01-06')).toBe(Math.round((10_098.99 - 500.99 + 9.68) * 100) / 100)
  })

  it('of an overdue loan holds what is left of every unpaid row', () => {
    const facts = loan([['2024-02-10', 400, null]])
    // Rows 1 and 2 less 400, 10,098.99 of the third, and 5 of 31 days of its 100.99.
    expect(payoff(facts, '2024-03-10')).toBe(Math.round((10_201 + 10_201 - 400 + 10_098.99 + 16.29) * 100) / 100)
  })

  it('a charge of that day is the stored one where the lender has stored one (decision 21)', () => {
    const stored = [
      chargeOf('prepayment_charge:2024-01-20', '2024-01-20', 100, { chargeType: 'PREPAYMENT_CHARGE' }),
      chargeOf('prepayment_charge_tax:2024-01-20', '2024-01-20', 18, { chargeType: 'PREPAYMENT_CHARGE_TAX' }),
    ]
    expect(payoff(loan([], { charges: stored }, { prepaymentCharge }), '2024-01-20')).toBe(30_145.16 + 118)
    expect(payoff(loan([], { charges: stored }), '2024-01-20')).toBe(30_145.16 + 118)
    // The next day's is the rule's again, and no rule means none.
    expect(payoff(loan([], { charges: stored }, { prepaymentCharge }), '2024-01-21')).toBe(30_154.84 + 708)
    expect(payoff(loan([], { charges: stored }), '2024-01-21')).toBe(30_154.84)
  })

  it('a stored charge counts for nothing once it is waived', () => {
    const waived = (on: string) => [
      chargeOf('prepayment_charge:2024-01-20', '2024-01-20', 100, { chargeType: 'PREPAYMENT_CHARGE', waivedOn: toDay(on) }),
    ]
    const inPart = [
      chargeOf('prepayment_charge:2024-01-20', '2024-01-20', 100, { waivedOn: toDay('2024-01-20'), waivedPaise: rupeesToPaise(40) }),
    ]
    expect(payoff(loan([], { charges: inPart }), '2024-01-20')).toBe(30_145.16 + 60)
    const payoffs = ['2024-01-19', '2024-01-20', '2024-01-21'].map((on) => payoff(loan([], { charges: waived(on) }), '2024-01-20'))
    expect(payoffs).toEqual([30_145.16, 30_145.16, 30_245.16])
  })

  it('a stored charge that was waived in part is void without a foreclosure of its day', () => {
    const charges = [
      chargeOf('prepayment_charge:2024-01-20', '2024-01-20', 600, { waivedOn: toDay('2024-01-20'), waivedPaise: rupeesToPaise(540) }),
    ]
    const foreclosed = loan(
      [['2024-01-20', 30_205.16, 'FORECLOSURE']],
      { charges },
      { prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 0 } },
    )
    expect(during(foreclosed, '2024-01-20')).toMatchObject({ status: 'CLOSED', voidCharges: [] })
    // The bank has taken the money back.
    expect(during({ ...foreclosed, payments: [] }, '2024-01-19').voidCharges).toEqual([])
    expect(during({ ...foreclosed, payments: [] }, '2024-01-20').voidCharges).toEqual(['prepayment_charge:2024-01-20'])
  })

  it('stored charges of a foreclosure are recognised by their ids', () => {
    const ids = ['prepayment_charge:2024-01-20', 'prepayment_charge_tax:2024-01-20']
    expect(ids.map(isPrepaymentCharge)).toEqual([true, true])
    expect(['late:2024-01-20', 'my_prepayment_charge:1', 'prepayment_charge', 'prepayment_charge_taxes:1'].map(isPrepaymentCharge)).toEqual(
      [false, false, false, false],
    )
  })
})

describe('the prepayment charge that a foreclosure raises (decision 24)', () => {
  const close = (changed: Partial<LoanTerms>, amount: number) =>
    during(loan([['2024-01-20', amount, 'FORECLOSURE']], {}, changed), '2024-01-20')

  it('is a charge and a tax with ids, names and the day of their own, neither penal', () => {
    const state = close({ prepaymentCharge }, 30_853.16)
    const derived = { date: '2024-01-20', penal: false, waivedOn: null }
    expect([state.status, state.derivedCharges]).toEqual([
      'CLOSED',
      [
        { ...derived, chargeId: 'prepayment_charge:2024-01-20', chargeType: 'PREPAYMENT_CHARGE', amountPaise: 60_000n },
        { ...derived, chargeId: 'prepayment_charge_tax:2024-01-20', chargeType: 'PREPAYMENT_CHARGE_TAX', amountPaise: 10_800n },
      ],
    ])
    expect(linesOf(state.allocations[0]!)).toEqual([
      ['interest', 1, 145.16],
      ['principal', 1, 30_000],
      ['charge', 'prepayment_charge:2024-01-20', 600],
      ['charge', 'prepayment_charge_tax:2024-01-20', 108],
    ])
  })

  it('without tax is one charge, and at a rate of nothing none', () => {
    const untaxed = close({ prepaymentCharge: { ratePpb: 20_000_000, taxRatePpb: 0 } }, 30_745.16)
    expect([untaxed.status, untaxed.derivedCharges.map(({ chargeType }) => chargeType)]).toEqual(['CLOSED', ['PREPAYMENT_CHARGE']])
    expect(close({ prepaymentCharge: { ratePpb: 0, taxRatePpb: 180_000_000 } }, 30_145.16)).toMatchObject({
      status: 'CLOSED',
      derivedCharges: [],
    })
  })

  it('is raised once a day, also where the lender has stored it and a first foreclosure of that day fell short', () => {
    const charges = [chargeOf('prepayment_charge:2024-01-20', '2024-01-20', 100, { chargeType: 'PREPAYMENT_CHARGE' })]
    const facts = loan(
      [
        ['2024-01-20', 30_000, 'FORECLOSURE'],
        ['2024-01-20', 245.16, 'FORECLOSURE'],
      ],
      { charges },
    )
    expect(during(facts, '2024-01-20')).toMatchObject({ status: 'CLOSED', creditPaise: 0n, duesPaise: 0n })
    expect(during({ ...facts, payments: facts.payments.slice(0, 1) }, '2024-01-20').duesPaise).toBe(10_000n)
  })
})

describe('a foreclosure begun in time (decision 24)', () => {
  const statusAfter = (facts: LoanFacts, day: string, amount: number) =>
    during(
      {
        ...facts,
        payments: [...facts.payments, ...loan([[day, amount, 'FORECLOSURE']]).payments.map((p) => ({ ...p, paymentId: 'close' }))],
      },
      day,
    )

  it('may be short by the last day’s interest, and by no paisa more', () => {
    // 145.16 have run by 20 January, 135.48 by the 19th.
    expect(statusAfter(loan(), '2024-01-20', 30_135.48)).toMatchObject({ status: 'CLOSED', shortForeclosures: [], creditPaise: 0n })
    expect(statusAfter(loan(), '2024-01-20', 30_135.47)).toMatchObject({
      status: 'ACTIVE',
      shortForeclosures: [{ paymentId: 'close', date: '2024-01-20', shortPaise: 969n }],
    })
  })

  it('counts the last day’s interest before what is repaid on the day itself', () => {
    // 10 days of 30,000 bear 96.77; 5 days of 25,000 bear 40.32, the last of them 8.06.
    const facts = loan([
      ['2024-01-15', 5_000, 'PART_PAYMENT__REDUCE_EMI'],
      ['2024-01-20', 5_000, 'PART_PAYMENT__REDUCE_EMI'],
    ])
    expect(payoff(facts, '2024-01-20')).toBe(20_137.09)
    expect(statusAfter(facts, '2024-01-20', 20_129.03).status).toBe('CLOSED')
    expect(statusAfter(facts, '2024-01-20', 20_129.02).status).toBe('ACTIVE')
  })

  it('waives what is short by a line of that name on the row that closes the loan', () => {
    const state = statusAfter(loan(), '2024-01-20', 30_140)
    expect(moved(state)).toEqual([['2024-01-20', 'interest_waived', 'close', [['interest', 1, 5.16]]]])
    expect(rowsOf(state)).toEqual([[1, '2024-02-05', 140, 30_000, 0, 'Paid']])
  })

  it('waives no more than has run: none on the first day, and only what no row paid ahead covers', () => {
    expect(statusAfter(loan(), '2024-01-05', 29_999.99).status).toBe('ACTIVE')
    const ahead = loan([['2024-01-10', 140, 'PAY_EMI']])
    expect(statusAfter(ahead, '2024-01-20', 30_000).status).toBe('CLOSED')
    expect(statusAfter(ahead, '2024-01-20', 29_999.99).status).toBe('ACTIVE')
    const whole = loan([['2024-01-10', 10_201, 'PAY_EMI']])
    expect(payoff(whole, '2024-01-20')).toBe(19_944.16)
    expect(statusAfter(whole, '2024-01-20', 19_944.15).status).toBe('ACTIVE')
  })

  it('on a due date waives it from the row that has just billed it', () => {
    // 30,000 at 12 % bear 300.00 in 31 days, 290.32 in 30.
    expect([payoff(loan(), '2024-02-04'), payoff(loan(), '2024-02-05')]).toEqual([30_290.32, 30_300])
    const state = statusAfter(loan(), '2024-02-05', 30_290.32)
    expect(state).toMatchObject({ status: 'CLOSED', shortForeclosures: [], creditPaise: 0n })
    expect(moved(state)).toEqual([['2024-02-05', 'interest_waived', 'close', [['interest', 1, 9.68]]]])
    expect(rowsOf(state)).toEqual([
      [1, '2024-02-05', 290.32, 9_901, 20_099, 'Paid'],
      [2, '2024-03-05', 0, 20_099, 0, 'Paid'],
    ])
    expect(statusAfter(loan(), '2024-02-05', 30_290.31)).toMatchObject({ status: 'ACTIVE', shortForeclosures: [{ shortPaise: 969n }] })
    // Interest of a row that is paid is not waived.
    const ahead = loan([['2024-02-01', 10_201, 'PAY_EMI']])
    const owed = payoff(ahead, '2024-02-05')
    expect(statusAfter(ahead, '2024-02-05', owed).status).toBe('CLOSED')
    expect(statusAfter(ahead, '2024-02-05', owed - 0.01).status).toBe('ACTIVE')
  })

  it('paid to the paisa waives nothing, and what is over is credit', () => {
    expect(statusAfter(loan(), '2024-01-20', 30_145.16)).toMatchObject({ status: 'CLOSED', adjustments: [], creditPaise: 0n })
    const over = statusAfter(loan(), '2024-01-20', 30_145.17)
    expect([over.status, over.creditPaise, linesOf(over.allocations[0]!).at(-1)]).toEqual(['CLOSED', 1n, ['excess', null, 0.01]])
  })
})

describe('the rows of a closed loan (decision 24)', () => {
  const close = (day: string, amount: number, before: Payments = []) => during(loan([...before, [day, amount, 'FORECLOSURE']]), day)

  it('are those billed, and one that bills all that is left, due when the open row would have been', () => {
    expect(rowsOf(close('2024-02-20', 20_099 + 103.96, [['2024-02-05', 10_201, null]]))).toEqual([
      [1, '2024-02-05', 300, 9_901, 20_099, 'Paid'],
      [2, '2024-03-05', 103.96, 20_099, 0, 'Paid'],
    ])
  })

  it('close without interest on the day of the disbursal', () => {
    expect(rowsOf(close('2024-01-05', 30_000))).toEqual([[1, '2024-02-05', 0, 30_000, 0, 'Paid']])
  })

  it('paid ahead keep their amounts, and show the principal that was left after them', () => {
    const ahead: Payments = [
      ['2024-01-06', 10_201, 'PAY_EMI'],
      ['2024-01-06', 10_201, 'PAY_EMI'],
      ['2024-01-06', 50, 'PAY_EMI'],
    ]
    const state = close('2024-01-06', 9_557.68, ahead)
    expect(state).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
    expect(rowsOf(state)).toEqual([
      [1, '2024-02-05', 300, 9_901, 20_099, 'Paid'],
      [2, '2024-03-05', 200.99, 10_000.01, 10_098.99, 'Paid'],
      [3, '2024-04-05', 50, 10_098.99, 0, 'Paid'],
    ])
  })

  it('paid ahead show the principal left after a part payment that came between', () => {
    const between: Payments = [
      ['2024-01-10', 10_201, 'PAY_EMI'],
      ['2024-01-20', 5_000, 'PART_PAYMENT__REDUCE_EMI'],
    ]
    const state = close('2024-01-20', 15_099 - 154.84, between)
    expect([state.status, rowsOf(state).map((row) => row[4])]).toEqual(['CLOSED', [15_099, 0]])
  })

  it('are no more than were billed where all of them were billed', () => {
    const state = close('2024-04-10', 30_602.98)
    expect(state.status).toBe('CLOSED')
    expect(state.rows.map(({ number }) => number)).toEqual([1, 2, 3])
  })

  it('hold one of interest alone where principal was repaid by a foreclosure that fell short', () => {
    const state = close('2024-01-20', 145.16, [['2024-01-20', 30_000, 'FORECLOSURE']])
    expect(state).toMatchObject({ status: 'CLOSED', creditPaise: 0n, principalOutstandingPaise: 0n })
    expect(rowsOf(state).map(([number, due, interest, principal]) => [number, due, interest, principal])).toEqual([
      [1, '2024-02-05', 145.16, 0],
    ])
  })

  it('bear nothing any more: the loan is closed on every later day, and a later tranche begins anew', () => {
    const facts = loan([['2024-01-20', 30_145.16, 'FORECLOSURE']])
    expect(loanStateAtEndOf(facts, toDay('2024-06-30'))).toMatchObject({ status: 'CLOSED', duesPaise: 0n })
    const more: LoanFacts = {
      ...facts,
      sanctionedPaise: rupeesToPaise(40_000),
      disbursals: [...facts.disbursals, { date: toDay('2024-02-05'), amountPaise: rupeesToPaise(10_000) }],
    }
    expect(rowsOf(during(more, '2024-02-05')).slice(0, 2)).toEqual([
      [1, '2024-02-05', 145.16, 30_000, 10_000, 'Paid'],
      [2, '2024-03-05', 100, 4_976, 5_024, 'Due'],
    ])
  })
})

describe('the borrower’s own money in a foreclosure (decision 24)', () => {
  it('interest of rows paid ahead comes back from the latest row first, then pays what is left', () => {
    const ahead: Payments = [
      ['2024-01-06', 10_201, 'PAY_EMI'],
      ['2024-01-06', 10_201, 'PAY_EMI'],
    ]
    const state = during(loan([...ahead, ['2024-01-06', 9_607.68, 'FORECLOSURE']]), '2024-01-06')
    expect(state).toMatchObject({ status: 'CLOSED', creditPaise: 0n })
    expect(moved(state)).toEqual([
      [
        '2024-01-06',
        'interest_rebated',
        'p3',
        [
          ['interest', 2, -200.99],
          ['interest', 1, -290.32],
          ['principal', 3, 491.31],
        ],
      ],
    ])
  })

  it('credit pays first; what it exceeds the payoff by stays credit, with the whole payment', () => {
    const state = during(
      loan([
        ['2024-01-05', 31_000, null],
        ['2024-01-05', 1, 'FORECLOSURE'],
      ]),
      '2024-01-05',
    )
    expect(state).toMatchObject({ status: 'CLOSED', creditPaise: rupeesToPaise(1_001) })
    expect(moved(state)).toEqual([
      [
        '2024-01-05',
        'credit_used',
        'p2',
        [
          ['excess', null, -31_000],
          ['principal', 1, 30_000],
          ['excess', null, 1_000],
        ],
      ],
    ])
    expect(linesOf(state.allocations[1]!)).toEqual([['excess', null, 1]])
    const again = during(
      loan([
        ['2024-01-05', 31_000, null],
        ['2024-01-05', 1, 'FORECLOSURE'],
        ['2024-01-05', 2, 'FORECLOSURE'],
      ]),
      '2024-01-05',
    )
    expect([again.creditPaise, again.adjustments]).toEqual([rupeesToPaise(1_003), state.adjustments])
  })
})

describe('a waiver of what is left (decision 54)', () => {
  const waived = (payments: Payments, date: string, rupees: number, more: Partial<LoanFacts> = {}) =>
    loan(payments, { ...more, foreclosureWaivers: [{ waiverId: 'w1', date: toDay(date), amountPaise: rupeesToPaise(rupees) }] })

  it('settles what is left without money, credit of the borrower’s first', () => {
    const state = during(waived([['2024-01-10', 30_100, null]], '2024-01-20', 50), '2024-01-20')
    expect(state).toMatchObject({ status: 'CLOSED', creditPaise: 0n, duesPaise: 0n })
    expect(moved(state)).toEqual([
      [
        '2024-01-20',
        'credit_used',
        null,
        [
          ['excess', null, -30_100],
          ['interest', 1, 145.16],
          ['principal', 1, 29_954.84],
        ],
      ],
      ['2024-01-20', 'foreclosure_waive', null, [['principal', 1, 45.16]]],
    ])
  })

  it('closes nothing where credit covers all that is left: there is nothing to give up', () => {
    expect(during(waived([['2024-01-05', 30_000, null]], '2024-01-05', 100), '2024-01-05')).toMatchObject({
      status: 'ACTIVE',
      adjustments: [],
    })
    expect(during(waived([['2024-01-05', 30_001, null]], '2024-01-05', 100), '2024-01-05')).toMatchObject({
      status: 'ACTIVE',
      adjustments: [],
    })
  })

  it('gives up nothing of a closed loan, nor of one that was not disbursed yet', () => {
    const charges = [chargeOf('later', '2024-01-25', 100)]
    const closed = during(waived([['2024-01-20', 30_145.16, 'FORECLOSURE']], '2024-01-25', 500, { charges }), '2024-01-25')
    expect(closed).toMatchObject({ adjustments: [], duesPaise: 10_000n })
    const early = during(waived([], '2024-01-01', 500), '2024-01-20')
    expect(early).toMatchObject({ status: 'ACTIVE', adjustments: [], principalOutstandingPaise: 3_000_000n })
  })
})

describe('interest paid ahead for days that did not run (decision 25)', () => {
  it('by days: comes back with the payment that leaves no principal, as credit', () => {
    const three: Payments = [
      ['2024-01-10', 10_202, 'PAY_EMI'],
      ['2024-01-10', 10_202, 'PAY_EMI'],
      ['2024-01-10', 20_000, 'PAY_EMI'],
    ]
    const state = during(loan(three, {}, { interest: 'actual_365' }), '2024-01-10')
    const billed = state.rows.reduce((sum, { interestPaise }) => sum + interestPaise, 0n)
    const back = state.adjustments.at(-1)!
    expect([back.reason, back.paymentId, back.date]).toEqual(['interest_rebated', 'p3', '2024-01-10'])
    // What stays is the interest of 30,000 for the five days to 10 January.
    const rebate = -(back.lines[0]?.amountPaise ?? 0n)
    expect(billed - rebate).toBe(4_932n)
    expect(back.lines).toEqual([
      { component: 'interest', instalmentNumber: 3, chargeId: null, amountPaise: -rebate },
      { component: 'excess', instalmentNumber: null, chargeId: null, amountPaise: rebate },
    ])
    // Once: no later day gives it back again.
    expect(loanStateAtEndOf(loan(three, {}, { interest: 'actual_365' }), toDay('2024-05-01')).adjustments).toEqual(state.adjustments)
  })

  it('monthly: comes back on the due date of the row that was paid ahead, because its principal bears interest till then', () => {
    const facts = loan([
      ['2024-01-10', 10_201, 'PAY_EMI'],
      ['2024-01-20', 20_099, 'PART_PAYMENT__REDUCE_TENOR'],
    ])
    expect(during(facts, '2024-02-04')).toMatchObject({ adjustments: [], creditPaise: 0n })
    // 300 were paid; 145.16 ran to 20 January, then 51.10 on 9,901 for 16 of 31 days.
    const state = during(facts, '2024-02-05')
    expect(moved(state)).toEqual([
      [
        '2024-02-05',
        'interest_rebated',
        null,
        [
          ['interest', 1, -103.74],
          ['excess', null, 103.74],
        ],
      ],
    ])
    expect([state.creditPaise, during(facts, '2024-06-01').creditPaise]).toEqual([10_374n, 10_374n])
  })
})

describe('a foreclosure by the quote of the evening before the last due date (decisions 24 and 55)', () => {
  const evening = toDay('2026-08-04')
  const due = toDay('2026-08-05')

  /** 12,00,000 at 12 %: July's EMI is paid ahead, then all but August's row. */
  const nearlyRepaid = (interest: LoanTerms['interest']): LoanFacts => {
    const product = {
      ...termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05', interest }),
      prepaymentCharge,
      linkMaximumPaise: rupeesToPaise(1_000_000),
    }
    const emis = ['2026-02-05', '2026-03-05', '2026-04-05', '2026-05-05', '2026-06-05', '2026-06-06'].map(
      (day) => [day, 106_619, 'PAY_EMI'] as const,
    )
    const disbursals = [['2026-01-05', 1_200_000]] as const
    const { maxPaise } = during(factsOf(product, disbursals, emis), '2026-06-06').allowed.partPayment
    return factsOf(product, disbursals, [...emis, ['2026-06-06', maxPaise, 'PART_PAYMENT__REDUCE_TENOR']])
  }
  const foreclosed = (facts: LoanFacts, date: Day, amountPaise: Paise, quotedAheadFor = due): LoanFacts => ({
    ...facts,
    payments: [...facts.payments, { paymentId: 'last', date, amountPaise, purpose: 'FORECLOSURE', quotedAheadFor }],
  })
  const quoteOf = (facts: LoanFacts) => loanStateQuoted(facts, due, evening).allowed.foreclosure?.amountPaise ?? paise(0n)

  it.each([
    ['monthly', 102_742.79],
    ['actual_365', 101_236.68],
  ] as const)('%s: closes the loan on that evening too: the row of the due date bears no prepayment charge', (interest, quoted) => {
    const facts = nearlyRepaid(interest)
    expect(paiseToRupees(quoteOf(facts))).toBe(quoted)
    for (const day of [evening, due]) {
      const paid = foreclosed(facts, day, quoteOf(facts))
      expect(loanStateDuring(paid, day)).toMatchObject({ status: 'CLOSED', shortForeclosures: [], derivedCharges: [] })
      expect(loanStateDuring(paid, toDay('2026-08-07'))).toMatchObject({ status: 'CLOSED', duesPaise: 0n })
      expect(faultsIn(paid, day)).toEqual([])
    }
  })

  it('falls short by what the payment is less than the quote, but for the interest of a day, and bears no charge', () => {
    const facts = nearlyRepaid('monthly')
    const short = foreclosed(facts, evening, paise(quoteOf(facts) - 100_000n))
    const { status, shortForeclosures, derivedCharges } = loanStateDuring(short, evening)
    expect([status, shortForeclosures.map(({ shortPaise }) => shortPaise), derivedCharges]).toEqual(['ACTIVE', [96_561n], []])
    expect(faultsIn(short, evening)).toEqual([])
  })

  it('bears the charge on what is due after that row', () => {
    const facts = foreclosed(loan([], {}, { prepaymentCharge }), toDay('2024-02-04'), rupeesToPaise(31_000), toDay('2024-02-05'))
    const { status, derivedCharges } = during(facts, '2024-02-04')
    expect([status, derivedCharges[0]?.amountPaise]).toEqual(['CLOSED', 40_198n])
  })

  it('bears it on all principal where deferred interest becomes principal on the quoted day: no row falls due', () => {
    const waiting = {
      prepaymentCharge,
      instalments: 1,
      firstDueDate: toDay('2024-03-05'),
      moratorium: { until: toDay('2024-02-05'), interest: 'deferred' as const },
    }
    const facts = foreclosed(loan([], {}, waiting), toDay('2024-02-04'), rupeesToPaise(31_015), toDay('2024-02-05'))
    const { status, derivedCharges } = during(facts, '2024-02-04')
    expect([status, derivedCharges[0]?.amountPaise]).toEqual(['CLOSED', 60_000n])
    expect(faultsIn(facts, toDay('2024-02-04'))).toEqual([])
  })
})
