import { describe, expect, it } from 'vitest'
import { toDay } from './calendar.ts'
import { factsOf, termsOf } from './facts.testing.ts'
import { billsKeptWithout, withKeptBills } from './kept-bills.ts'
import { loanStateDuring, loanStateToPost } from './loan-state.ts'
import type { LoanFacts, LoanState, LoanTerms, ReceivedPayment } from './loans.ts'
import { rupeesToPaise, zeroPaise } from './money.ts'
import { Referee } from './referee.testing.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 60, firstDueDate: '2026-02-05' })
const today = toDay('2026-06-20')
const dueDates = ['2026-02-05', '2026-03-05', '2026-04-05', '2026-05-05', '2026-06-05'].map(toDay)
const prepaid = (purpose: ReceivedPayment['purpose']): ReceivedPayment => ({
  paymentId: 'wrong-loan',
  date: toDay('2026-01-10'),
  amountPaise: rupeesToPaise(200_000),
  purpose,
})

/** A loan of ₹6,00,000 with each due date paid to the paisa after the payment. */
function paidAsBilled(payment: ReceivedPayment | null, more: Partial<LoanTerms> = {}): LoanFacts {
  const facts = factsOf({ ...terms, ...more }, [['2026-01-05', 600_000]])
  return dueDates.reduce<LoanFacts>(
    (known, date) => {
      const { duesPaise } = loanStateDuring(known, date)
      return { ...known, payments: [...known.payments, { paymentId: date, date, amountPaise: duesPaise, purpose: null }] }
    },
    { ...facts, payments: payment === null ? [] : [payment] },
  )
}

function takeBack(facts: LoanFacts, payment: ReceivedPayment): LoanFacts {
  const others = { ...facts, payments: facts.payments.filter((other) => other !== payment) }
  const bills = billsKeptWithout(facts, payment, today)
  return bills === null ? others : withKeptBills(others, bills)
}

const billsOf = ({ rows }: LoanState) => rows.slice(0, 5).map(({ repaymentAmountPaise, status }) => [repaymentAmountPaise, status])
const rowOf = (state: LoanState, index: number) => state.rows[index]?.repaymentAmountPaise

describe('a part payment that is taken back', () => {
  it('leaves the instalments as they were billed and paid; the difference is in the open one', () => {
    const payment = prepaid('PART_PAYMENT__REDUCE_EMI')
    const before = paidAsBilled(payment)
    const after = takeBack(before, payment)
    const state = loanStateDuring(after, today)
    expect(billsOf(state)).toEqual(billsOf(loanStateDuring(before, today)))
    expect(state).toMatchObject({ status: 'ACTIVE', dpd: 0, duesPaise: zeroPaise })
    // Five months of the interest of ₹2,00,000, and the months' own, which leave no principal.
    expect(rowOf(state, 5)).toBe(rupeesToPaise(15_388.41))
    expect(rowOf(state, 6)).toBe(rupeesToPaise(13_739))
    expect(rowOf(state, 59)).toBe(rupeesToPaise(13_716.83))
    expect(new Referee(after).state(today).rows.map(({ interest, principal }) => interest + principal)).toEqual(
      state.rows.map((row) => row.repaymentAmountPaise),
    )
  })

  it('leaves instalments of interest as they were billed', () => {
    const payment = prepaid('PART_PAYMENT__REDUCE_EMI')
    const after = takeBack(paidAsBilled(payment, { moratorium: { until: toDay('2027-01-05'), interest: 'paid' } }), payment)
    const state = loanStateDuring(after, today)
    expect(state).toMatchObject({ status: 'ACTIVE', duesPaise: zeroPaise })
    expect([4, 5, 6].map((index) => rowOf(state, index))).toEqual([4_000, 15_677.42, 6_000].map(rupeesToPaise))
  })

  it('keeps nothing where it changed no amount: the months that it saved come again', () => {
    const payment = prepaid('PART_PAYMENT__REDUCE_TENOR')
    const after = takeBack(paidAsBilled(payment), payment)
    expect(after.keptBills).toBeUndefined()
    expect(loanStateDuring(after, today)).toMatchObject({ status: 'ACTIVE', duesPaise: zeroPaise, instalmentsDue: 55 })
  })

  it('keeps no bill that other payments do not pay in full', () => {
    const payment = prepaid('PART_PAYMENT__REDUCE_EMI')
    const paid = paidAsBilled(payment)
    const facts = { ...paid, payments: paid.payments.slice(0, -1) }
    expect(billsKeptWithout(facts, payment, today)?.rows.map(({ dueDate }) => dueDate)).toEqual(dueDates.slice(0, 4))
  })
})

it('an instalment whose payment is taken back is unpaid, and no bill changes', () => {
  const facts = paidAsBilled(null)
  const [, march] = facts.payments
  const after = takeBack(facts, march!)
  expect(after.keptBills).toBeUndefined()
  expect(loanStateDuring(after, today)).toMatchObject({ status: 'OVERDUE', duesPaise: rupeesToPaise(13_347) })
})

it('after a payoff that bounced, the instalments since are due', () => {
  const facts = factsOf(terms, [['2026-01-05', 600_000]], [['2026-01-20', 603_000, 'FORECLOSURE']])
  expect(loanStateToPost(facts, today).status).toBe('CLOSED')
  const after = takeBack(facts, facts.payments[0]!)
  expect(after.keptBills).toBeUndefined()
  expect(loanStateDuring(after, today).duesPaise).toBe(rupeesToPaise(5 * 13_347))
})
