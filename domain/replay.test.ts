import { describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf, loanStateDuring, loanStateQuoted } from './loan-state.ts'
import type { Charge, LoanFacts, LoanTerms, RateChange } from './loans.ts'
import { paise, rupeesToPaise } from './money.ts'
import { faultsIn, faultsOf } from './referee-check.testing.ts'

const firstSeed = 20_261_120
/** The last three shorten the tenor before a long first period, and with rows paid ahead. */
const seeds = [...Array.from({ length: 40 }, (_, index) => firstSeed + index), 157, 322, 571]

/** 1,20,000 at 12 % in 12 instalments of 10,662, due on the 5th; a whole first month. */
const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
const first = ['2024-01-05', 120_000] as const
const byDays = { interest: 'actual_365' } as const
const lateCharge = { graceDays: 3, amountPaise: rupeesToPaise(500) }
const rate = (date: string, percent: number, keep: 'instalment' | 'tenor'): RateChange => ({
  date: toDay(date),
  annualRatePpb: percent * 10_000_000,
  keep,
})
const loan = (
  payments: Parameters<typeof factsOf>[2],
  more: Partial<LoanFacts> = {},
  changed: Partial<LoanTerms> = {},
  disbursals: Parameters<typeof factsOf>[1] = [first],
): LoanFacts => factsOf({ ...terms, ...changed }, disbursals, payments, more)

const several = [first, ['2024-02-05', 10_000], ['2024-02-20', 60_000]] as const
const rateThereAndBack = [rate('2024-03-20', 18, 'tenor'), rate('2024-03-20', 15, 'tenor'), rate('2024-03-20', 12, 'tenor')]

