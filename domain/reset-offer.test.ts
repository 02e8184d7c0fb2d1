import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import { addDays, dayFromNumber, dayNumber, toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf, loanStateDuring, loanStateToPost } from './loan-state.ts'
import type { LoanFacts, LoanTerms } from './loans.ts'
import { paise, paiseToRupees, rupeesToPaise, sumPaise, type Paise } from './money.ts'
import { randomLoan, randomNumbers } from './random-loan.testing.ts'
import type { ResetDecision } from './rate-resets.ts'
import { faultsIn } from './referee-check.testing.ts'
import { replayLoan } from './replay.ts'
import {
  computeDecidedReset,
  computeResetDefault,
  computeResetOffer,
  isWithinBounds,
  withDecision,
  type NewRate,
  type ResetDefault,
  type ResetOffer,
  type ResetOption,
} from './reset-offer.ts'

const terms = termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-02-05' })
const loan = (more: Partial<LoanTerms> = {}, facts: Partial<LoanFacts> = {}) =>
  factsOf({ ...terms, ...more }, [['2026-01-05', 800_000]], [['2026-02-05', 11_021, 'PAY_EMI']], facts)
const today = toDay('2026-02-10')
const rate = (percent: number, more: Partial<NewRate> = {}): NewRate => ({
  effectiveOn: toDay('2026-04-05'),
  toRatePpb: Math.round(percent * 10_000_000),
  instalmentsMax: 180,
  ...more,
})

function offerOf(facts: LoanFacts, given: NewRate, wanted?: Paise): ResetOffer {
  const offer = computeResetOffer(facts, today, given, wanted)
  if (typeof offer === 'string') throw new Error(offer)
  return offer
}
const give = (instalmentPaise: Paise): ResetDecision => ({ keep: 'both', instalmentPaise })
const shown = ({ choice, instalmentPaise, instalmentsLeft, lastDueDate }: ResetOption) => [
  choice,
  paiseToRupees(instalmentPaise),
  instalmentsLeft,
  lastDueDate,
]

describe('the options of a higher rate', () => {
  it('keep the EMI, keep the number of instalments, choose between, or pay a part', () => {
    const { options, bounds, unchanged, fallback } = offerOf(loan(), rate(11.75))
    expect([paiseToRupees(unchanged.instalmentPaise), unchanged.instalmentsLeft, unchanged.lastDueDate]).toEqual([
      11_021,
      119,
      '2036-01-05',
    ])
    expect(options.map(shown)).toEqual([
      ['keep_emi', 11_021, 126, '2036-08-05'],
      ['keep_tenor', 11_356, 119, '2036-01-05'],
      ['between', 11_189, 123, '2036-05-05'],
      ['part_payment', 11_021, 119, '2036-01-05'],
    ])
    expect(bounds).toEqual({ minimumPaise: 1_102_100n, maximumPaise: 1_135_600n })
    expect([fallback.choice, fallback.decision]).toEqual(['keep_emi', { keep: 'instalment' }])
    const amount = options[3]?.amountPaise ?? 0n
    expect(amount > 0n && amount % 100n === 0n).toBe(true)
  })

  it('the part payment is the smallest that keeps both', () => {
    const offer = offerOf(loan(), rate(11.75))
    const amount = offer.options[3]?.amountPaise ?? paise(0n)
    const rowsAfter = (paid: Paise) => {
      const payment = { paymentId: 'part', date: today, amountPaise: paid, purpose: 'PART_PAYMENT__REDUCE_TENOR' } as const
      const facts = { ...loan(), payments: [...loan().payments, payment] }
      return offerOf(facts, rate(11.75)).options[0]?.instalmentsLeft ?? 0
    }
    expect([rowsAfter(amount), rowsAfter(paise(amount - 100n))]).toEqual([119, 120])
  })

  it('show the EMI between that is asked for, and the middle for one outside the bounds', () => {
    const between = (wanted: Paise) => offerOf(loan(), rate(11.75), wanted).options.find(({ choice }) => choice === 'between')
    expect(between(rupeesToPaise(11_300))?.instalmentPaise).toBe(1_130_000n)
    expect(between(rupeesToPaise(20_000))?.instalmentPaise).toBe(1_118_900n)
  })

  it('start from the smallest EMI if the EMI cannot stay, which is then the default', () => {
    const { options, bounds, fallback } = offerOf(loan(), rate(11.75, { instalmentsMax: 122 }))
    expect(options.map(({ choice }) => choice)).toEqual(['keep_tenor', 'between'])
    expect([fallback.choice, fallback.outcome.instalmentsLeft, fallback.outcome.instalmentPaise]).toEqual([
      'between',
      121,
      bounds?.minimumPaise,
    ])
    const less = withDecision(loan(), rate(11.75), give(paise((bounds?.minimumPaise ?? 0n) - 100n)))
    expect(loanStateDuring(less, toDay('2026-04-05')).rows.length).toBe(123)
  })

  it('let the EMI rise above the interest of a month', () => {
    const { fallback } = offerOf(loan(), rate(20, { instalmentsMax: 600 }))
    expect(fallback.choice).toBe('between')
    expect(fallback.outcome.instalmentPaise > (78_800_000n * 20n) / 1_200n).toBe(true)
  })
})

