import { describe, expect, it } from 'vitest'
import { toDay, type Day } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { loanStateAtEndOf } from './loan-state.ts'
import type { LoanFacts } from './loans.ts'
import { paiseToRupees, rupeesToPaise, zeroPaise, type Paise } from './money.ts'
import { faultsIn } from './referee-check.testing.ts'
import { disbursalRecordedOn, withDisbursal } from './tranches.ts'

const lateCharge = { graceDays: 3, amountPaise: rupeesToPaise(500) }

const withTranche = (facts: LoanFacts, ...tranche: [date: Day, amountPaise: Paise, recordedOn: Day]): LoanFacts =>
  withDisbursal(facts, disbursalRecordedOn(facts, ...tranche))

/** The state at the end of a day, on which the referee agrees. */
function stateOn(facts: LoanFacts, day: string) {
  expect(faultsIn(facts, toDay(day))).toEqual([])
  return loanStateAtEndOf(facts, toDay(day))
}

const billed = (facts: LoanFacts, day: string) =>
  stateOn(facts, day).rows.map(({ dueDate, repaymentAmountPaise, status }) => [dueDate, paiseToRupees(repaymentAmountPaise), status])

describe('a tranche that is recorded after instalments of later days were paid', () => {
  /** 5,00,000 at 11 % in 120 instalments of 6,888, all paid on their day until May. */
  const terms = termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-02-05', lateCharge })
  const paid = ['2026-02-05', '2026-03-05', '2026-04-05', '2026-05-05'].map((date): [string, number] => [date, 6_888])
  const before = { ...factsOf(terms, [['2026-01-05', 500_000]], paid), sanctionedPaise: rupeesToPaise(700_000) }
  const tranche = rupeesToPaise(200_000)
  const late = withTranche(before, toDay('2026-03-20'), tranche, toDay('2026-05-12'))

  it('leaves them as they were billed and paid: nothing is overdue, and no late charge arises', () => {
    expect(billed(late, '2026-05-12').slice(0, 4)).toEqual(billed(before, '2026-05-12').slice(0, 4))
    expect(stateOn(late, '2026-05-12')).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: 0n, derivedCharges: [] })
  })

  it('bears its interest since its day in the next one, and repays with an instalment computed from then', () => {
    const { rows } = stateOn(late, '2026-05-12')
    const [balance = 0] = rows.slice(3).map(({ closingBalancePaise }) => paiseToRupees(closingBalancePaise))
    expect(balance).toBeGreaterThan(680_000)
    const month = 0.11 / 12
    const sinceItsDay = 200_000 * month * (16 / 31) + 200_000 * month
    expect(paiseToRupees(rows[4]?.interestPaise ?? zeroPaise)).toBeCloseTo(balance * month + sinceItsDay, 1)
    const instalmentOf = (principal: number, left: number) => Math.ceil((principal * month) / (1 - (1 + month) ** -left))
    expect(rows[4]?.repaymentAmountPaise).toBe(rupeesToPaise(instalmentOf(balance, 116)))
    // What the interest left of the first one's principal is repaid over all after it.
    const after = instalmentOf(paiseToRupees(rows[4]?.closingBalancePaise ?? zeroPaise), 115)
    for (const row of rows.slice(5, -1)) expect(row.repaymentAmountPaise).toBe(rupeesToPaise(after))
    const last = paiseToRupees(rows.at(-1)?.repaymentAmountPaise ?? zeroPaise)
    expect([last <= after, last > after - 200]).toEqual([true, true])
    expect(rows).toHaveLength(120)
    expect(rows.at(-1)?.closingBalancePaise).toBe(0n)
  })

  it('bills those again that were not paid, and what is paid only after it was recorded', () => {
    const unpaid = withTranche({ ...before, payments: before.payments.slice(0, 3) }, toDay('2026-03-20'), tranche, toDay('2026-05-12'))
    const [april, may] = billed(unpaid, '2026-05-12').slice(2)
    expect(april).toEqual(['2026-04-05', 6_888, 'Paid'])
    expect(may?.[1]).toBeGreaterThan(9_000)
  })

  it('recorded on its day before anything was paid, it changes every instalment after it', () => {
    const inTime = withTranche({ ...before, payments: before.payments.slice(0, 2) }, toDay('2026-03-20'), tranche, toDay('2026-03-20'))
    expect(inTime.disbursals).toEqual([
      { date: '2026-01-05', amountPaise: rupeesToPaise(500_000) },
      { date: '2026-03-20', amountPaise: tranche },
    ])
  })
})

