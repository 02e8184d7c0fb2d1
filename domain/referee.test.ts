import { describe, expect, it } from 'vitest'
import { addDays } from './calendar.ts'
import { loanStateAtEndOf, loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanState, PaymentAllocation } from './loans.ts'
import { randomLoan } from './random-loan.testing.ts'
import type { RefereeState } from './referee.testing.ts'
import { Referee } from './referee.testing.ts'

const firstSeed = 20_261_120
const cases = Number(process.env['KIST_REFEREE_CASES'] ?? 300)

const sumOf = (allocation: PaymentAllocation, component: string): bigint =>
  allocation.lines.reduce((sum, line) => (line.component === component ? sum + line.amountPaise : sum), 0n)

/** What the engine says, in the referee's words. */
function engineSays(state: LoanState): Omit<RefereeState, 'payoff'> {
  return {
    rows: state.rows.map((row) => ({
      due: row.dueDate,
      interest: row.interestPaise,
      principal: row.principalPaise,
      closing: row.closingBalancePaise,
      paidInterest: row.paidInterestPaise,
      paidPrincipal: row.paidPrincipalPaise,
    })),
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

function refereeSays({ rows, dues, dpd, credit, outstanding, payments }: RefereeState): Omit<RefereeState, 'payoff'> {
  const shown = rows.map(({ due, interest, principal, closing, paidInterest, paidPrincipal }) => ({
    due,
    interest,
    principal,
    closing,
    paidInterest,
    paidPrincipal,
  }))
  return { rows: shown, dues, dpd, credit, outstanding, payments }
}

/** A payment that forecloses settles everything at once; the two name its parts differently, so its parts are compared as one. */
function comparable<State extends Omit<RefereeState, 'payoff'>>(facts: LoanFacts, state: State): State {
  const foreclosing = new Set(facts.payments.filter(({ purpose }) => purpose === 'FORECLOSURE').map(({ paymentId }) => paymentId))
  const payments = state.payments.map((payment) =>
    foreclosing.has(payment.paymentId)
      ? { ...payment, interest: 0n, charges: 0n, principal: payment.interest + payment.principal + payment.charges }
      : payment,
  )
  return { ...state, payments }
}

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry))

describe(`referee: ${cases} random loans from seed ${firstSeed}`, () => {
  it('agrees with the engine to the paisa', () => {
    for (let seed = firstSeed; seed < firstSeed + cases; seed += 1) {
      const { facts, last } = randomLoan(seed)
      const state = loanStateAtEndOf(facts, last)
      const referee = new Referee(facts).state(last, last)
      const says = comparable(facts, { ...engineSays(state), payoff: state.allowed.foreclosure?.amountPaise ?? null })
      const payoff = state.allowed.foreclosure === null ? null : referee.payoff
      const expected = comparable(facts, { ...refereeSays(referee), payoff })
      // Compared as text first, which is many times faster; the difference is worth showing only where there is one.
      expect(asText(says) === asText(expected) ? seed : { seed, ...says }).toEqual(
        asText(says) === asText(expected) ? seed : { seed, ...expected },
      )
    }
  }, 120_000)

  it('agrees on days past due during a day', () => {
    for (let seed = firstSeed; seed < firstSeed + cases / 10; seed += 1) {
      const { facts, last } = randomLoan(seed)
      expect({ seed, dpd: loanStateDuring(facts, last).dpd }).toEqual({ seed, dpd: new Referee(facts).state(last, addDays(last, -1)).dpd })
    }
  }, 120_000)
})