describe('the options of a lower rate', () => {
  it('need no part payment, and the default repays earlier', () => {
    const { options, fallback } = offerOf(loan(), rate(10))
    expect(options.map(({ choice }) => choice)).toEqual(['keep_emi', 'keep_tenor', 'between'])
    expect(fallback.outcome.lastDueDate < '2036-01-05').toBe(true)
  })

  it('keep the tenor that a part payment of the period leaves to a fixed instalment, and lower the EMI', () => {
    const part = { paymentId: 'part', date: today, amountPaise: rupeesToPaise(50_000), purpose: 'PART_PAYMENT__REDUCE_TENOR' } as const
    const fixed = { ...terms, annualRatePpb: 120_000_000, instalments: 60, fixedInstalmentPaise: rupeesToPaise(33_367) }
    const before = factsOf(fixed, [['2026-01-05', 500_000]], [['2026-02-05', 33_367, 'PAY_EMI']])
    const { options, unchanged } = offerOf(
      { ...before, payments: [...before.payments, part] },
      rate(11, { effectiveOn: toDay('2026-02-20') }),
    )
    expect([paiseToRupees(unchanged.instalmentPaise), unchanged.instalmentsLeft]).toEqual([33_367, 14])
    expect(options.filter(({ choice }) => choice === 'keep_tenor').map(shown)).toEqual([['keep_tenor', 32_158, 14, '2027-04-05']])
  })
})

describe('a part payment or a tranche that lowers or raises the EMI in the month of the new rate', () => {
  const given = rate(10, { effectiveOn: toDay('2026-03-01') })
  const part = { paymentId: 'part', date: today, amountPaise: rupeesToPaise(200_000), purpose: 'PART_PAYMENT__REDUCE_EMI' } as const
  const smaller = { ...loan(), payments: [...loan().payments, part] }
  const larger = {
    ...loan(),
    sanctionedPaise: rupeesToPaise(1_000_000),
    disbursals: [...loan().disbursals, { date: today, amountPaise: rupeesToPaise(200_000) }],
  }

  it.each([
    ['lower', smaller, 8_219, '2035-06-05'],
    ['raised', larger, 13_822, '2035-06-05'],
  ] as const)('leaves that EMI to keep, which is the default: %s', (_name, facts, emi, lastDueDate) => {
    const { options, unchanged, fallback } = offerOf(facts, given)
    expect(paiseToRupees(unchanged.instalmentPaise)).toBe(emi)
    expect(options.map(({ choice }) => choice)).toEqual(['keep_emi', 'keep_tenor', 'between'])
    expect(options[0]).toMatchObject({ decision: { keep: 'instalment' }, instalmentPaise: rupeesToPaise(emi), lastDueDate })
    expect(fallback).toMatchObject({ choice: 'keep_emi', outcome: { instalmentPaise: rupeesToPaise(emi), lastDueDate } })
    expect(compareOptions(facts, today, given)).toBe(3)
    expect(compareOptions(facts, today, { ...given, toRatePpb: 117_500_000 })).toBe(4)
  })

  it('is followed by a choice to keep the EMI that was made before', () => {
    const decided = computeDecidedReset(smaller, today, given, { keep: 'instalment' })
    expect(decided).toMatchObject({
      isPossible: true,
      outcome: { instalmentPaise: rupeesToPaise(8_219), lastDueDate: '2035-06-05' },
    })
  })
})