describe('loans of every rule, reckoned by the engine as by the referee, from the first day to long after the last', () => {
  it.each<[string, LoanFacts]>([
    ['paid to the day (decision 21)', loan(['02', '03', '04'].map((month) => [`2024-${month}-05`, 10_662] as const))],
    ['never paid, by months (decision 20)', loan([])],
    ['never paid, by days (decision 20)', loan([], {}, byDays)],
    ['never paid, by days, without interest (decision 20)', loan([], {}, { ...byDays, annualRatePpb: 0 })],
    [
      'never paid, by days, and a day after the last due date on which the rate becomes 0 and 12 % again (decision 20)',
      loan([], { rateChanges: [rate('2025-01-20', 0, 'instalment'), rate('2025-01-20', 12, 'tenor')] }, byDays),
    ],
    [
      'first due on another day than the due day (decision 20)',
      loan([], {}, { firstDueDate: toDay('2024-02-12') }, [['2024-01-10', 120_000]]),
    ],
    [
      'tranches in broken first and later periods (decision 25)',
      loan([], {}, {}, [
        ['2024-01-15', 50_000],
        ['2024-01-23', 70_000],
        ['2024-02-20', 60_000],
      ]),
    ],
    ['tranches by days (decision 25)', loan([['2024-02-07', 12_000]], {}, byDays, several)],
    ['tranches under a fixed instalment (decision 25)', loan([], {}, { fixedInstalmentPaise: rupeesToPaise(9000) }, several)],
    ['a tranche after the last due date, by days (decision 25)', loan([], {}, byDays, [first, ['2025-03-01', 30_000]])],
    [
      'a rate that keeps the tenor, then one that keeps the instalment (decision 23)',
      loan([], { rateChanges: [rate('2024-02-20', 18, 'tenor'), rate('2024-05-05', 9, 'instalment')] }),
    ],
    ['a rate that keeps the instalment, by days (decision 23)', loan([], { rateChanges: [rate('2024-02-20', 18, 'instalment')] }, byDays)],
    ['a rate changed and changed back on one day (decision 20)', loan([], { rateChanges: rateThereAndBack })],
    ['a rate changed twice on one day (decision 20)', loan([], { rateChanges: rateThereAndBack.slice(0, 2) })],
    [
      'a rate under a fixed instalment, which it ends (decision 23)',
      loan([], { rateChanges: [rate('2024-02-20', 18, 'tenor')] }, { fixedInstalmentPaise: rupeesToPaise(9000) }),
    ],
    [
      'a part payment that ends a fixed instalment, then more disbursed (decision 0199)',
      loan([['2024-02-20', 70_000, 'PART_PAYMENT__REDUCE_EMI']], {}, { fixedInstalmentPaise: rupeesToPaise(30_000) }, [
        first,
        ['2024-03-20', 30_000],
      ]),
    ],
    [
      'a rate that rises from 0 after the last due date, by days (decision 20)',
      loan(
        [['2024-09-20', 500]],
        { rateChanges: [rate('2024-07-20', 12, 'tenor'), rate('2024-10-10', 0, 'tenor'), rate('2025-01-20', 9, 'tenor')] },
        { ...byDays, annualRatePpb: 0, instalments: 3 },
      ),
    ],
    [
      'a charge of which a part is waived on the day of its payment (decision 0199)',
      loan([['2024-02-20', 300]], {
        charges: [chargeOf('bounce', '2024-01-10', 590, { waivedOn: toDay('2024-02-20'), waivedPaise: rupeesToPaise(290) })],
      }),
    ],
    [
      'a rate whose interest the instalment does not cover, so that it rises (decision 23)',
      loan([], { rateChanges: [rate('2024-02-20', 150, 'instalment')] }),
    ],
    [
      'an instalment that would repay in more than fifty years, so that it rises (decision 23)',
      loan(
        [],
        { rateChanges: [rate('2024-01-20', 24, 'instalment')] },
        { annualRatePpb: 240_000_000, fixedInstalmentPaise: paise(240_001n) },
      ),
    ],
    [
      'late charges after the days of grace (decision 21)',
      loan(
        [
          ['2024-02-08', 10_662],
          ['2024-03-09', 10_662],
        ],
        {},
        { lateCharge },
      ),
    ],
    [
      'late charges without a day of grace (decision 21)',
      loan(
        [
          ['2024-02-05', 10_661.99],
          ['2024-03-05', 10_662],
        ],
        {},
        { lateCharge: { ...lateCharge, graceDays: 0 } },
      ),
    ],
    [
      'a late charge replaced by a stored one (decision 21)',
      loan([['2024-02-20', 12_000]], { charges: [chargeOf('late:2024-02-05', '2024-02-09', 300, { penal: true })] }, { lateCharge }),
    ],
    [
      'charges waived: later, on their day, and after they were paid (decision 21)',
      loan([['2024-03-06', 22_000]], {
        charges: [
          chargeOf('later', '2024-02-10', 250, { waivedOn: toDay('2024-02-20') }),
          chargeOf('same', '2024-02-11', 100, { waivedOn: toDay('2024-02-11') }),
          chargeOf('paid', '2024-02-13', 30, { waivedOn: toDay('2024-04-01') }),
          chargeOf('penal', '2024-02-01', 40, { penal: true }),
        ],
      }),
    ],
    [
      'a charge met by credit, and one that is waived before it (decision 21)',
      loan([['2024-01-10', 1000]], {
        charges: [chargeOf('met', '2024-01-20', 250), chargeOf('waived', '2024-01-21', 100, { waivedOn: toDay('2024-01-21') })],
      }),
    ],
    [
      'rows paid ahead, then less principal, then more (decision 25)',
      loan(
        [
          ['2024-01-10', 10_662, 'PAY_EMI'],
          ['2024-01-11', 5000, 'PAY_EMI'],
          ['2024-01-20', 50_000, 'PART_PAYMENT__REDUCE_EMI'],
        ],
        {},
        {},
        [first, ['2024-02-20', 60_000]],
      ),
    ],
    [
      'rows paid ahead, by days (decision 25)',
      loan(
        [
          ['2024-01-10', 10_661, 'PAY_EMI'],
          ['2024-01-11', 5000, 'PAY_EMI'],
          ['2024-03-20', 50_000, 'PART_PAYMENT__REDUCE_TENOR'],
        ],
        {},
        byDays,
      ),
    ],
    [
      'a part payment that reduces the tenor, and a tranche after it (decision 23)',
      loan([['2024-02-05', 60_662, 'PART_PAYMENT__REDUCE_TENOR']], {}, {}, [first, ['2024-03-20', 30_000]]),
    ],
    [
      'before EMIs begin, interest paid (decision 25)',
      loan([], {}, { firstDueDate: toDay('2024-07-05'), moratorium: { until: toDay('2024-06-05'), interest: 'paid' } }, several),
    ],
    [
      'before EMIs begin, interest paid, first due on another day than the due day (decision 25)',
      loan([], {}, { firstDueDate: toDay('2024-03-12'), moratorium: { until: toDay('2024-02-20'), interest: 'paid' } }),
    ],
    [
      'before EMIs begin, interest deferred, first due on another day than the due day (decision 25)',
      loan([], {}, { firstDueDate: toDay('2024-03-12'), moratorium: { until: toDay('2024-06-20'), interest: 'deferred' } }),
    ],
    [
      'before EMIs begin, interest deferred to a day in the first month (decision 25)',
      loan([], {}, { moratorium: { until: toDay('2024-01-20'), interest: 'deferred' } }),
    ],
    [
      'before EMIs begin, interest deferred (decision 25)',
      loan([], {}, { firstDueDate: toDay('2024-07-05'), moratorium: { until: toDay('2024-06-05'), interest: 'deferred' } }, several),
    ],
    [
      'before EMIs begin, to a day that is no due day (decision 25)',
      loan([], {}, { firstDueDate: toDay('2024-07-05'), moratorium: { until: toDay('2024-06-20'), interest: 'deferred' } }),
    ],
    [
      'before EMIs begin, beyond the first due date (decision 25)',
      loan([], {}, { moratorium: { until: toDay('2024-03-20'), interest: 'paid' } }),
    ],
    [
      'before EMIs begin, by days, deferred beyond the first due date (decision 25)',
      loan([['2024-02-10', 3000]], {}, { ...byDays, moratorium: { until: toDay('2024-03-20'), interest: 'deferred' } }),
    ],
    [
      'before EMIs begin, all principal repaid while interest is deferred (decisions 25 and 54)',
      loan(
        [['2024-03-05', 120_000, 'FORECLOSURE']],
        {},
        { firstDueDate: toDay('2024-07-05'), moratorium: { until: toDay('2024-06-05'), interest: 'deferred' } },
      ),
    ],
    [
      'a part payment by a quote for the due day of a row that bills nothing (decision 55)',
      {
        ...loan([], {}, { annualRatePpb: 0, principalGraceInstalments: 2 }),
        payments: [
          {
            paymentId: 'evening',
            date: toDay('2024-02-04'),
            amountPaise: rupeesToPaise(20_000),
            purpose: 'PART_PAYMENT__REDUCE_EMI',
            quotedAheadFor: toDay('2024-02-05'),
          },
        ],
      },
    ],
    [
      'a grace period of principal with a part payment in it (decision 25)',
      loan([['2024-02-20', 30_000, 'PART_PAYMENT__REDUCE_EMI']], {}, { principalGraceInstalments: 3 }),
    ],
    [
      'payments that go back, whole and in part (decision 49)',
      {
        ...loan([]),
        payments: [
          { paymentId: 'whole', date: toDay('2024-02-05'), amountPaise: rupeesToPaise(500), purpose: null, heldPaise: rupeesToPaise(500) },
          {
            paymentId: 'part',
            date: toDay('2024-02-06'),
            amountPaise: rupeesToPaise(500),
            purpose: 'OVERDUE',
            heldPaise: rupeesToPaise(200),
          },
        ],
      },
    ],
    [
      'credit sent back, and more than there is, which later credit makes up for (decision 55)',
      loan(
        [
          ['2024-01-10', 1000],
          ['2024-01-25', 400],
        ],
        {
          refunds: [
            { refundId: 'r1', date: toDay('2024-01-10'), amountPaise: rupeesToPaise(600) },
            { refundId: 'r2', date: toDay('2024-01-20'), amountPaise: rupeesToPaise(700) },
          ],
        },
      ),
    ],
    [
      'interest that comes back makes up a refund before it pays a charge (decisions 25 and 49)',
      loan(
        [['2024-01-06', 121_223.01, 'PAY_EMI']],
        {
          charges: [chargeOf('bounce', '2024-01-05', 1_500)],
          refunds: [{ refundId: 'r1', date: toDay('2024-01-05'), amountPaise: rupeesToPaise(100) }],
        },
        { ...byDays, instalments: 1 },
      ),
    ],
    [
      'a foreclosure that falls short and is written off (decision 54)',
      loan([['2024-02-20', 110_000, 'FORECLOSURE']], {
        foreclosureWaivers: [{ waiverId: 'w', date: toDay('2024-02-25'), amountPaise: rupeesToPaise(13_000) }],
      }),
    ],
    [
      'a foreclosure that falls short and is written off by too little (decision 54)',
      loan([['2024-02-20', 110_000, 'FORECLOSURE']], {
        foreclosureWaivers: [{ waiverId: 'w', date: toDay('2024-02-25'), amountPaise: rupeesToPaise(130) }],
      }),
    ],
    [
      'a foreclosure of a closed loan is credit (decision 24)',
      loan([
        ['2024-02-05', 121_200, 'FORECLOSURE'],
        ['2024-02-06', 100, 'FORECLOSURE'],
      ]),
    ],
  ])('%s', (_rule, facts) => {
    const start = facts.disbursals[0]?.date ?? toDay('2024-01-05')
    for (const days of [0, 15, 16, 31, 45, 46, 47, 60, 91, 152, 366, 430]) {
      const day = addDays(start, days)
      const known = <Fact extends { date: Day }>(all: readonly Fact[]): Fact[] => all.filter(({ date }) => date <= day)
      const then = { ...facts, payments: known(facts.payments), refunds: known(facts.refunds) }
      expect({ day, faults: faultsIn(then, day) }).toEqual({ day, faults: [] })
    }
    const reversed = {
      ...facts,
      disbursals: facts.disbursals.toReversed(),
      charges: facts.charges.toReversed(),
      foreclosureWaivers: facts.foreclosureWaivers.toReversed(),
    }
    const last = addDays(start, 430)
    expect(loanStateAtEndOf(reversed, last).rows).toEqual(loanStateAtEndOf(facts, last).rows)
  })

  it(`${seeds.length} random loans, most from seed ${firstSeed} on`, () => {
    for (const seed of seeds) expect({ seed, faults: faultsOf(seed) }).toEqual({ seed, faults: [] })
  })
})

