import { describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { factsFault, termsFault } from './loan-facts.ts'
import type { Charge, LoanFacts, LoanTerms, ReceivedPayment } from './loans.ts'
import { maximumPaise, paise, rupeesToPaise, zeroPaise } from './money.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2024-02-05' })
const first = toDay('2024-01-05')
const facts = factsOf(terms, [['2024-01-05', 120_000]])
const noDate = '2024-02-30' as Day
const day = toDay('2024-06-01')
const beyond = paise(maximumPaise + 1n)

const payment = (more: Partial<ReceivedPayment>): LoanFacts['payments'] => [
  { paymentId: 'p', date: first, amountPaise: rupeesToPaise(100), purpose: null, ...more },
]
const refund = (amountPaise: bigint): LoanFacts['refunds'] => [{ refundId: 'r', date: first, amountPaise: paise(amountPaise) }]
const rate = (annualRatePpb: number): LoanFacts['rateChanges'] => [{ date: first, annualRatePpb, keep: 'tenor' }]

describe('terms that can make a schedule (decision 35)', () => {
  it.each<[string, Partial<LoanTerms>]>([
    ['one instalment', { instalments: 1 }],
    ['fifty years of instalments', { instalments: 600 }],
    ['no interest', { annualRatePpb: 0 }],
    ['1000 percent', { annualRatePpb: 10_000_000_000 }],
    ['due on the 1st', { dueDay: 1 }],
    ['due on the last day of each month', { dueDay: 31 }],
    ['grace that leaves one instalment', { principalGraceInstalments: 11 }],
    ['a fixed instalment of a paisa', { fixedInstalmentPaise: paise(1n) }],
    ['a moratorium', { moratorium: { until: toDay('2024-02-05'), interest: 'paid' } }],
  ])('%s', (_name, more) => {
    expect(termsFault({ ...terms, ...more })).toBeNull()
  })

  const instalments = 'instalments must be a whole number from 1 to 600'
  const yearly = 'the yearly rate must be between 0 and 1000 percent'
  const due = 'the due day must be from 1 to 31'
  const grace = 'principal grace must leave at least one instalment'
  it.each<[string, Partial<LoanTerms>]>([
    [instalments, { instalments: 0 }],
    [instalments, { instalments: 601 }],
    [instalments, { instalments: 1.5 }],
    [instalments, { instalments: Number.NaN }],
    [yearly, { annualRatePpb: -1 }],
    [yearly, { annualRatePpb: 10_000_000_001 }],
    [yearly, { annualRatePpb: 0.5 }],
    [due, { dueDay: 0 }],
    [due, { dueDay: 32 }],
    ['the first due date is no date', { firstDueDate: noDate }],
    [grace, { principalGraceInstalments: 12 }],
    [grace, { principalGraceInstalments: -1 }],
    ['a fixed instalment must be more than 0', { fixedInstalmentPaise: zeroPaise }],
    ["the moratorium's end is no date", { moratorium: { until: noDate, interest: 'paid' } }],
  ])('refused, %#: %s', (fault, more) => {
    expect(termsFault({ ...terms, ...more })).toBe(fault)
    expect(factsFault({ ...facts, terms: { ...terms, ...more } }, day)).toBe(fault)
  })
})