describe('an EMI that stays, and what changes the EMI of its month after the decision', () => {
  const decade = termsOf({ annualRatePercent: 9, instalments: 120, firstDueDate: '2026-02-05' })
  const emis = Array.from({ length: 11 }, (_, index) => [`2026-${String(index + 2).padStart(2, '0')}-05`, 12_668] as const)
  const given = rate(9.5, { effectiveOn: toDay('2026-12-20'), instalmentsMax: 140 })
  const partOf = (date: string, rupees: number) => [date, rupees, 'PART_PAYMENT__REDUCE_EMI'] as const
  const loanWith = (...parts: ReturnType<typeof partOf>[]) => factsOf(decade, [['2026-01-05', 1_000_000]], [...emis, ...parts])
  const decisionOf = (facts: LoanFacts) => {
    const found = computeResetDefault(facts, toDay('2026-12-12'), given)
    if (typeof found === 'string') throw new Error(found)
    expect(found.fallback.choice).toBe('keep_emi')
    return found.fallback.decision
  }
  const stateOf = (facts: LoanFacts) => {
    const day = toDay('2026-12-31')
    expect(faultsIn(facts, day)).toEqual([])
    const { nextInstalmentPaise, rows } = loanStateAtEndOf(facts, day)
    const interest = sumPaise(rows.map((row) => row.interestPaise))
    return [paiseToRupees(nextInstalmentPaise), rows.length, rows.at(-1)?.dueDate, Math.round(paiseToRupees(interest))]
  }

  it('is that of the whole loan again after a part payment that lowered it is reversed', () => {
    const paid = loanWith(partOf('2026-12-10', 200_000))
    const decision = decisionOf(paid)
    expect(stateOf(withDecision(paid, given, decision)).slice(0, 3)).toEqual([9_942, 124, '2036-05-05'])
    expect(stateOf(withDecision(loanWith(), given, decision))).toEqual([12_668, 124, '2036-05-05', 563_608])
  })

  it('stays to the paisa where it is still to be computed and an instalment is overdue', () => {
    const daily = termsOf({
      annualRatePercent: 9.5,
      instalments: 60,
      firstDueDate: '2026-02-05',
      interest: 'actual_365',
      instalmentRounding: 'paisa_half_even',
    })
    const facts = factsOf(
      daily,
      [
        ['2026-01-05', 1_000_000],
        ['2026-06-12', 78_496],
      ],
      ['02', '03', '04', '05'].map((month) => [`2026-${month}-05`, 21_100] as const),
    )
    const newRate = { effectiveOn: toDay('2026-06-28'), toRatePpb: 90_000_000, instalmentsMax: 360 }
    const { fallback, unchanged } = computeResetDefault(facts, toDay('2026-06-13'), newRate) as ResetDefault
    expect([fallback.choice, paiseToRupees(fallback.outcome.instalmentPaise)]).toEqual(['keep_emi', 22_742.44])
    expect(paiseToRupees(unchanged.instalmentPaise)).toBe(22_742.44)
    expect(computeDecidedReset(facts, toDay('2026-06-13'), newRate, { keep: 'instalment' })).toMatchObject({ isPossible: true })
  })

  it('is lowered by a part payment from before the rate that was recorded after it', () => {
    const paid = loanWith(partOf('2026-12-19', 400_000))
    const expected = [7_229, 124, '2036-05-05']
    expect(stateOf(withDecision(paid, given, decisionOf(loanWith()))).slice(0, 3)).toEqual(expected)
    expect(stateOf(withDecision(paid, given, decisionOf(paid))).slice(0, 3)).toEqual(expected)
  })
})