describe('what the referee does not reckon', () => {
  it('a charge waived before its own day is waived from that day on (decision 21)', () => {
    const facts = loan([], { charges: [chargeOf('before', '2024-02-12', 70, { waivedOn: toDay('2024-01-10') })] })
    expect(loanStateDuring(facts, toDay('2024-02-12')).duesPaise).toBe(rupeesToPaise(10_662))
  })

  it('a rate changed before the first disbursal is the loan’s rate from the first day', () => {
    const changed = loan([], { rateChanges: [rate('2023-12-20', 18, 'tenor')] })
    const agreed = loan([], {}, { annualRatePpb: 180_000_000 })
    const day = toDay('2024-01-05')
    expect(loanStateAtEndOf(changed, day).rows).toEqual(loanStateAtEndOf(agreed, day).rows)
  })

  it.each(['2023-12-01', '2024-01-05'])('a moratorium that ends on %s, before the loan begins, is none (decision 25)', (until) => {
    const ended = loan([], {}, { moratorium: { until: toDay(until), interest: 'deferred' } })
    const day = toDay('2024-06-20')
    expect(loanStateAtEndOf(ended, day).rows).toEqual(loanStateAtEndOf(loan([]), day).rows)
  })

  it('a period that begins in a month of 30 days bears its share of that month (decision 20)', () => {
    const { rows } = loanStateAtEndOf(
      loan([['2024-02-20', 122_000, 'FORECLOSURE']], {}, {}, [first, ['2024-04-20', 30_000]]),
      toDay('2024-04-20'),
    )
    expect(rows[2]).toMatchObject({ dueDate: '2024-05-05', interestPaise: 15_000n })
  })

  it.each(['monthly', 'actual_365'] as const)(
    'a closed loan takes a further tranche: its period begins that day, its rows are those still to come (decision 25, %s)',
    (interest) => {
      const facts = loan([['2024-02-20', 122_000, 'FORECLOSURE']], {}, { interest }, [first, ['2024-03-20', 30_000]])
      const { rows, principalOutstandingPaise } = loanStateAtEndOf(facts, toDay('2024-03-20'))
      expect(rows.map(({ dueDate }) => dueDate).slice(2)).toEqual(
        ['2024-04', '2024-05', '2024-06', '2024-07', '2024-08', '2024-09', '2024-10', '2024-11', '2024-12', '2025-01'].map(
          (month) => `${month}-05`,
        ),
      )
      // 16 of the 31 days from 5 March to 5 April, or 16 days of 365.
      expect(rows[2]?.interestPaise).toBe(interest === 'monthly' ? 15_484n : 15_781n)
      expect(principalOutstandingPaise).toBe(rupeesToPaise(30_000))
    },
  )
})

