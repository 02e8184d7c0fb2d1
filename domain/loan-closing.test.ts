import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { findClosingDay } from './loan-closing.ts'
import { loanStateDuring } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { paise } from './money.ts'

/** 30,000 at 12 % in 3 instalments; the payoff of 20 January is 30,145.16. */
const terms = termsOf({ annualRatePercent: 12, instalments: 3, firstDueDate: '2024-02-05' })
const loan = (payments: Parameters<typeof factsOf>[2] = [], more: Partial<LoanFacts> = {}): LoanFacts =>
  factsOf({ ...terms, foreclosureWaiveMaximumPaise: paise(10_000n) }, [['2024-01-05', 30_000]], payments, more)
const instalments = [
  ['2024-02-05', 10_201],
  ['2024-03-07', 10_201],
  ['2024-04-05', 10_199.98],
] as const
const closingDay = (facts: LoanFacts, day = '2024-06-01') => findClosingDay(facts, loanStateDuring(facts, toDay(day)))

describe('the day on which a loan was closed', () => {
  it('is the day of the payment that settled the last of it', () => {
    expect(closingDay(loan([['2024-01-20', 30_145.16, 'FORECLOSURE']]))).toBe('2024-01-20')
    expect(closingDay(loan(instalments))).toBe('2024-04-05')
  })

  it('does not move when more money comes later, which settles nothing', () => {
    expect(
      closingDay(
        loan([
          ['2024-01-20', 30_145.16, 'FORECLOSURE'],
          ['2024-02-11', 500],
        ]),
      ),
    ).toBe('2024-01-20')
  })

  it('does not move for a payment that goes back, and is that of a payment of which a part is credit', () => {
    const facts = loan([
      ['2024-01-20', 30_200, 'FORECLOSURE'],
      ['2024-02-11', 500],
    ])
    const payments = facts.payments.map((payment, index) => (index === 1 ? { ...payment, heldPaise: payment.amountPaise } : payment))
    expect(closingDay({ ...facts, payments })).toBe('2024-01-20')
  })

  it('is the day on which credit paid the last instalment', () => {
    const early = [instalments[0], ['2024-03-07', 20_400.98]] as const
    expect(closingDay(loan(early))).toBe('2024-04-05')
  })

  it('is not the day of an earlier waiver', () => {
    const waived = chargeOf('waived', '2024-02-06', 100, { waivedOn: toDay('2024-02-20') })
    const kept = chargeOf('kept', '2024-02-06', 50)
    expect(closingDay(loan([...instalments, ['2024-04-06', 50]], { charges: [waived, kept] }))).toBe('2024-04-06')
  })

  it('is not the day of a waiver of a charge that a payment recorded later had paid', () => {
    const waived = chargeOf('waived', '2024-01-10', 100, { waivedOn: toDay('2024-01-25'), waivedPaise: paise(10_000n) })
    expect(closingDay(loan([['2024-01-20', 30_245.16, 'FORECLOSURE']], { charges: [waived] }))).toBe('2024-01-20')
  })

  it('is not the day on which a late charge was waived of which later facts removed the cause', () => {
    const waived = chargeOf('late:2024-02-05', '2024-02-09', 500, { waivedOn: toDay('2024-02-11'), waivedPaise: paise(30_000n) })
    expect(closingDay(loan([['2024-01-20', 30_145.16, 'FORECLOSURE']], { charges: [waived] }))).toBe('2024-01-20')
  })

  it('is the day of a write-off, or of the waiver of the last charge', () => {
    const short = [['2024-01-20', 30_100, 'FORECLOSURE']] as const
    const waiver = { waiverId: 'w1', date: toDay('2024-01-20'), amountPaise: paise(4_516n) }
    expect(closingDay(loan(short, { foreclosureWaivers: [waiver] }))).toBe('2024-01-20')
    const charge = { ...chargeOf('bounce', '2024-04-10', 100), waivedOn: toDay('2024-05-01') }
    expect(closingDay(loan(instalments, { charges: [charge] }), '2024-04-20')).toBeNull()
    expect(closingDay(loan(instalments, { charges: [charge] }))).toBe('2024-05-01')
  })

  it('does not move for a charge that was added in error and taken back', () => {
    const inError = chargeOf('in-error', '2024-05-20', 500, { waivedOn: toDay('2024-05-20'), waivedPaise: paise(50_000n) })
    expect(closingDay(loan([['2024-01-20', 30_145.16, 'FORECLOSURE']], { charges: [inError] }))).toBe('2024-01-20')
  })

  it('does not move for credit that goes through a later foreclosure and settles nothing', () => {
    const facts = loan([...instalments.slice(0, 2), ['2024-04-05', 10_299.98], ['2024-04-20', 500, 'FORECLOSURE']])
    expect(loanStateDuring(facts, toDay('2024-06-01')).adjustments).not.toEqual([])
    expect(closingDay(facts)).toBe('2024-04-05')
  })

  it('does not move for interest paid ahead that only becomes credit', () => {
    const facts = loan([
      ['2024-02-05', 10_201],
      ['2024-02-06', 10_201, 'PAY_EMI'],
      ['2024-02-07', 9_900, 'PART_PAYMENT__REDUCE_TENOR'],
      ['2024-02-08', 198.99, 'PAY_EMI'],
    ])
    const { adjustments } = loanStateDuring(facts, toDay('2024-06-01'))
    expect(adjustments.map(({ date, reason }) => [date, reason])).toEqual([['2024-04-05', 'interest_rebated']])
    expect(closingDay(facts)).toBe('2024-02-08')
  })

  it('does not exist for a loan that is not closed', () => {
    expect(closingDay(loan())).toBeNull()
    expect(closingDay(loan([['2024-02-05', 10_201]]), '2024-02-20')).toBeNull()
  })
})