describe('EMIs that are paid ahead of the new rate', () => {
  const paidAhead = factsOf(
    terms,
    [['2026-01-05', 800_000]],
    [
      ['2026-02-05', 11_021, 'PAY_EMI'],
      ['2026-02-06', 11_021, 'PAY_EMI'],
      ['2026-02-06', 11_021, 'PAY_EMI'],
    ],
  )
  const before = { effectiveOn: toDay('2026-03-01') }

  it('stay as they are, and the options are those of the EMIs after them', () => {
    const { options, bounds, unchanged } = offerOf(paidAhead, rate(11.75, before))
    expect([paiseToRupees(unchanged.instalmentPaise), unchanged.instalmentsLeft]).toEqual([11_021, 117])
    expect(options.map(shown)).toEqual([
      ['keep_emi', 11_021, 125, '2036-09-05'],
      ['keep_tenor', 11_356, 117, '2036-01-05'],
      ['between', 11_189, 121, '2036-05-05'],
      ['part_payment', 11_021, 117, '2036-01-05'],
    ])
    expect(bounds).toEqual({ minimumPaise: 1_102_100n, maximumPaise: 1_135_600n })
  })

  it('do not count as an EMI that repays within the product’s number of instalments', () => {
    const { fallback } = offerOf(paidAhead, rate(18, before))
    expect([fallback.choice, fallback.outcome.instalmentsLeft + 3 <= 180]).toEqual(['between', true])
    const less = give(paise(fallback.outcome.instalmentPaise - 100n))
    expect(loanStateDuring(withDecision(paidAhead, rate(18, before), less), toDay('2026-03-01')).rows.length).toBeGreaterThan(180)
  })

  it.each(['monthly', 'actual_365'] as const)('what is chosen is what happens (interest %s)', (interest) => {
    const facts = { ...paidAhead, terms: { ...terms, interest } }
    for (const percent of [9.5, 12, 18]) expect(compareOptions(facts, today, rate(percent, before))).toBeGreaterThan(0)
  })
})

describe('before EMIs begin', () => {
  it.each(['paid', 'deferred'] as const)('the number of instalments stays (interest %s)', (interest) => {
    const waiting = factsOf({ ...terms, moratorium: { until: toDay('2027-01-05'), interest } }, [['2026-01-05', 800_000]])
    const { options, bounds, fallback } = offerOf(waiting, rate(11.75))
    expect([options.map(({ choice }) => choice), bounds, fallback.choice]).toEqual([['keep_tenor'], null, 'keep_tenor'])
    expect(fallback.outcome.lastDueDate).toBe(loanStateDuring(waiting, today).rows.at(-1)?.dueDate)
  })
})

it('a loan that is disbursed in part has an offer', () => {
  const inPart = factsOf(
    terms,
    [
      ['2026-01-05', 800_000],
      ['2026-02-20', 10_000],
    ],
    [['2026-02-05', 11_021, 'PAY_EMI']],
  )
  expect(offerOf(inPart, rate(11.75)).options.map(({ choice }) => choice)).toContain('keep_tenor')
})

