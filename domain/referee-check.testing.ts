import type { Day } from './calendar.ts'
import { loanStateAtEndOf, loanStateDuring } from './loan-state.ts'
import type { LoanFacts, LoanState, PaymentAllocation } from './loans.ts'
import { isWaiver } from './loans.ts'
import { randomLoan } from './random-loan.testing.ts'
import type { RefereeState } from './referee.testing.ts'
import { Referee } from './referee.testing.ts'

const sumOf = (allocation: PaymentAllocation, component: string): bigint =>
  allocation.lines.reduce((sum, line) => (line.component === component ? sum + line.amountPaise : sum), 0n)

/** The engine's state in the referee's terms. */
function engineState(state: LoanState): Omit<RefereeState, 'payoff' | 'dpdDuring'> {
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
    held: state.heldPaise,
    short: state.refundShortPaise,
    outstanding: state.principalOutstandingPaise,
    payments: state.allocations.map((allocation) => ({
      paymentId: allocation.paymentId,
      interest: sumOf(allocation, 'interest'),
      principal: sumOf(allocation, 'principal'),
      charges: sumOf(allocation, 'charge'),
      excess: sumOf(allocation, 'excess'),
      held: sumOf(allocation, 'held'),
    })),
  }
}

function refereeSays({
  rows,
  dues,
  dpd,
  dpdDuring,
  credit,
  held,
  short,
  outstanding,
  payments,
}: RefereeState): Omit<RefereeState, 'payoff'> {
  const shown = rows.map(({ due, interest, principal, closing, paidInterest, paidPrincipal }) => ({
    due,
    interest,
    principal,
    closing,
    paidInterest,
    paidPrincipal,
  }))
  return { rows: shown, dues, dpd, credit, held, short, outstanding, payments, dpdDuring }
}

/**
 * A foreclosure settles everything at once. The two name its parts differently, so they are
 * compared as one part.
 */
function comparable<State extends Omit<RefereeState, 'payoff'>>(facts: LoanFacts, state: State): State {
  const foreclosing = new Set(facts.payments.filter(({ purpose }) => purpose === 'FORECLOSURE').map(({ paymentId }) => paymentId))
  const payments = state.payments.map((payment) =>
    foreclosing.has(payment.paymentId)
      ? { ...payment, interest: 0n, charges: 0n, principal: payment.interest + payment.principal + payment.charges }
      : payment,
  )
  return { ...state, payments }
}

/** The sum of all refunds. */
const goingBack = ({ payments, refunds }: LoanFacts): bigint =>
  payments.reduce((sum, { heldPaise }) => sum + (heldPaise ?? 0n), 0n) + refunds.reduce((sum, { amountPaise }) => sum + amountPaise, 0n)

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry))

/**
 * Compares the engine with the referee on the random loan of a seed, and checks properties that
 * hold for every loan.
 *
 * @param resets whether the loan's rate changes often.
 * @returns one sentence for each fault; none if both agree to the paisa and every property holds.
 */
export function faultsOf(seed: number, resets = false): string[] {
  const { facts, last } = randomLoan(seed, undefined, resets)
  return faultsIn(facts, last)
}

/** Like {@link faultsOf}, for a given loan at the end of a day. */
export function faultsIn(facts: LoanFacts, last: Day): string[] {
  const state = loanStateAtEndOf(facts, last)
  return [...brokenInvariantsOf(facts, state), ...disagreementOn(facts, last, state)]
}

function disagreementOn(facts: LoanFacts, last: Day, state: LoanState): string[] {
  const referee = new Referee(facts).state(last)
  const dpdDuring = loanStateDuring(facts, last).dpd
  const actual = asText(comparable(facts, { ...engineState(state), dpdDuring, payoff: state.allowed.foreclosure?.amountPaise ?? null }))
  const expected = asText(
    comparable(facts, { ...refereeSays(referee), payoff: state.allowed.foreclosure === null ? null : referee.payoff }),
  )
  return actual === expected ? [] : [`engine has ${actual}, referee has ${expected}`]
}

/** Properties that hold for every loan. @returns the names of the violated ones. */
function brokenInvariantsOf(facts: LoanFacts, state: LoanState): string[] {
  const holds: Record<string, boolean> = {
    'every payment is allocated whole': state.allocations.every(
      (allocation, index) => allocation.lines.reduce((sum, line) => sum + line.amountPaise, 0n) === facts.payments[index]?.amountPaise,
    ),
    'no line is negative': state.allocations.every(({ lines }) => lines.every(({ amountPaise }) => amountPaise > 0n)),
    'no row is paid more than it bills': state.rows.every(
      (row) => row.paidInterestPaise <= row.interestPaise && row.paidPrincipalPaise <= row.principalPaise,
    ),
    'a paid row owes nothing': state.rows.every(
      (row) => row.status !== 'Paid' || row.paidInterestPaise + row.paidPrincipalPaise === row.repaymentAmountPaise,
    ),
    'nothing outstanding is negative':
      state.principalOutstandingPaise >= 0n &&
      state.duesPaise >= 0n &&
      state.creditPaise >= 0n &&
      state.heldPaise >= 0n &&
      state.refundShortPaise >= 0n &&
      state.dpd >= 0,
    'there is no credit while a refund waits for some': state.refundShortPaise === 0n || state.creditPaise === 0n,
    'what goes back is held or short': state.heldPaise + state.refundShortPaise === goingBack(facts),
    'a closed loan owes nothing': state.status !== 'CLOSED' || (state.principalOutstandingPaise === 0n && state.duesPaise === 0n),
    'what is waived is more than nothing': state.adjustments.every(
      ({ reason, lines }) => !isWaiver(reason) || (lines.length > 0 && lines.every(({ amountPaise }) => amountPaise > 0n)),
    ),
    'what was written off closed the loan then': state.adjustments.every(
      ({ reason, date }) =>
        reason !== 'foreclosure_waive' ||
        state.rows.every((row) => row.status === 'Paid' || facts.disbursals.some((disbursal) => disbursal.date >= date)),
    ),
    'the parts of an offer add up to it': [state.allowed.overdue, state.allowed.nextEmi, state.allowed.foreclosure].every(
      (offer) =>
        offer === null ||
        offer.parts.principalPaise + offer.parts.interestPaise + offer.parts.chargesPaise + offer.parts.taxPaise === offer.amountPaise,
    ),
  }
  return Object.entries(holds).flatMap(([name, isTrue]) => (isTrue ? [] : [name]))
}