describe('a further tranche of a closed loan', () => {
  it('can be paid ahead like any other', () => {
    const facts = loan(
      [
        ['2024-02-20', 122_000, 'FORECLOSURE'],
        ['2024-03-21', 1_000, 'PAY_EMI'],
      ],
      {},
      {},
      [first, ['2024-03-20', 30_000]],
    )
    const { rows } = loanStateDuring(facts, toDay('2024-03-21'))
    expect(rows[2]?.paidInterestPaise).toBe(15_484n)
    expect(rows[2]?.paidPrincipalPaise).toBeGreaterThan(0n)
  })
})

describe('a part payment that reduces the EMI in the month of a new rate that keeps or gives it (decision 23)', () => {
  const decade = termsOf({ annualRatePercent: 12, instalments: 120, firstDueDate: '2024-02-05' })
  const paid = Array.from({ length: 10 }, (_, index) => [`2024-${String(index + 2).padStart(2, '0')}-05`, 14_348] as const)
  const part = ['2024-12-02', 20_000, 'PART_PAYMENT__REDUCE_EMI'] as const
  const on = toDay('2024-12-06')
  const loanWith = (change: RateChange, payments: Parameters<typeof factsOf>[2] & object, more: Partial<LoanTerms> = {}): LoanFacts =>
    factsOf({ ...decade, ...more }, [['2024-01-05', 1_000_000]], [...paid, ...payments], { rateChanges: [change] })
  const given = { date: toDay('2024-11-20'), annualRatePpb: 130_000_000, keep: 'both' as const, instalmentPaise: rupeesToPaise(18_000) }

  it.each<[string, RateChange, Day, Partial<LoanTerms>]>([
    ['higher, the EMI stays', rate('2024-11-20', 13, 'instalment'), toDay('2034-10-05'), {}],
    ['lower, the EMI stays', rate('2024-11-20', 11, 'instalment'), toDay('2033-07-05'), {}],
    [
      'higher, under a fixed EMI',
      rate('2024-11-20', 13, 'instalment'),
      toDay('2034-10-05'),
      { fixedInstalmentPaise: rupeesToPaise(14_348) },
    ],
    ['with a given EMI', given, toDay('2031-07-05'), {}],
  ])('keeps the due dates that the rate leaves: %s', (_name, change, lastDueDate, more) => {
    const [without, reduced] = [loanWith(change, [], more), loanWith(change, [part], more)]
    const [before, after] = [without, reduced].map((facts) => loanStateAtEndOf(facts, on))
    expect([before?.rows.at(-1)?.dueDate, after?.rows.at(-1)?.dueDate]).toEqual([lastDueDate, lastDueDate])
    const [emiBefore, emi] = [before?.nextInstalmentPaise ?? 0n, after?.nextInstalmentPaise ?? 0n]
    expect([emi < emiBefore, emi > emiBefore - rupeesToPaise(500)]).toEqual([true, true])
    expect(faultsIn(reduced, on)).toEqual([])
  })
})

