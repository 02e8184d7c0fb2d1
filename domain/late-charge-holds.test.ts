import { describe, expect, it } from 'vitest'
import { addDays, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf } from './loan-state.ts'
import type { LateChargeHold, LoanFacts, TakenBackHold } from './loans.ts'
import { paise, rupeesToPaise, type Paise } from './money.ts'
import { faultsIn } from './referee-check.testing.ts'

/** 30,000 at 12 % in 3 instalments of 10,201; a late charge of 500 from the fourth day after. */
const terms = termsOf({
  annualRatePercent: 12,
  instalments: 3,
  firstDueDate: '2024-02-05',
  lateCharge: { graceDays: 3, amountPaise: rupeesToPaise(500) },
})
const noGrace = { ...terms, lateCharge: { graceDays: 0, amountPaise: rupeesToPaise(500) } }
const debit = (from: string, until: string | null, ...dueDates: string[]): LateChargeHold => ({
  from: toDay(from),
  until: until === null ? null : toDay(until),
  dueDates: (dueDates.length === 0 ? ['2024-02-05'] : dueDates).map(toDay),
})
const takenBack = (from: string, until: string, amount: number | Paise = 10_201): TakenBackHold => ({
  from: toDay(from),
  until: toDay(until),
  takenBack: {
    paymentId: `back:${from}`,
    date: toDay(from),
    amountPaise: typeof amount === 'bigint' ? amount : rupeesToPaise(amount),
    purpose: null,
  },
  isReversed: false,
})
const loan = (lateChargeHolds: LateChargeHold[], payments: Parameters<typeof factsOf>[2] = [], given = terms): LoanFacts =>
  factsOf(given, [['2024-01-05', 30_000]], payments, { lateChargeHolds })

/** The day of the late charges, and that the referee agrees. */
function lateChargesOf(facts: LoanFacts, day: string): string[] {
  expect(faultsIn(facts, toDay(day))).toEqual([])
  return loanStateAtEndOf(facts, toDay(day)).derivedCharges.map(({ date }) => date)
}

it.each([
  [10_200, ['2024-02-09']],
  [10_200.01, []],
])('what is left of an instalment after ₹%s raises a late charge only if a payment link carries it', (rupees, days) => {
  expect(lateChargesOf(loan([], [['2024-02-05', rupees]]), '2024-03-01')).toEqual(days)
})

