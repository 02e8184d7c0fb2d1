import { describe, expect, it } from 'vitest'
import { toDay, type Day } from './calendar.ts'
import { explain } from './explain.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
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

  it('leaves them also where a charge of one of them is unpaid: a charge is no bill', () => {
    const paidLateInApril = paid.map(([day, amount]): [string, number] => [day === '2026-04-05' ? '2026-04-15' : day, amount])
    const bounced = { charges: [chargeOf('bounce', '2026-04-10', 250)] }
    for (const [facts, duesPaise] of [
      [factsOf(terms, [['2026-01-05', 500_000]], paidLateInApril), rupeesToPaise(500)],
      [factsOf(terms, [['2026-01-05', 500_000]], paid, bounced), rupeesToPaise(250)],
    ] as const) {
      const owing = { ...facts, sanctionedPaise: rupeesToPaise(700_000) }
      const after = withTranche(owing, toDay('2026-03-20'), tranche, toDay('2026-05-12'))
      expect(billed(after, '2026-05-12').slice(0, 4)).toEqual(billed(before, '2026-05-12').slice(0, 4))
      expect(stateOn(after, '2026-05-12')).toMatchObject({ dpd: 0, duesPaise })
    }
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

  it('explains a bill that stays by itself, also where its payment is taken back', () => {
    const ahead: Parameters<typeof factsOf>[2] = [
      ['2026-02-05', 6_888],
      ['2026-03-05', 6_888],
      ['2026-03-25', 6_888, 'PAY_EMI'],
      ['2026-03-25', 6_888, 'PAY_EMI'],
    ]
    const paidAhead = withTranche(
      { ...factsOf(terms, [['2026-01-05', 500_000]], ahead), sanctionedPaise: rupeesToPaise(700_000) },
      toDay('2026-03-20'),
      tranche,
      toDay('2026-03-26'),
    )
    const explained = explain({ ...paidAhead, payments: paidAhead.payments.slice(0, 3) }, toDay('2026-04-10'), { figure: 'instalment' })
    expect(explained?.amountPaise).toBe(rupeesToPaise(6_888))
    expect(explained?.steps.map(({ step }) => step)).toEqual(['interest', 'interest_set_right', 'principal'])
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

  it('has the tenor reduced by a part payment that asked for it, and not the instalment', () => {
    const facts = late(before([...emis.slice(0, 3), ['2026-04-20', 30_000, 'PART_PAYMENT__REDUCE_TENOR'], ...emis.slice(3)]))
    expect(billsFrom(late(before(emis)), 3).slice(0, 3)).toEqual([8_839, 11_442, 11_484])
    expect(billsFrom(facts, 3)).toEqual([8_839, 11_425, 11_425, 11_425, 11_425, 11_425, 2_559.54])
  })

  it('has the instalment that it has without a rate reset that keeps it, and the tenor grows', () => {
    const reset = { date: toDay('2026-04-20'), annualRatePpb: 140_000_000, keep: 'instalment' as const }
    const bills = billsFrom(late(before(emis, { rateChanges: [reset] })), 3)
    expect([bills.slice(0, -1), bills.length]).toEqual([[8_839, ...Array.from({ length: 8 }, () => 11_455)], 10])
  })

  const payoff = before([...emis.slice(0, 3), ['2026-04-15', 76_300, 'FORECLOSURE']])
  it('bills in instalments what a payoff had not repaid, none of them before it was recorded', () => {
    expect(stateOn(payoff, '2026-05-12').status).toBe('CLOSED')
    const facts = late(payoff)
    // A payoff that was too small leaves the instalment as it was (decision 54).
    expect(billsFrom(facts, 2)).toEqual([8_839, 0, 12_503, 7_973.1])
    expect(stateOn(facts, '2026-05-12')).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: 0n, derivedCharges: [] })
  })

  it('does the same where a charge came after the payoff, so that the loan is not closed', () => {
    const charged = { ...payoff, charges: [chargeOf('bounce', '2026-04-25', 250)] }
    expect(stateOn(charged, '2026-05-12').status).toBe('ACTIVE')
    expect(billsFrom(late(charged), 2)).toEqual([8_839, 0, 12_503, 7_973.1])
  })

  it('bills after its last instalment what a loan of four rows had repaid by its own instalments', () => {
    const short = termsOf({ annualRatePercent: 11, instalments: 4, firstDueDate: '2026-02-05', lateCharge })
    const paid = ['2026-02-05', '2026-03-05', '2026-04-05'].map((date): [string, number] => [date, 25_576])
    const facts = {
      ...factsOf(short, [['2026-01-05', 100_000]], [...paid, ['2026-05-05', 25_574.1]]),
      sanctionedPaise: rupeesToPaise(500_000),
    }
    expect(stateOn(facts, '2026-05-12').status).toBe('CLOSED')
    const recorded = late(facts)
    expect(billed(recorded, '2026-05-12').slice(2, 4)).toEqual([
      ['2026-04-05', 25_576, 'Paid'],
      ['2026-05-05', 25_574.1, 'Paid'],
    ])
    expect(billed(recorded, '2026-05-12')[4]?.slice(0, 1)).toEqual(['2026-06-05'])
    expect(stateOn(recorded, '2026-05-12')).toMatchObject({ status: 'ACTIVE', dpd: 0, derivedCharges: [] })
  })

  it('bills nothing before it was recorded, however much later that is', () => {
    const muchLater = withTranche(payoff, toDay('2026-03-20'), rupeesToPaise(20_000), toDay('2026-12-12'))
    expect(stateOn(muchLater, '2026-12-12')).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: 0n, derivedCharges: [] })
    const rows = billed(muchLater, '2026-12-12').slice(2)
    expect(rows.slice(0, 10)).toEqual([
      ['2026-04-05', 8_839, 'Paid'],
      ...['05', '06', '07', '08', '09', '10', '11', '12'].map((month) => [`2026-${month}-05`, 0, 'Paid']),
      ['2027-01-05', expect.any(Number), 'Due'],
    ])
  })

  it('leaves a bill of which less than ₹1 was not paid', () => {
    const almost = late(before([...emis.slice(0, 3), ['2026-05-05', 8_838.5]]))
    expect(almost.disbursals.at(-1)?.keptRows?.map(({ dueDate }) => dueDate)).toEqual(['2026-04-05', '2026-05-05'])
    expect(stateOn(almost, '2026-05-12')).toMatchObject({ duesPaise: 50n, derivedCharges: [] })
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

describe('the last instalment, whatever else changed the plan while bills were kept', () => {
  const terms = termsOf({ annualRatePercent: 11, instalments: 120, firstDueDate: '2026-02-05', lateCharge })
  const months = ['02', '03', '04', '05', '06', '07', '08', '09', '10']
  const recordedAfter = (paid: number) => toDay(`2026-${months[paid - 1] ?? '02'}-12`)
  const emis = (paid: number) => months.slice(0, paid).map((month): [string, number] => [`2026-${month}-05`, 6_888])
  const tenorReduced = (date: string, rupees: number, paid: number) => {
    const payments = [...emis(paid), [date, rupees, 'PART_PAYMENT__REDUCE_TENOR'] as [string, number, 'PART_PAYMENT__REDUCE_TENOR']]
    return factsOf(
      terms,
      [['2026-01-05', 500_000]],
      payments.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    )
  }
  const rateReset = (date: string, paid: number) =>
    factsOf(terms, [['2026-01-05', 500_000]], emis(paid), {
      rateChanges: [{ date: toDay(date), annualRatePpb: 115_000_000, keep: 'instalment' }],
    })

  it.each([
    ['a part payment of ₹1,000 in the month after', 4, tenorReduced('2026-05-20', 1_000, 4)],
    ['a part payment of ₹1,000 before it was recorded', 4, tenorReduced('2026-04-20', 1_000, 4)],
    ['a part payment of ₹50,000 before it was recorded', 4, tenorReduced('2026-04-20', 50_000, 4)],
    ['a part payment of ₹1,000 after seven months', 9, tenorReduced('2026-10-20', 1_000, 9)],
    ['a rate reset after its day that keeps the instalment', 4, rateReset('2026-03-25', 4)],
    ['the same, recorded after three months', 6, rateReset('2026-03-25', 6)],
    ['the same, recorded after six months', 9, rateReset('2026-03-25', 9)],
    ['a rate reset between kept bills', 9, rateReset('2026-04-20', 9)],
    ['a rate reset in the month of its recording', 4, rateReset('2026-05-10', 4)],
  ])('is not above the others: %s', (_why, paid, facts) => {
    const sanctioned = { ...facts, sanctionedPaise: rupeesToPaise(700_000) }
    const known = { ...sanctioned, payments: sanctioned.payments.filter(({ date }) => date <= recordedAfter(paid)) }
    const disbursal = disbursalRecordedOn(known, toDay('2026-03-20'), rupeesToPaise(200_000), recordedAfter(paid))
    expect(disbursal.keptRows).toHaveLength(paid - 2)
    const rows = stateOn(withDisbursal(sanctioned, disbursal), '2026-10-25').rows.slice(paid)
    const bills = rows.map(({ repaymentAmountPaise }) => paiseToRupees(repaymentAmountPaise))
    const [makesUp = 0, ...rest] = bills
    expect(rest.at(-1)).toBeLessThanOrEqual(rest[0] ?? 0)
    expect(new Set(rest.slice(0, -1)).size).toBeLessThanOrEqual(2)
    expect(makesUp).toBeGreaterThan(9_600)
  })
})