it('a tranche after all principal was repaid has the agreed number of instalments, also where more were counted that never came', () => {
  const fixed = {
    ...termsOf({ annualRatePercent: 12, instalments: 60, firstDueDate: '2026-02-05' }),
    fixedInstalmentPaise: rupeesToPaise(6_000),
  }
  const repaid = (payments: Parameters<typeof factsOf>[2] & object): LoanFacts => {
    const facts = factsOf(fixed, [['2026-01-05', 500_000]], payments, { charges: [chargeOf('bounce', '2026-03-20', 590)] })
    const { allowed } = loanStateAtEndOf({ ...facts, charges: [] }, toDay('2026-03-20'))
    const last = {
      paymentId: 'last',
      date: toDay('2026-03-20'),
      amountPaise: allowed.foreclosure?.amountPaise ?? paise(0n),
      purpose: 'FORECLOSURE' as const,
    }
    const tranche = { date: toDay('2026-04-10'), amountPaise: rupeesToPaise(100_000) }
    return {
      ...facts,
      sanctionedPaise: rupeesToPaise(600_000),
      disbursals: [...facts.disbursals, tranche],
      payments: [...facts.payments, last],
    }
  }
  const emis = [
    ['2026-02-05', 6_000],
    ['2026-03-05', 6_000],
  ] as const
  const reduced = [
    emis[0],
    ['2026-02-10', 20_000, 'PART_PAYMENT__REDUCE_TENOR'],
    emis[1],
    ['2026-03-10', 20_000, 'PART_PAYMENT__REDUCE_EMI'],
  ] as const
  for (const payments of [reduced.filter((_payment, index) => index !== 1), reduced]) {
    const { rows, nextInstalmentPaise } = loanStateAtEndOf(repaid(payments), toDay('2026-04-10'))
    expect([rows.at(-1)?.dueDate, rows.length, nextInstalmentPaise]).toEqual(['2031-01-05', 60, rupeesToPaise(2_311)])
  }
})