describe('a tranche on the day on which the next interest was paid ahead', () => {
  const terms = termsOf({
    annualRatePercent: 11,
    instalments: 120,
    firstDueDate: '2026-12-05',
    moratorium: { until: toDay('2026-11-05'), interest: 'paid' },
    lateCharge,
  })
  const paid: Parameters<typeof factsOf>[2] = [
    ['2026-04-05', 4_583.33],
    ['2026-04-25', 4_583.33, 'PAY_EMI'],
  ]
  const before = { ...factsOf(terms, [['2026-03-05', 500_000]], paid), sanctionedPaise: rupeesToPaise(700_000) }
  const facts = withTranche(before, toDay('2026-04-25'), rupeesToPaise(200_000), toDay('2026-04-25'))

  it('leaves it paid, and is billed with the interest after it', () => {
    const rows = billed(facts, '2026-05-09')
    expect(rows.slice(0, 2)).toEqual([
      ['2026-04-05', 4_583.33, 'Paid'],
      ['2026-05-05', 4_583.33, 'Paid'],
    ])
    // A month of 7,00,000, and ten days of thirty of 2,00,000.
    expect(rows[2]?.[1]).toBeCloseTo((700_000 * 0.11) / 12 + (200_000 * 0.11) / 12 / 3, 1)
    expect(stateOn(facts, '2026-05-09')).toMatchObject({ status: 'ACTIVE', duesPaise: 0n, derivedCharges: [] })
  })
})

describe('a tranche that is recorded on its day', () => {
  it('bills interest also of months that had been ₹0 since a part payment', () => {
    const terms = termsOf({ annualRatePercent: 12, instalments: 36, firstDueDate: '2026-02-05', principalGraceInstalments: 12 })
    const paid: Parameters<typeof factsOf>[2] = [
      ['2026-02-05', 1_000],
      ['2026-02-06', 1_000, 'PAY_EMI'],
      ['2026-02-08', 90_000, 'PART_PAYMENT__REDUCE_EMI'],
    ]
    const before = { ...factsOf(terms, [['2026-01-05', 100_000]], paid), sanctionedPaise: rupeesToPaise(1_000_000) }
    expect(billed(before, '2026-02-10')[2]).toEqual(['2026-04-05', 0, 'Paid'])
    const facts = withTranche(before, toDay('2026-02-10'), rupeesToPaise(500_000), toDay('2026-02-10'))
    expect(billed(facts, '2026-02-10').slice(1, 5)).toEqual([
      ['2026-03-05', 1_000, 'Paid'],
      ['2026-04-05', 8_403.57, 'Due'],
      ['2026-05-05', 5_100, 'Due'],
      ['2026-06-05', 5_100, 'Due'],
    ])
  })
})

describe('an instalment that a rate reset gave', () => {
  it('stays agreed where a tranche of an earlier day is recorded after it was paid', () => {
    const terms = termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-02-05' })
    const paid: Parameters<typeof factsOf>[2] = [
      ...['2026-02-05', '2026-03-05', '2026-04-05', '2026-05-05'].map((date): [string, number] => [date, 6_888]),
      ['2026-05-20', 20_000, 'PART_PAYMENT__REDUCE_EMI'],
      ['2026-06-05', 9_000],
    ]
    const given = rupeesToPaise(9_000)
    const rateChanges = [{ date: toDay('2026-04-10'), annualRatePpb: 115_000_000, keep: 'both' as const, instalmentPaise: given }]
    const before = { ...factsOf(terms, [['2026-01-05', 500_000]], paid, { rateChanges }), sanctionedPaise: rupeesToPaise(700_000) }
    const late = withTranche(before, toDay('2026-03-20'), rupeesToPaise(100_000), toDay('2026-06-12'))
    const { rows } = stateOn(late, '2026-06-12')
    // The tenor that the instalment of 9,000 needs, not the agreed 120.
    expect([rows[4]?.repaymentAmountPaise, rows.length]).toEqual([given, 109])
  })
})