describe('facts that add up (decision 35)', () => {
  it.each<[string, Partial<LoanFacts>]>([
    ['a loan and nothing else', {}],
    ['no disbursal yet', { disbursals: [], sanctionedPaise: zeroPaise }],
    ['a payment on the first day, all of it on its way back', { payments: payment({ heldPaise: rupeesToPaise(100) }) }],
    ['the largest payment', { payments: payment({ amountPaise: maximumPaise, heldPaise: zeroPaise }) }],
    ['the largest refund', { refunds: refund(maximumPaise) }],
    ['a refund of a paisa', { refunds: refund(1n) }],
    ['a charge on the first day', { charges: [chargeOf('c', first, 1)] }],
    ['a charge before there is a disbursal', { disbursals: [], charges: [chargeOf('c', '2023-01-01', 1)] }],
    [
      'a charge of before the first disbursal that was waived',
      { charges: [chargeOf('c', addDays(first, -2), 1, { waivedOn: addDays(first, -1) })] },
    ],
    [
      'one that was taken back',
      { charges: [chargeOf('c', addDays(first, -1), 1, { waivedOn: addDays(first, -1), waivedPaise: rupeesToPaise(1) })] },
    ],
    ['rates at both ends', { rateChanges: [...rate(0), ...rate(10_000_000_000)] }],
    ['as much disbursed as sanctioned', { sanctionedPaise: rupeesToPaise(120_000) }],
  ])('%s', (_name, more) => {
    expect(factsFault({ ...facts, ...more }, day)).toBeNull()
  })

  const paymentAmount = 'a payment must be more than 0'
  const early = 'a payment was received before the first disbursal'
  const held = 'more of a payment is refunded than was received'
  const refunded = 'a refund must be more than 0'
  const charged = 'a charge must be more than 0'
  const uncovered = 'a charge that is not waived lies before the first disbursal'
  it.each<[string, Partial<LoanFacts>]>([
    [paymentAmount, { payments: payment({ amountPaise: zeroPaise }) }],
    [paymentAmount, { payments: payment({ amountPaise: beyond }) }],
    [early, { payments: payment({ date: addDays(first, -1) }) }],
    [early, { disbursals: [], payments: payment({}) }],
    [held, { payments: payment({ heldPaise: rupeesToPaise(100.01) }) }],
    [held, { payments: payment({ heldPaise: paise(-1n) }) }],
    [refunded, { refunds: refund(0n) }],
    [refunded, { refunds: refund(beyond) }],
    [charged, { charges: [chargeOf('c', first, 0)] }],
    [charged, { charges: [{ ...chargeOf('c', first, 1), amountPaise: beyond }] }],
    [uncovered, { charges: [chargeOf('c', addDays(first, -1), 1)] }],
    [uncovered, { charges: [chargeOf('c', addDays(first, -1), 1, { waivedOn: first, waivedPaise: rupeesToPaise(0.99) })] }],
    ['the yearly rate must be between 0 and 1000 percent', { rateChanges: rate(-1) }],
    ['a disbursal must be more than 0', { disbursals: [{ date: first, amountPaise: zeroPaise }] }],
    ['a disbursal has no date', { disbursals: [...facts.disbursals, { date: noDate, amountPaise: paise(1n) }] }],
    ['more was disbursed than sanctioned', { sanctionedPaise: rupeesToPaise(119_999.99) }],
    ['the first due date must be after the first disbursal', { disbursals: [{ date: terms.firstDueDate, amountPaise: paise(1n) }] }],
  ])('refused, %#: %s', (fault, more) => {
    expect(factsFault({ ...facts, ...more }, day)).toBe(fault)
  })

  it('facts after the day do not count for the loan on the day', () => {
    const later = addDays(day, 1)
    const known = { ...facts, sanctionedPaise: rupeesToPaise(120_000) }
    const more = [...facts.disbursals, { date: later, amountPaise: rupeesToPaise(1) }]
    expect(factsFault({ ...known, disbursals: more }, day)).toBeNull()
    expect(factsFault({ ...known, disbursals: more }, later)).toBe('more was disbursed than sanctioned')
    const unpaid = payment({ date: later, amountPaise: zeroPaise })
    expect(factsFault({ ...known, payments: unpaid }, day)).toBeNull()
    expect(factsFault({ ...known, payments: unpaid }, later)).toBe(paymentAmount)
    expect(factsFault({ ...known, payments: payment({}), disbursals: [{ date: later, amountPaise: paise(1n) }] }, day)).toBe(early)
  })

  it('the first disbursal is the earliest, wherever it is in the list', () => {
    const disbursals = factsOf(terms, [
      ['2024-01-20', 1000],
      ['2024-01-05', 1000],
      ['2024-01-10', 1000],
    ]).disbursals
    expect(factsFault({ ...facts, disbursals, payments: payment({}) }, day)).toBeNull()
    expect(factsFault({ ...facts, disbursals, payments: payment({ date: addDays(first, -1) }) }, day)).toBe(early)
  })
})