describe('an evening’s quote (decision 55)', () => {
  const evening = toDay('2024-02-08')
  const next = toDay('2024-02-09')
  const paid = (date: string, more: object = { quotedAheadFor: next }): LoanFacts => ({
    ...loan([], {}, { lateCharge }),
    payments: [{ paymentId: 'p1', date: toDay(date), amountPaise: rupeesToPaise(10_662), purpose: 'OVERDUE', ...more }],
  })

  it('made from 23:30 for the next day contains no late charge that arises only then', () => {
    const facts = loan([], {}, { lateCharge })
    expect(loanStateQuoted(facts, next, evening).duesPaise).toBe(rupeesToPaise(10_662))
    expect(loanStateQuoted(facts, next, next).duesPaise).toBe(rupeesToPaise(11_162))
    expect(loanStateQuoted(facts, addDays(next, 1), next).duesPaise).toBe(rupeesToPaise(11_162))
  })

  it('has the days past due of its evening: an instalment that is due then is paid as the next one, and nothing else waits for it', () => {
    const [dueOn, after] = [toDay('2024-02-05'), toDay('2024-02-06')]
    const { allowed } = loanStateQuoted(loan([]), after, dueOn)
    expect(allowed).toMatchObject({ overdue: { amountPaise: 0n, dpd: 0 }, nextEmi: { amountPaise: rupeesToPaise(10_662), dueDate: dueOn } })
    expect(allowed.partPayment).toEqual(loanStateDuring(loan([]), dueOn).allowed.partPayment)
    expect(loanStateQuoted(loan([]), addDays(after, 1), after).allowed).toMatchObject({ overdue: { dpd: 1 }, nextEmi: null })
    for (const date of [dueOn, after]) {
      const facts = loan([], {}, {})
      const payment = { paymentId: 'p1', date, amountPaise: rupeesToPaise(10_662), purpose: 'PAY_EMI' as const, quotedAheadFor: after }
      expect(loanStateDuring({ ...facts, payments: [payment] }, after)).toMatchObject({ dpd: 0, duesPaise: 0n, creditPaise: 0n })
    }
  })

  it('of what is overdue pays charges before the instalment of its evening, after midnight too', () => {
    const [dueOn, after] = [toDay('2024-02-05'), toDay('2024-02-06')]
    const facts = loan([], { charges: [chargeOf('bounce', '2024-01-20', 590)] })
    expect(loanStateQuoted(facts, after, dueOn).allowed.overdue).toMatchObject({ amountPaise: rupeesToPaise(590) })
    const paidOn = (date: Day, more: object) => {
      const payment = { paymentId: 'p1', date, amountPaise: rupeesToPaise(590), purpose: 'OVERDUE' as const, ...more }
      return loanStateDuring({ ...facts, payments: [payment] }, after).allocations[0]?.lines.map(({ component }) => component)
    }
    const quotedAheadFor = after
    expect([paidOn(dueOn, { quotedAheadFor }), paidOn(after, { quotedAheadFor })]).toEqual([['charge'], ['charge']])
    expect(paidOn(after, {})).toEqual(['interest'])
  })

  it('waives that charge for who pays on the quoted day, by that name, and for nobody else', () => {
    const inTime = loanStateDuring(paid('2024-02-09'), next)
    expect([inTime.duesPaise, inTime.creditPaise]).toEqual([0n, 0n])
    expect(inTime.adjustments).toEqual([
      {
        date: next,
        reason: 'late_charge_within_quote',
        paymentId: 'p1',
        lines: [{ component: 'charge', instalmentNumber: null, chargeId: 'late:2024-02-05', amountPaise: rupeesToPaise(500) }],
      },
    ])
    const withoutQuote = loanStateDuring(paid('2024-02-09', {}), next)
    expect([withoutQuote.duesPaise, withoutQuote.adjustments]).toEqual([rupeesToPaise(500), []])
    const eveningOfTheCharge = loanStateDuring(paid('2024-02-09', { quotedAheadFor: toDay('2024-02-10') }), next)
    expect([eveningOfTheCharge.duesPaise, eveningOfTheCharge.adjustments]).toEqual([rupeesToPaise(500), []])
    const dayAfter = loanStateDuring(paid('2024-02-10', { quotedAheadFor: toDay('2024-02-10') }), toDay('2024-02-10'))
    expect([dayAfter.duesPaise, dayAfter.adjustments]).toEqual([rupeesToPaise(500), []])
    const allHeld = loanStateDuring(paid('2024-02-09', { quotedAheadFor: next, heldPaise: rupeesToPaise(10_662) }), next)
    expect([allHeld.duesPaise, allHeld.adjustments]).toEqual([rupeesToPaise(11_162), []])
  })

  it('of what is overdue waives no charge of the instalment that it leaves out, which stays unpaid', () => {
    const [dueOn, after] = [toDay('2024-02-05'), toDay('2024-02-06')]
    const payment = { paymentId: 'p1', date: after, amountPaise: rupeesToPaise(590), purpose: 'OVERDUE' as const, quotedAheadFor: after }
    const atOnce = { lateCharge: { ...lateCharge, graceDays: 0 } }
    const facts = { ...loan([], { charges: [chargeOf('bounce', '2024-01-20', 590)] }, atOnce), payments: [payment] }
    const unpaid = { duesPaise: rupeesToPaise(11_162), adjustments: [] }
    for (const date of [dueOn, after]) expect(loanStateDuring({ ...facts, payments: [{ ...payment, date }] }, after)).toMatchObject(unpaid)
    expect(faultsIn(facts, after)).toEqual([])
  })

  it('of what is overdue pays no charge of the instalment that it leaves out before what it contains', () => {
    const [dueOn, after] = [toDay('2024-03-05'), toDay('2024-03-06')]
    const chargesFirst = { lateCharge: { ...lateCharge, graceDays: 0 }, allocation: 'charges_first' as const }
    const facts = loan([], {}, chargesFirst)
    const { amountPaise } = loanStateQuoted(facts, after, dueOn).allowed.overdue
    const payment = { paymentId: 'p1', date: after, amountPaise, purpose: 'OVERDUE' as const, quotedAheadFor: after }
    const paid = { ...facts, payments: [payment] }
    expect(amountPaise).toBe(rupeesToPaise(11_162))
    expect(loanStateDuring(paid, after)).toMatchObject({ duesPaise: rupeesToPaise(11_162), dpd: 1 })
    expect(faultsIn(paid, after)).toEqual([])
  })

  it('waives no other charge of that day', () => {
    const facts = { ...paid('2024-02-09'), charges: [chargeOf('bounce', '2024-02-09', 250)] }
    expect(loanStateDuring(facts, next).duesPaise).toBe(rupeesToPaise(250))
  })
})

