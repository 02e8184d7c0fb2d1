import { describe, expect, it } from 'vitest'
import type { Day } from './calendar.ts'
import { addDays } from './calendar.ts'
import { loanStateAtEndOf, loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanState, PaymentAllocation } from './loans.ts'
import { randomLoan } from './random-loan.testing.ts'
import type { RefereeState } from './referee.testing.ts'
import { Referee } from './referee.testing.ts'

const firstSeed = 20_261_120
const cases = Number(process.env['KIST_REFEREE_CASES'] ?? 400)

const sumOf = (allocation: PaymentAllocation, component: string): bigint => allocation.lines.reduce((sum, line) => (line.component === component ? sum + line.amountPaise : sum), 0n)

/** What the engine says, in the referee's words. */
function engineSays(state: LoanState): Omit<RefereeState, 'payoff'> {
  return {
    rows: state.rows.map((row) => ({ due: row.dueDate, interest: row.interestPaise, principal: row.principalPaise, closing: row.closingBalancePaise, paidInterest: row.paidInterestPaise, paidPrincipal: row.paidPrincipalPaise })),
    dues: state.duesPaise,
    dpd: state.dpd,
    credit: state.creditPaise,
    outstanding: state.principalOutstandingPaise,
    payments: state.allocations.map((allocation) => ({
      paymentId: allocation.paymentId,
      interest: sumOf(allocation, 'interest'),
      principal: sumOf(allocation, 'principal'),
      charges: sumOf(allocation, 'charge'),
      excess: sumOf(allocation, 'excess'),
    })),
  }
}

function refereeSays(facts: LoanFacts, day: Day, overdueFrom: Day): Omit<RefereeState, 'payoff'> & { payoff?: bigint } {
  const { payoff: _payoff, ...state } = new Referee(facts).state(day, overdueFrom)
  return { ...state, rows: state.rows.map(({ due, interest, principal, closing, paidInterest, paidPrincipal }) => ({ due, interest, principal, closing, paidInterest, paidPrincipal })) }
}

/** A payment that forecloses settles everything at once; the two name its parts differently, so its parts are compared as one. */
function comparable<State extends Omit<RefereeState, 'payoff'>>(facts: LoanFacts, state: State): State {
  const foreclosing = new Set(facts.payments.filter(({ purpose }) => purpose === 'FORECLOSURE').map(({ paymentId }) => paymentId))
  const payments = state.payments.map((payment) => (foreclosing.has(payment.paymentId) ? { ...payment, interest: 0n, charges: 0n, principal: payment.interest + payment.principal + payment.charges } : payment))
  return { ...state, payments }
}

describe(`referee: ${cases} random loans from seed ${firstSeed}`, () => {
  it('agrees with the engine to the paisa', () => {
    for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
      const { facts, last } = randomLoan(seed, 12)
      const state = loanStateAtEndOf(facts, last)
      expect({ seed, ...comparable(facts, engineSays(state)) }).toEqual({ seed, ...comparable(facts, refereeSays(facts, last, last)) })
      expect({ seed, dpd: loanStateDuring(facts, last).dpd }).toEqual({ seed, dpd: new Referee(facts).state(last, addDays(last, -1)).dpd })
      if (state.allowed.foreclosure !== null) expect({ seed, payoff: state.allowed.foreclosure.amountPaise }).toEqual({ seed, payoff: new Referee(facts).state(last, last).payoff })
    }
  }, 120_000)
})