describe('how far the engine counts exactly, and the contract has amounts', () => {
  const fault = 'the amounts are too large to be computed exactly'
  const received = (amountPaise: bigint): LoanFacts['payments'] => [
    ...payment({ amountPaise: paise(amountPaise) }),
    ...payment({ paymentId: 'q', amountPaise: paise(1n) }),
  ]

  it('everything received is the largest amount at most', () => {
    expect(factsFault({ ...facts, payments: received(maximumPaise - 1n) }, day)).toBeNull()
    expect(factsFault({ ...facts, payments: received(maximumPaise) }, day)).toBe(fault)
  })

  it('what was lent with its charges is the largest amount at most; a charge that was wholly waived does not count', () => {
    const free = { ...terms, annualRatePpb: 0 }
    const left = maximumPaise - rupeesToPaise(120_000)
    const charged = (amountPaise: bigint, more: Partial<Charge> = {}): LoanFacts => ({
      ...facts,
      terms: free,
      charges: [chargeOf('c', first, 1), { ...chargeOf('d', first, 1, more), amountPaise: paise(amountPaise) }],
    })
    expect(factsFault(charged(left - 100n), day)).toBeNull()
    expect(factsFault(charged(left - 99n), day)).toBe(fault)
    expect(factsFault(charged(left), day)).toBe(fault)
    expect(factsFault(charged(left, { waivedOn: first }), day)).toBeNull()
    expect(factsFault(charged(left, { waivedOn: first, waivedPaise: paise(left - 1n) }), day)).toBe(fault)
  })

  it('with the interest of all its years, at the highest rate it ever has, below the largest safe integer, 9.007 × 10¹⁵', () => {
    // A year to the first due date, one of instalments and one more: three years at 2.66 make 8.98
    // × 10¹⁵, at 2.67 they make 9.01 × 10¹⁵.
    const largest = (annualRatePpb: number, extra: Partial<LoanFacts> = {}): LoanFacts => ({
      ...facts,
      sanctionedPaise: maximumPaise,
      terms: { ...terms, firstDueDate: toDay('2025-01-04'), dueDay: 4, annualRatePpb },
      disbursals: [{ date: first, amountPaise: maximumPaise }],
      ...extra,
    })
    expect(factsFault(largest(2_660_000_000), day)).toBeNull()
    expect(factsFault(largest(2_670_000_000), day)).toBe(fault)
    expect(factsFault(largest(2_660_000_000, { rateChanges: rate(0) }), day)).toBeNull()
    expect(factsFault(largest(0, { rateChanges: rate(2_670_000_000) }), day)).toBe(fault)
    expect(factsFault(largest(2_670_000_000, { rateChanges: rate(0) }), day)).toBe(fault)
    // 2.68 × 10¹³ are left.
    expect(factsFault(largest(2_660_000_000, { payments: received(2n * 10n ** 13n) }), day)).toBeNull()
    expect(factsFault(largest(2_660_000_000, { payments: received(3n * 10n ** 13n) }), day)).toBe(fault)
  })

  it('never more is disbursed than the largest amount', () => {
    const beyondLargest = { ...facts, sanctionedPaise: paise(maximumPaise * 2n), disbursals: [{ date: first, amountPaise: beyond }] }
    expect(factsFault(beyondLargest, day)).toBe(fault)
  })

  it('a first due date and the end of a moratorium lie fifty years away at most', () => {
    const farthest = addDays(first, 18_600)
    expect(factsFault({ ...facts, terms: { ...terms, firstDueDate: farthest } }, day)).toBeNull()
    expect(factsFault({ ...facts, terms: { ...terms, firstDueDate: addDays(farthest, 1) } }, day)).toBe(
      'the first due date is too far from the first disbursal',
    )
    const until = (end: Day): LoanFacts => ({ ...facts, terms: { ...terms, moratorium: { until: end, interest: 'paid' } } })
    expect(factsFault(until(farthest), day)).toBeNull()
    expect(factsFault(until(addDays(farthest, 1)), day)).toBe('the moratorium is too long')
  })
})