describe('a debit that is presented', () => {
  it('lets no late charge arise for its instalment, however long its outcome takes', () => {
    expect(lateChargesOf(loan([]), '2024-03-01')).toEqual(['2024-02-09'])
    expect(lateChargesOf(loan([debit('2024-02-05', null)]), '2024-03-01')).toEqual([])
    expect(lateChargesOf(loan([debit('2024-02-05', null)], [], noGrace), '2024-03-01')).toEqual([])
  })

  it('leaves status and days past due as they are', () => {
    const state = loanStateAtEndOf(loan([debit('2024-02-05', null)]), toDay('2024-02-20'))
    expect([state.status, state.dpd]).toEqual(['OVERDUE', 16])
  })

  it('moves the charge to the day after a failure was known, and never before its own day', () => {
    expect(lateChargesOf(loan([debit('2024-02-05', '2024-02-12')]), '2024-03-01')).toEqual(['2024-02-13'])
    expect(lateChargesOf(loan([debit('2024-02-05', '2024-02-06')]), '2024-03-01')).toEqual(['2024-02-09'])
    expect(lateChargesOf(loan([debit('2024-02-05', '2024-02-07')], [], noGrace), '2024-03-01')).toEqual(['2024-02-08'])
  })

  it('that is presented after the charge arose does not take it back', () => {
    expect(lateChargesOf(loan([debit('2024-02-10', '2024-02-12')]), '2024-03-01')).toEqual(['2024-02-09'])
  })

  it('and one after it, presented before the first failure was over, hold the charge together', () => {
    const facts = loan([debit('2024-02-05', '2024-02-12'), debit('2024-02-11', '2024-02-15')])
    expect(lateChargesOf(facts, '2024-03-01')).toEqual(['2024-02-16'])
  })

  it('holds only the charges of its own instalments', () => {
    const facts = loan([debit('2024-02-05', null)])
    expect(lateChargesOf(facts, '2024-03-20')).toEqual(['2024-03-09'])
    expect(lateChargesOf(loan([debit('2024-02-05', null, '2024-02-05', '2024-03-05')]), '2024-03-20')).toEqual([])
  })

  it('that is captured counts from its value date: nothing was ever late', () => {
    const facts = loan([debit('2024-02-05', '2024-02-07')], [['2024-02-05', 10_201]], noGrace)
    expect(lateChargesOf(facts, '2024-03-01')).toEqual([])
    expect(loanStateAtEndOf(facts, toDay('2024-03-01'))).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: 0n })
  })

  it('that the bank takes back is unpaid again, with no charge for the days before', () => {
    const facts = loan([debit('2024-02-05', '2024-02-20')], [], noGrace)
    expect(lateChargesOf(facts, '2024-03-01')).toEqual(['2024-02-21'])
  })

  it('that the bank takes back months later causes one charge, and none for instalments paid in between', () => {
    const paid: Parameters<typeof loan>[1] = [
      ['2024-03-05', 10_201],
      ['2024-04-05', 10_201],
    ]
    const back = takenBack('2024-02-05', '2024-04-12')
    expect(lateChargesOf(loan([back], paid), '2024-04-12')).toEqual([])
    expect(lateChargesOf(loan([back], paid), '2024-04-30')).toEqual(['2024-04-13'])
    // A borrower who is one instalment behind is late each month, also with the money.
    const late = takenBack('2024-03-05', '2024-04-12')
    expect(lateChargesOf(loan([late], paid.slice(1)), '2024-04-12')).toEqual(['2024-02-09', '2024-03-09', '2024-04-09'])
  })

  it('an instalment that its money would not have paid keeps its charge', () => {
    const paid: Parameters<typeof loan>[1] = [['2024-03-05', 10_201]]
    // March's money pays February. Of March, ₹10,201 are unpaid: ₹5,000 more or less do not matter.
    expect(lateChargesOf(loan([takenBack('2024-02-05', '2024-04-12', 5_000)], paid), '2024-03-31')).toEqual(['2024-02-09', '2024-03-09'])
    expect(lateChargesOf(loan([takenBack('2024-02-05', '2024-04-12')], paid), '2024-03-31')).toEqual([])
    // What two payments would have paid together.
    const halves = [takenBack('2024-02-05', '2024-04-12', 5_000), takenBack('2024-02-06', '2024-04-20', 5_201)]
    expect(lateChargesOf(loan(halves, paid), '2024-04-12')).toEqual(['2024-04-09'])
    expect(lateChargesOf(loan(halves, paid), '2024-04-20')).toEqual(['2024-04-09', '2024-04-13'])
  })

  it('that the bank takes back after the loan was closed causes no charge for what bears interest since, or is due only since', () => {
    const terms = termsOf({
      annualRatePercent: 12,
      instalments: 3,
      firstDueDate: '2024-02-05',
      interest: 'actual_365',
      lateCharge: noGrace.lateCharge,
    })
    const dues = loanStateAtEndOf(loan([], [], terms), toDay('2024-01-05')).rows.map(
      ({ dueDate, repaymentAmountPaise }): [string, Paise] => [dueDate, repaymentAmountPaise],
    )
    const [first = ['', paise(0n)], ...others] = dues
    expect(loanStateAtEndOf(loan([], dues, terms), toDay('2024-04-05')).status).toBe('CLOSED')
    const back = takenBack(first[0], '2024-08-20', first[1])
    expect(lateChargesOf(loan([back], others, terms), '2024-08-20')).toEqual([])
    expect(lateChargesOf(loan([back], others, terms), '2024-08-21').slice(0, 1)).toEqual(['2024-08-21'])
  })

  it('of a loan that was foreclosed since causes no charge for the instalment that only its going creates', () => {
    const payments: Parameters<typeof loan>[1] = [
      ['2024-02-05', 10_201],
      ['2024-02-20', 20_500, 'FORECLOSURE'],
    ]
    expect(loanStateAtEndOf(loan([], payments), toDay('2024-02-20')).status).toBe('CLOSED')
    const facts = loan([takenBack('2024-02-05', '2024-08-20')], payments.slice(1))
    expect(lateChargesOf(facts, '2024-08-20')).toEqual([])
  })

  it('that was recorded twice, once in error, causes none for the month that the second paid', () => {
    const paid: Parameters<typeof loan>[1] = [
      ['2024-02-05', 10_201],
      ['2024-04-05', 10_201],
    ]
    expect(lateChargesOf(loan([takenBack('2024-02-05', '2024-04-12')], paid), '2024-04-12')).toEqual([])
  })

  it('month after month is computed at once, not in twice the time for each', () => {
    const long = { ...terms, instalments: 40 }
    const { rows } = loanStateAtEndOf(loan([], [], long), toDay('2024-01-05'))
    const back = rows
      .slice(0, 30)
      .map(({ dueDate, repaymentAmountPaise }) => takenBack(dueDate, addDays(dueDate, 20), repaymentAmountPaise))
    const charges = loanStateAtEndOf(loan(back, [], long), toDay('2026-08-31')).derivedCharges
    expect(charges.map(({ date }) => date).slice(0, 2)).toEqual(['2024-02-26', '2024-03-09'])
    expect(charges).toHaveLength(31)
  })

  it('of a part payment that paid what was due causes none either', () => {
    const part = { ...takenBack('2024-02-05', '2024-03-12', 20_000), isReversed: true }
    const purpose = 'PART_PAYMENT__REDUCE_EMI' as const
    const hold = { ...part, takenBack: { ...part.takenBack, purpose } }
    expect(lateChargesOf(loan([hold], [['2024-03-05', 10_201]]), '2024-03-12')).toEqual([])
  })

  it('a waived part of a charge that less than ₹1 would not raise leaves nothing owed', () => {
    const charge = chargeOf('late:2024-02-05', '2024-02-09', 500, {
      penal: true,
      waivedOn: toDay('2024-02-20'),
      waivedPaise: rupeesToPaise(200),
    })
    const facts = { ...loan([], [['2024-02-05', 10_200.5]]), charges: [charge] }
    expect(faultsIn(facts, toDay('2024-03-01'))).toEqual([])
    expect(loanStateAtEndOf(facts, toDay('2024-03-01')).duesPaise).toBe(50n)
  })
})