describe('a loan whose rate cannot be reset', () => {
  const broken = { ...loan(), sanctionedPaise: paise(1n) }
  it.each([
    ['of unknown state', broken, rate(12), 'unknown'],
    ['without a disbursal', { ...loan(), disbursals: [], payments: [] }, rate(12), 'nothing_outstanding'],
    [
      'whose first disbursal is ahead',
      factsOf(termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-04-05' }), [['2026-03-05', 800_000]]),
      rate(12),
      'nothing_outstanding',
    ],
    ['whose last row has begun by then', loan({ instalments: 2 }), rate(12), 'no_later_row'],
    ['with that rate already', loan(), rate(11), 'same_rate'],
  ] as const)('%s', (_name, facts, given, obstacle) => {
    expect(computeResetDefault(facts, today, given)).toBe(obstacle)
    expect(computeResetOffer(facts, today, given)).toBe(obstacle)
  })

  it('is repaid', () => {
    const { allowed } = loanStateToPost(loan(), today)
    const payment = {
      paymentId: 'f',
      date: today,
      amountPaise: allowed.foreclosure?.amountPaise ?? paise(0n),
      purpose: 'FORECLOSURE',
    } as const
    expect(computeResetDefault({ ...loan(), payments: [...loan().payments, payment] }, today, rate(12))).toBe('nothing_outstanding')
  })
})

describe('an EMI between', () => {
  const bounds = { minimumPaise: rupeesToPaise(100), maximumPaise: rupeesToPaise(200) }
  it.each([
    [100, true],
    [200, true],
    [99, false],
    [201, false],
    [150.5, false],
  ])('of %s rupees is within 100 and 200: %s', (rupees, isWithin) => {
    expect(isWithinBounds(bounds, rupeesToPaise(rupees))).toBe(isWithin)
    expect(isWithinBounds(null, rupeesToPaise(rupees))).toBe(false)
  })
})

describe('a decision that is computed again', () => {
  const decided = (facts: LoanFacts, decision: Parameters<typeof computeDecidedReset>[3], given = rate(11.75)) => {
    const found = computeDecidedReset(facts, today, given, decision)
    if (typeof found === 'string') throw new Error(found)
    return found
  }
  const tranche = {
    ...loan(),
    sanctionedPaise: rupeesToPaise(1_200_000),
    disbursals: [...loan().disbursals, { date: today, amountPaise: rupeesToPaise(400_000) }],
  }
  it('gives the figures of its option', () => {
    const [option] = offerOf(loan(), rate(11.75)).options
    const { outcome, isPossible } = decided(loan(), { keep: 'instalment' })
    expect([isPossible, outcome.lastDueDate, outcome.totalInterestPaise]).toEqual([true, option?.lastDueDate, option?.totalInterestPaise])
  })

  it('is possible until the loan needs more than the product allows', () => {
    const between = { keep: 'both', instalmentPaise: rupeesToPaise(11_100) } as const
    expect([decided(loan(), between).isPossible, decided(tranche, between).isPossible]).toEqual([true, false])
    expect(decided(tranche, { keep: 'tenor' }).isPossible).toBe(true)
    expect(decided(tranche, { keep: 'instalment' }).isPossible).toBe(true)
    expect(decided(loan(), { keep: 'instalment' }, rate(11.75, { instalmentsMax: 122 })).isPossible).toBe(false)
  })

  it('has the same obstacles', () => {
    expect(computeDecidedReset(loan(), today, rate(11), { keep: 'tenor' })).toBe('same_rate')
  })
})

/** The loan with everything that falls due until a day paid on its due date. */
function payOnTime(facts: LoanFacts, from: Day, until: Day): LoanFacts {
  let known = facts
  let day = from
  for (let index = 0; index < 60; index += 1) {
    const { duesPaise, rows } = loanStateToPost(known, day)
    if (duesPaise > 0n)
      known = {
        ...known,
        payments: [...known.payments, { paymentId: `on-time-${index}`, date: day, amountPaise: duesPaise, purpose: null }],
      }
    const next = rows.find(({ dueDate }) => dueDate > day)
    if (next === undefined || next.dueDate > until) return known
    day = next.dueDate
  }
  return known
}

/** The loan with some of the next EMIs paid on a day. */
function payNextAhead(facts: LoanFacts, date: Day, count: number): LoanFacts {
  const { nextEmi } = loanStateToPost(facts, date).allowed
  if (count === 0 || nextEmi === null) return facts
  const payment = { paymentId: `ahead-${count}`, date, amountPaise: nextEmi.amountPaise, purpose: 'PAY_EMI' } as const
  return payNextAhead({ ...facts, payments: [...facts.payments, payment] }, date, count - 1)
}

/** Compares each option of a loan with what follows its choice. @returns how many. */
function compareOptions(paidUp: LoanFacts, day: Day, given: NewRate): number {
  const offer = computeResetOffer(paidUp, day, given)
  if (typeof offer === 'string') return 0
  const { fromRatePpb, unchanged, fallback } = offer
  const { balances, ...withoutBalances } = unchanged
  expect(computeResetDefault(paidUp, day, given)).toEqual({ fromRatePpb, unchanged: withoutBalances, fallback })
  const { principalOutstandingPaise } = loanStateToPost(paidUp, day)
  expect(balances[0]).toEqual({ date: day, amountPaise: principalOutstandingPaise })
  const days = balances.map(({ date }) => date)
  expect([days, days.at(-1)]).toEqual([[...new Set(days)].toSorted(), unchanged.lastDueDate])
  expect(balances.at(-1)?.amountPaise).toBe(0n)
  for (const { choice, decision, instalmentPaise, lastDueDate, totalInterestPaise, amountPaise } of offer.options) {
    const part = {
      paymentId: 'part',
      date: day,
      amountPaise: amountPaise ?? paise(0n),
      purpose: 'PART_PAYMENT__REDUCE_TENOR',
    } as const
    const paid = amountPaise === undefined ? paidUp : { ...paidUp, payments: [...paidUp.payments, part] }
    const chosen = withDecision(paid, given, decision)
    const after = addDays(given.effectiveOn, 70)
    const { rows, capitalised } = loanStateToPost(payOnTime(chosen, day, after), after)
    const interest = sumPaise([...rows.map((row) => row.interestPaise), capitalised?.amountPaise ?? paise(0n)])
    expect({ choice, lastDueDate: rows.at(-1)?.dueDate, interest }).toEqual({ choice, lastDueDate, interest: totalInterestPaise })
    const isPaidAhead = (due: Day): boolean =>
      loanStateToPost(paid, day).rows.some(({ dueDate, status }) => dueDate === due && status === 'Paid')
    const billed = replayLoan(payOnTime(chosen, day, after), dayNumber(after)).rows
    const first = billed.find(
      ({ due, instalment }, index) =>
        instalment > 0 && !isPaidAhead(dayFromNumber(due)) && (billed[index - 1]?.due ?? 0) >= dayNumber(given.effectiveOn),
    )
    if (first !== undefined) expect({ choice, emi: first.instalment }).toEqual({ choice, emi: Number(instalmentPaise) })
  }
  return offer.options.length
}

describe('what is chosen is what happens, with the EMI, last date and interest of each option', () => {
  const moratorium = { until: toDay('2027-01-05') }
  it.each<[string, LoanFacts]>([
    ['interest by days', loan({ interest: 'actual_365' })],
    ['a fixed EMI', loan({ fixedInstalmentPaise: rupeesToPaise(12_500) })],
    ['interest alone at first', loan({ principalGraceInstalments: 6 })],
    ['another rate before', loan({}, { rateChanges: [{ date: toDay('2026-01-20'), annualRatePpb: 105_000_000, keep: 'tenor' }] })],
    ['another rate after', loan({}, { rateChanges: [{ date: toDay('2026-05-20'), annualRatePpb: 125_000_000, keep: 'instalment' }] })],
    ['before EMIs, interest paid', factsOf({ ...terms, moratorium: { ...moratorium, interest: 'paid' } }, [['2026-01-05', 800_000]])],
    [
      'before EMIs, interest deferred',
      factsOf({ ...terms, moratorium: { ...moratorium, interest: 'deferred' } }, [['2026-01-05', 800_000]]),
    ],
    [
      'interest that was capitalised before',
      factsOf({ ...terms, moratorium: { until: toDay('2026-01-05'), interest: 'deferred' } }, [['2025-06-05', 800_000]]),
    ],
    [
      'another rate and a part payment before',
      factsOf(
        terms,
        [['2026-01-05', 800_000]],
        [
          ['2026-02-05', 11_021, 'PAY_EMI'],
          ['2026-02-06', 50_000, 'PART_PAYMENT__REDUCE_TENOR'],
        ],
        { rateChanges: [{ date: toDay('2026-01-20'), annualRatePpb: 105_000_000, keep: 'tenor' }] },
      ),
    ],
    [
      'disbursed today',
      factsOf(termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-03-10' }), [['2026-02-10', 800_000]]),
    ],
  ])('%s', (_name, facts) => {
    const paidUp = payOnTime(facts, today, today)
    for (const percent of [9.5, 12, 16]) expect(compareOptions(paidUp, today, rate(percent))).toBeGreaterThan(0)
    expect(compareOptions(paidUp, today, rate(12, { effectiveOn: toDay('2026-04-17') }))).toBeGreaterThan(0)
  })

  it('random loans', () => {
    let compared = 0
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = randomNumbers(seed)
        const { facts, last } = randomLoan(seed, 12)
        const given = {
          effectiveOn: addDays(last, 15 + draw(50)),
          toRatePpb: [80_000_000, 101_000_000, 140_000_000, 300_000_000][draw(4)] ?? 0,
          instalmentsMax: 1 + draw(60),
        }
        compared += compareOptions(payNextAhead(payOnTime(facts, last, last), last, draw(3)), last, given)
      }),
      { seed: 20_261_124, numRuns: 400 },
    )
    expect(compared).toBeGreaterThan(0)
  }, 120_000)
})

describe('the new rate among the other changes', () => {
  const change = (date: string) => ({ date: toDay(date), annualRatePpb: 105_000_000, keep: 'tenor' }) as const
  it('stands in the order of their days, in place of one of the same day', () => {
    const facts = loan({}, { rateChanges: ['2026-03-05', '2026-04-05', '2026-05-05'].map(change) })
    expect(withDecision(facts, rate(11.75), { keep: 'tenor' }).rateChanges).toEqual([
      change('2026-03-05'),
      { date: toDay('2026-04-05'), annualRatePpb: 117_500_000, keep: 'tenor' },
      change('2026-05-05'),
    ])
  })

  it('counts for a last row that begins on its day', () => {
    const short = loan({ instalments: 3 })
    expect(computeResetDefault(short, today, rate(12, { effectiveOn: toDay('2026-03-05') }))).toBeTypeOf('object')
    expect(computeResetDefault(short, today, rate(12, { effectiveOn: toDay('2026-03-06') }))).toBe('no_later_row')
  })
})
