import { afterEach, describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import { dayNumber, toDay } from './calendar.ts'
import { chargeOf, factsOf, termsOf } from './facts.testing.ts'
import {
  assertAdjustment,
  assertAllocation,
  assertAscending,
  assertBalancesAfterFact,
  assertCharges,
  assertInvariant,
  assertForeclosureParts,
  assertPeriod,
  assertQuote,
  assertBalancesAfterReplay,
  assertSchedule,
  InvariantViolation,
  onViolation,
  type ReportedViolation,
} from './invariants.ts'
import type { LoanReplay, ReplayRow } from './replay-state.ts'
import { loanPlanAtEndOf, loanStateAtEndOf, loanStateDuring, loanStateQuoted, loanStateToPost } from './loan-state.ts'
import { zeroPaise } from './money.ts'
import { projectSchedule, replayLoan } from './replay.ts'
import { addLine, noLines } from './allocation.ts'

const terms = termsOf({ annualRatePercent: 12, instalments: 12, firstDueDate: '2026-02-05' })
const facts = factsOf(terms, [['2026-01-05', 120_000]], [['2026-02-05', 10_662]], { charges: [chargeOf('c1', '2026-02-10', 500)] })
const today = dayNumber(toDay('2026-03-20'))

/** A correct replay of a loan with one instalment paid and one overdue, and its whole schedule. */
function projected(): LoanReplay {
  const loan = replayLoan(facts, today)
  projectSchedule(loan, today)
  return loan
}
describe('an invariant', () => {
  it('names its rule and the figure', () => {
    expect(() => assertInvariant(true, 'a rule')).not.toThrow()
    expect(() => assertInvariant(false, 'a rule')).toThrow(new InvariantViolation('a rule'))
    expect(() => assertInvariant(false, 'a rule', -1)).toThrow('a rule: -1')
  })
})

describe('balances', () => {
  it('of a correct replay pass', () => expect(() => assertBalancesAfterFact(replayLoan(facts, today))).not.toThrow())
  it.each([
    [assertBalancesAfterFact, 'unbilled', 'unbilled principal is negative'],
    [assertBalancesAfterFact, 'unpaidPrincipal', 'unpaid principal is negative'],
    [assertBalancesAfterFact, 'openRowPaidPrincipal', 'principal paid ahead is negative'],
    [assertBalancesAfterFact, 'credit', 'credit is negative'],
    [assertBalancesAfterReplay, 'held', 'held money is negative'],
    [assertBalancesAfterReplay, 'accrued', 'accrued interest is negative'],
    [assertBalancesAfterReplay, 'openRowPaidInterest', 'interest paid ahead is negative'],
    [assertBalancesAfterReplay, 'prepaidRowsPrincipal', 'principal of rows paid ahead is negative'],
    [assertBalancesAfterReplay, 'refundShort', 'the shortfall of refunds is negative'],
  ] as const)('by %o: %s is neither negative nor NaN', (assertion, balance, rule) => {
    const loan = replayLoan(facts, today)
    expect(() => assertion(loan)).not.toThrow()
    for (const wrong of [-1, Number.NaN])
      expect(() => assertion({ ...loan, [balance]: wrong })).toThrow(new InvariantViolation(`${rule}: ${wrong}`))
  })
  it('may be zero: only the one that is negative is named', () => {
    const nothing = { ...replayLoan(facts, today), unbilled: 0, unpaidPrincipal: 0, openRowPaidPrincipal: 0 }
    expect(() => assertBalancesAfterFact({ ...nothing, credit: -1 })).toThrow('credit is negative: -1')
  })
  it('have no more principal paid ahead than is unbilled', () => {
    const loan = replayLoan(facts, today)
    expect(() => assertBalancesAfterFact({ ...loan, openRowPaidPrincipal: loan.unbilled + 1 })).toThrow('paid ahead than is unbilled')
  })
  it('stay within the exact range', () => {
    for (const balance of ['disbursed', 'unbilled', 'unpaidPrincipal', 'accrued', 'credit', 'held'])
      expect(() => assertBalancesAfterReplay({ ...replayLoan(facts, today), [balance]: 2 ** 53 })).toThrow('exact range')
  })
})

describe('the order of days', () => {
  it('ascends, several facts on one day included', () => {
    expect(() => assertAscending(5, 5)).not.toThrow()
    expect(() => assertAscending(5, 4)).toThrow('earlier one: 4')
  })
  it('lets no period be empty', () => {
    expect(() => assertPeriod(5, 6)).not.toThrow()
    expect(() => assertPeriod(5, 5)).toThrow('no later than it begins: 5')
  })
  it('lets no period end after every schedule', () => {
    const end = dayNumber('2300-01-01' as Day)
    expect(() => assertPeriod(5, end)).not.toThrow()
    expect(() => assertPeriod(5, end + 1)).toThrow(`after every schedule: ${end + 1}`)
  })
})

describe('the schedule', () => {
  const third = (loan: LoanReplay): ReplayRow => loan.rows[2] as ReplayRow
  it('of a correct replay passes', () => expect(() => assertSchedule(projected())).not.toThrow())
  it.each<[rule: string, spoil: (loan: LoanReplay) => void]>([
    ['have a gap: 4', (loan) => (third(loan).number = 4)],
    ['have a gap: 4', (loan) => loan.rows.splice(2, 1)],
    ['due dates do not ascend: instalment 3', (loan) => (third(loan).due = loan.rows[1]?.due ?? 0)],
    ['interest or principal is negative: instalment 3', (loan) => (third(loan).interest = -1)],
    ['interest or principal is negative: instalment 3', (loan) => (third(loan).principal = -1)],
    ['paid interest is negative or exceeds the interest: instalment 3', (loan) => (third(loan).paidInterest = third(loan).interest + 1)],
    ['paid interest is negative or exceeds the interest: instalment 3', (loan) => (third(loan).paidInterest = -1)],
    [
      'paid principal is negative or exceeds the principal: instalment 3',
      (loan) => (third(loan).paidPrincipal = third(loan).principal + 1),
    ],
    ['paid principal is negative or exceeds the principal: instalment 3', (loan) => (third(loan).paidPrincipal = -1)],
    ['the closing balance is negative: instalment 3', (loan) => (third(loan).closingBalance = -1)],
    ['do not sum to the principal lent: 12000000', (loan) => (third(loan).principal += 1)],
    ['do not sum to the principal lent: 12000000', (loan) => (loan.unbilled += 1)],
    ['do not sum to the unpaid principal', (loan) => (loan.unpaidPrincipal += 1)],
    ['exceeds the exact range', (loan) => (third(loan).interest = 2 ** 53)],
  ])('%s', (rule, spoil) => {
    const loan = projected()
    spoil(loan)
    expect(() => assertSchedule(loan)).toThrow(rule)
  })
})

describe('charges', () => {
  it('are settled up to their amount', () => {
    const loan = projected()
    expect(() => assertCharges(loan)).not.toThrow()
    for (const change of [{ paid: -1 }, { waived: -1 }, { paid: 1, waived: 50_000 }])
      expect(() => assertCharges({ ...loan, charges: loan.charges.map((charge) => ({ ...charge, ...change })) })).toThrow('its amount: c1')
  })
})

describe('parts', () => {
  it('of a payment sum to the payment', () => {
    const loan = projected()
    const lines = noLines()
    addLine(lines, 'interest', loan.rows[0] ?? null, null, 30)
    addLine(lines, 'charge', null, 'c1', 70)
    expect(() => assertAllocation(lines.sum, 100)).not.toThrow()
    for (const amount of [99, 101]) expect(() => assertAllocation(lines.sum, amount)).toThrow(`do not sum to the payment: ${amount}`)
  })
  it('of money moved inside the loan sum to zero, those of a waiver to more', () => {
    for (const reason of ['credit_used', 'interest_rebated'] as const) {
      expect(() => assertAdjustment(reason, 0)).not.toThrow()
      expect(() => assertAdjustment(reason, -1)).toThrow(`the lines of an adjustment have a wrong sum: ${reason}`)
    }
    for (const reason of ['interest_waived', 'foreclosure_waive', 'late_charge_within_quote'] as const) {
      expect(() => assertAdjustment(reason, 5)).not.toThrow()
      expect(() => assertAdjustment(reason, 0)).toThrow('wrong sum')
    }
  })
  it('of a foreclosure sum to its amount', () => {
    expect(() => assertForeclosureParts(100, 100)).not.toThrow()
    expect(() => assertForeclosureParts(100, 101)).toThrow('do not sum to its amount: 101')
  })
  it('of a quote sum to it', () => {
    expect(() => assertQuote([{ amountPaise: 60n }, { amountPaise: 40n }], 100n)).not.toThrow()
    expect(() => assertQuote([{ amountPaise: 60n }], 100n)).toThrow('do not sum to it: 100')
  })
})

describe('a loan whose figures violate an invariant', () => {
  // 1000 % a year on ₹4 lakh crore, unpaid for more than a century: more interest than a double
  // holds exactly.
  const huge = {
    ...factsOf(termsOf({ annualRatePercent: 1000, instalments: 1, firstDueDate: '1900-02-05', interest: 'actual_365' }), [
      ['1900-01-05', 4_000_000_000_000],
    ]),
    loanNumber: 'L-1',
  }
  const day = toDay('2026-11-20')
  afterEach(() => onViolation(() => {}))

  it('is refused where something is written from it', () => {
    expect(() => loanStateToPost(huge, day)).toThrow(InvariantViolation)
  })

  it('is shown as UNKNOWN with the violation as its reason, and reported', () => {
    const reported: ReportedViolation[] = []
    onViolation((violation) => reported.push(violation))
    for (const state of [loanStateDuring(huge, day), loanStateQuoted(huge, day, toDay('2026-11-19')), loanStateAtEndOf(huge, day)]) {
      expect(state).toMatchObject({ status: 'UNKNOWN', rows: [], disbursedPaise: 400_000_000_000_000n, duesPaise: zeroPaise })
      expect(state.violation).toContain('exact range of numbers')
      expect(state.allowed.partPayment.maxPaise).toBe(zeroPaise)
    }
    expect(reported).toHaveLength(3)
    expect(reported[0]).toEqual({ loanNumber: 'L-1', violation: expect.stringContaining('exact range') })
  })

  it('is shown as it is where its agreed schedule is computed, which violates nothing', () => {
    expect(loanPlanAtEndOf(huge, day)).toMatchObject({ status: 'OVERDUE' })
  })
})