describe('a disbursal after the schedule has ended is due after it was disbursed (decision 25)', () => {
  const paidToTheDay = Array.from({ length: 12 }, (_, index) => [addMonthsToFirst(index), index < 11 ? 10_662 : 10_660.16] as const)
  const histories: [string, Parameters<typeof factsOf>[2], Partial<LoanTerms>][] = [
    ['foreclosed, by months', [['2024-02-05', 121_200, 'FORECLOSURE']], {}],
    ['foreclosed, by days', [['2024-02-05', 121_223.01, 'FORECLOSURE']], byDays],
    ['paid to the day, by months', paidToTheDay, {}],
    ['never paid, by months', [], {}],
    ['never paid, by days', [], byDays],
  ]
  const days = [
    ['2025-02-01', '2025-02-05'],
    ['2025-02-05', '2025-03-05'],
    ['2025-02-20', '2025-03-05'],
    ['2025-03-10', '2025-04-05'],
    ['2025-06-10', '2025-07-05'],
  ] as const
  for (const [history, payments, changed] of histories)
    it.each(days)(`${history}: disbursed on %s, due on %s`, (disbursed, due) => {
      const facts = loan(payments, {}, changed, [first, [disbursed, 30_000]])
      const { rows } = loanStateDuring(facts, toDay(disbursed))
      expect(rows.at(-1)).toMatchObject({ dueDate: due, paidPrincipalPaise: 0n, status: 'Due' })
      const principal = (of: typeof rows) => of.reduce((sum, row) => sum + row.principalPaise, 0n)
      expect(principal(rows.filter(({ dueDate }) => dueDate <= disbursed))).toBe(rupeesToPaise(120_000))
      expect(principal(rows)).toBe(rupeesToPaise(150_000))
    })
})

describe('a later disbursal has the agreed rows (0199, 0201)', () => {
  const fixed = termsOf({
    annualRatePercent: 10,
    instalments: 120,
    firstDueDate: '2024-02-05',
    fixedInstalmentPaise: rupeesToPaise(13_216),
  })
  const shape = (facts: LoanFacts, day: string) => {
    const { rows, nextInstalmentPaise } = loanStateDuring(facts, toDay(day))
    return { rows: rows.length, last: Number(rows.at(-1)?.repaymentAmountPaise) / 100, next: Number(nextInstalmentPaise) / 100 }
  }
  it.each([
    ['a rate that keeps the instalment', [], [rate('2024-02-10', 9.5, 'instalment')]],
    ['a part payment that reduces the tenor', [['2024-02-10', 20_000, 'PART_PAYMENT__REDUCE_TENOR']], []],
  ] as const)('also where %s had shortened a fixed instalment', (_what, payments, rateChanges) => {
    const tranches = [
      ['2024-01-05', 400_000],
      ['2024-03-20', 600_000],
    ] as const
    const facts = factsOf(fixed, tranches, [['2024-02-05', 13_216], ...payments, ['2024-03-05', 13_216]], { rateChanges })
    const { rows, last } = shape(facts, '2024-03-20')
    expect(rows).toBeLessThanOrEqual(120)
    expect(rows).toBeGreaterThan(100)
    expect(last).toBeLessThanOrEqual(13_216)
    expect(faultsIn(facts, toDay('2024-04-10'))).toEqual([])
  })

  it('also where a part payment shortened it, and a later fact ended the fixed instalment', () => {
    const terms = { ...fixed, annualRatePpb: 120_000_000, instalments: 60, fixedInstalmentPaise: rupeesToPaise(33_367) }
    const tranches = [
      ['2024-01-05', 500_000],
      ['2024-05-20', 1_000_000],
    ] as const
    const tenor = ['2024-02-10', 50_000, 'PART_PAYMENT__REDUCE_TENOR'] as const
    const loan = (payments: readonly (typeof tenor)[]) =>
      factsOf(terms, tranches, [
        ['2024-02-05', 33_367],
        ...payments,
        ['2024-03-05', 33_367],
        ['2024-03-10', 50_000, 'PART_PAYMENT__REDUCE_EMI'],
        ['2024-04-05', 30_000],
        ['2024-05-05', 30_000],
      ])
    const { rows, next } = shape(loan([tenor]), '2024-05-20')
    expect(rows).toBe(60)
    // Less principal is left after the first part payment.
    expect(shape(loan([]), '2024-05-20').rows).toBe(60)
    expect(next).toBeLessThan(shape(loan([]), '2024-05-20').next)
    expect(faultsIn(loan([tenor]), toDay('2024-06-10'))).toEqual([])
  })

  it('once: rows that a given instalment needs after all are not added to them', () => {
    const tranches = [
      ['2024-01-05', 400_000],
      ['2024-03-20', 600_000],
    ] as const
    const given: RateChange = { date: toDay('2024-02-10'), annualRatePpb: 100_000_000, keep: 'both', instalmentPaise: rupeesToPaise(5_000) }
    const facts = factsOf(
      fixed,
      tranches,
      [
        ['2024-02-05', 13_216],
        ['2024-03-05', 13_216],
      ],
      { rateChanges: [given] },
    )
    expect(shape(facts, '2024-03-20').rows).toBeLessThan(130)
    expect(faultsIn(facts, toDay('2024-04-10'))).toEqual([])
  })

  it('and an EMI on its own principal, where all principal before it was repaid', () => {
    const deferred = termsOf({
      annualRatePercent: 12,
      instalments: 60,
      firstDueDate: '2027-02-05',
      moratorium: { until: toDay('2027-01-05'), interest: 'deferred' },
    })
    const charges = [chargeOf('c1', '2026-03-19', 590)]
    const before = factsOf(deferred, [['2026-01-05', 400_000]], [], {})
    const payoff = loanStateDuring(before, toDay('2026-03-20')).allowed.foreclosure?.amountPaise ?? 0n
    const repaid = { ...factsOf(deferred, [['2026-01-05', 400_000]], [['2026-03-20', paise(payoff), 'FORECLOSURE']], { charges }) }
    const again = { ...repaid, disbursals: [...repaid.disbursals, { date: toDay('2026-06-10'), amountPaise: rupeesToPaise(600_000) }] }
    expect(loanStateDuring(repaid, toDay('2026-06-09'))).toMatchObject({ status: 'ACTIVE', principalOutstandingPaise: 0n })
    const { rows, next } = shape({ ...again, sanctionedPaise: rupeesToPaise(1_000_000) }, '2026-06-10')
    expect(rows).toBe(60)
    expect(next).toBe(14_480)
  })

  it('and its EMIs on the agreed day, where interest alone is paid before', () => {
    const paid = termsOf({
      annualRatePercent: 12,
      instalments: 60,
      firstDueDate: '2027-02-05',
      moratorium: { until: toDay('2027-01-05'), interest: 'paid' },
    })
    const dues = [
      ['2026-02-05', 4_000],
      ['2026-03-05', 4_000],
    ] as const
    const before = factsOf(paid, [['2026-01-05', 400_000]], dues)
    const payoff = loanStateDuring(before, toDay('2026-03-20')).allowed.foreclosure?.amountPaise ?? 0n
    const closed = factsOf(paid, [['2026-01-05', 400_000]], [...dues, ['2026-03-20', paise(payoff), 'FORECLOSURE']])
    const again = {
      ...closed,
      sanctionedPaise: rupeesToPaise(1_000_000),
      disbursals: [...closed.disbursals, { date: toDay('2026-06-10'), amountPaise: rupeesToPaise(600_000) }],
    }
    const { rows } = loanStateDuring(again, toDay('2026-06-10'))
    expect(rows.find(({ dueDate, principalPaise }) => dueDate > '2026-06-10' && principalPaise > 0n)?.dueDate).toBe('2027-02-05')
    expect(shape(again, '2026-06-10').next).toBe(13_347)
  })
})