describe('a tranche of a loan whose plan was changed or ended before it was recorded', () => {
  const terms = termsOf({ annualRatePercent: 11, instalments: 12, firstDueDate: '2026-02-05', lateCharge })
  const emis = ['2026-02-05', '2026-03-05', '2026-04-05', '2026-05-05'].map((date): [string, number] => [date, 8_839])
  const before = (payments: Parameters<typeof factsOf>[2], more: Partial<LoanFacts> = {}): LoanFacts => ({
    ...factsOf(terms, [['2026-01-05', 100_000]], payments, more),
    sanctionedPaise: rupeesToPaise(500_000),
  })
  const late = (facts: LoanFacts) => withTranche(facts, toDay('2026-03-20'), rupeesToPaise(20_000), toDay('2026-05-12'))
  const billsFrom = (facts: LoanFacts, row: number) =>
    billed(facts, '2026-05-12')
      .slice(row)
      .map(([, amount]) => amount)

  it('keeps the instalment where a part payment reduced the tenor', () => {
    const facts = late(before([...emis.slice(0, 3), ['2026-04-20', 30_000, 'PART_PAYMENT__REDUCE_TENOR'], ...emis.slice(3)]))
    expect(billsFrom(facts, 3)).toEqual([8_839, 11_164, 11_164, 11_164, 11_164, 11_164, 3_900.86])
  })

  it('keeps the instalment where a rate reset keeps it, and the tenor grows', () => {
    const reset = { date: toDay('2026-04-20'), annualRatePpb: 140_000_000, keep: 'instalment' as const }
    const bills = billsFrom(late(before(emis, { rateChanges: [reset] })), 3)
    expect([bills.slice(0, -1), bills.length]).toEqual([[8_839, ...Array.from({ length: 8 }, () => 11_164)], 10])
  })

  it('bills in instalments what a payoff had not repaid: the payoff is no bill', () => {
    const facts = before([...emis.slice(0, 3), ['2026-04-15', 76_300, 'FORECLOSURE']])
    expect(stateOn(facts, '2026-05-12').status).toBe('CLOSED')
    expect(
      late(facts)
        .disbursals.at(-1)
        ?.keptRows?.map(({ dueDate }) => dueDate),
    ).toEqual(['2026-04-05'])
  })

  it('leaves a month of ₹0 as it was once it is over, and bills those still to come', () => {
    const grace = termsOf({ annualRatePercent: 12, instalments: 36, firstDueDate: '2026-02-05', principalGraceInstalments: 12, lateCharge })
    const paid: Parameters<typeof factsOf>[2] = [
      ['2026-02-05', 1_000],
      ['2026-02-06', 1_000, 'PAY_EMI'],
      ['2026-02-08', 90_000, 'PART_PAYMENT__REDUCE_EMI'],
    ]
    const facts = { ...factsOf(grace, [['2026-01-05', 100_000]], paid), sanctionedPaise: rupeesToPaise(1_000_000) }
    const recorded = withTranche(facts, toDay('2026-03-10'), rupeesToPaise(500_000), toDay('2026-04-12'))
    expect(billed(recorded, '2026-04-12').slice(2, 3)).toEqual([['2026-04-05', 0, 'Paid']])
    expect(stateOn(recorded, '2026-04-12')).toMatchObject({ status: 'ACTIVE', dpd: 0, derivedCharges: [] })
  })
})