describe('a late charge that was waived', () => {
  const paidLate = [['2024-02-10', 10_662]] as const
  const waived = chargeOf('late:2024-02-05', '2024-02-09', 500, {
    chargeType: 'LATE_PAYMENT_CHARGE',
    penal: true,
    waivedOn: toDay('2024-02-11'),
    waivedPaise: rupeesToPaise(500),
  })
  const inTime = (facts: LoanFacts): LoanFacts => ({
    ...facts,
    payments: [{ paymentId: 'neft', date: toDay('2024-02-04'), amountPaise: rupeesToPaise(10_662), purpose: null }, ...facts.payments],
  })
  it('takes none of the money if the instalment proves to have been paid in time', () => {
    const facts = inTime(loan(paidLate, { charges: [waived] }, { lateCharge }))
    expect(loanStateDuring(facts, toDay('2024-02-12'))).toMatchObject({
      creditPaise: loanStateDuring(inTime(loan(paidLate, {}, { lateCharge })), toDay('2024-02-12')).creditPaise,
      duesPaise: 0n,
    })
    expect(faultsIn(facts, toDay('2024-02-12'))).toEqual([])
  })

  it('takes none of the money either if only the rest of it was waived', () => {
    const rest = { ...waived, waivedPaise: rupeesToPaise(300) }
    const paid = [['2024-02-10', 10_862]] as const
    const facts = inTime(loan(paid, { charges: [rest] }, { lateCharge }))
    expect(loanStateDuring(facts, toDay('2024-02-12')).creditPaise).toBe(rupeesToPaise(10_862))
    expect(faultsIn(facts, toDay('2024-02-12'))).toEqual([])
  })

  it('takes none of the money if the loan proves to have been closed before', () => {
    const closedWith = (charges: readonly Charge[]): LoanFacts => {
      const facts = loan([['2024-01-05', 10_662]], { charges: [...charges] }, { lateCharge })
      const closing = { paymentId: 'neft', date: toDay('2024-01-20'), amountPaise: rupeesToPaise(500_000), purpose: 'FORECLOSURE' as const }
      return { ...facts, payments: [...facts.payments, closing] }
    }
    const { creditPaise, status } = loanStateDuring(closedWith([waived]), toDay('2024-02-12'))
    expect({ creditPaise, status }).toEqual({
      creditPaise: loanStateDuring(closedWith([]), toDay('2024-02-12')).creditPaise,
      status: 'CLOSED',
    })
  })
})

function addMonthsToFirst(index: number): string {
  const month = index + 2
  return `${month > 12 ? 2025 : 2024}-${String(month > 12 ? month - 12 : month).padStart(2, '0')}-05`
}
