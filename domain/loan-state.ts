import { allowedPaymentsOf, dueAmounts, isNextEmiDeferred, nextUnpaidRow, nothingAllowed, payoffInOrder } from './allowed-payments.ts'
import type { DueAmounts } from './allowed-payments.ts'
import type { Day, DayNumber } from './calendar.ts'
import { dayFromNumber, dayNumber } from './calendar.ts'
import { payoffOn } from './foreclosure.ts'
import { assertCharges, InvariantViolation, reportViolation } from './invariants.ts'
import type { LoanReplay, ReplayRow } from './replay-state.ts'
import { chargePending, outstandingPrincipal, rowPending } from './replay-state.ts'
import { factsFault } from './loan-facts.ts'
import type { AllocationLine, Charge, InstalmentStatus, LoanFacts, LoanState, LoanStatus, ReceivedPayment, ScheduleRow } from './loans.ts'
import { isWaiver } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, paiseFromWhole, sumPaise, zeroPaise } from './money.ts'
import { projectSchedule, replayLoan, type ReplayOptions } from './replay.ts'

type RowCharges = ScheduleRow['charges']
const noCharges: RowCharges = []

/**
 * Unpaid charges by the row that shows them: a late charge with its instalment, another charge with
 * the row of its period.
 */
function chargesByRow(loan: LoanReplay): Map<ReplayRow, RowCharges[number][]> {
  const byRow = new Map<ReplayRow, RowCharges[number][]>()
  for (const charge of loan.charges) {
    const pending = chargePending(charge)
    if (pending === 0) continue
    const row = loan.rows.find(({ due }) => due === charge.lateFor) ?? loan.rows.find(({ due }) => due >= charge.day) ?? loan.rows.at(-1)
    if (row === undefined) continue
    const shown = byRow.get(row)
    const entry = { chargeId: charge.chargeId, chargeType: charge.chargeType, pendingPaise: paiseFromWhole(pending) }
    if (shown === undefined) byRow.set(row, [entry])
    else shown.push(entry)
  }
  return byRow
}

function rowStatus(row: ReplayRow, overdueBefore: DayNumber): InstalmentStatus {
  if (rowPending(row) === 0) return 'Paid'
  return row.due < overdueBefore ? 'Late' : 'Due'
}

/**
 * `instalmentPaise` is the row's instalment as a bigint, so that equal amounts are converted once.
 */
function scheduleRow(row: ReplayRow, status: InstalmentStatus, charges: RowCharges, instalmentPaise: Paise): ScheduleRow {
  const principalPaise = paiseFromWhole(row.principal)
  const interestPaise = paiseFromWhole(row.interest)
  const amount = row.principal + row.interest
  const repaymentAmountPaise = amount === row.instalment ? instalmentPaise : paiseFromWhole(amount)
  const pending = rowPending(row)
  let pendingPaise = pending === amount ? repaymentAmountPaise : paiseFromWhole(pending)
  for (const charge of charges) pendingPaise = paise(pendingPaise + charge.pendingPaise)
  return {
    number: row.number,
    dueDate: dayFromNumber(row.due),
    repaymentAmountPaise,
    principalPaise,
    interestPaise,
    closingBalancePaise: paiseFromWhole(row.closingBalance),
    paidPrincipalPaise: row.paidPrincipal === row.principal ? principalPaise : paiseFromWhole(row.paidPrincipal),
    paidInterestPaise: row.paidInterest === row.interest ? interestPaise : paiseFromWhole(row.paidInterest),
    pendingPaise,
    charges,
    status,
  }
}

function scheduleRows(loan: LoanReplay, overdueBefore: DayNumber, isKnown: boolean): ScheduleRow[] {
  const charges = loan.charges.length === 0 ? null : chargesByRow(loan)
  let instalment = 0
  let instalmentPaise = zeroPaise
  return loan.rows.map((row) => {
    if (row.instalment !== instalment) {
      instalment = row.instalment
      instalmentPaise = paiseFromWhole(instalment)
    }
    return scheduleRow(row, isKnown ? rowStatus(row, overdueBefore) : 'Unknown', charges?.get(row) ?? noCharges, instalmentPaise)
  })
}

/**
 * The instalment of the next row that is neither overdue nor paid. Before EMIs begin, that row's
 * amount (decision 35).
 */
function instalmentInForce(loan: LoanReplay, next: ReplayRow | null): number {
  if (next !== null) return next.instalment > 0 ? next.instalment : next.interest + next.principal
  return loan.rows.at(-1)?.instalment ?? 0
}

function loanStatus(due: DueAmounts, isClosed: boolean): LoanStatus {
  if (due.oldestOverdue !== null) return 'OVERDUE'
  return isClosed ? 'CLOSED' : 'ACTIVE'
}

function derivedCharges(loan: LoanReplay, facts: LoanFacts): Charge[] {
  const stored = new Set(facts.charges.map(({ chargeId }) => chargeId))
  return loan.charges
    .filter(({ chargeId }) => !stored.has(chargeId))
    .map(({ chargeId, chargeType, day, amount, penal }) => ({
      chargeId,
      date: dayFromNumber(day),
      chargeType,
      amountPaise: paiseFromWhole(amount),
      penal,
      waivedOn: null,
    }))
}

function voidCharges(loan: LoanReplay, facts: LoanFacts, day: Day): string[] {
  const raised = new Set(loan.charges.map(({ chargeId }) => chargeId))
  return facts.charges.filter(({ chargeId, date }) => date <= day && !raised.has(chargeId)).map(({ chargeId }) => chargeId)
}

const heldOf = ({ heldPaise }: ReceivedPayment): Paise => heldPaise ?? zeroPaise

/**
 * The lines of a payment if the loan's state is unknown: all of it is credit, except what is
 * refunded.
 */
const unallocatedLines = (payment: ReceivedPayment): AllocationLine[] =>
  (
    [
      ['excess', paise(payment.amountPaise - heldOf(payment))],
      ['held', heldOf(payment)],
    ] as const
  )
    .filter(([, amountPaise]) => amountPaise > 0n)
    .map(([component, amountPaise]) => ({ component, instalmentNumber: null, chargeId: null, amountPaise }))

const emptyState = (status: LoanStatus, disbursedPaise: Paise, facts: LoanFacts): LoanState => ({
  status,
  instalmentPaise: zeroPaise,
  rows: [],
  disbursedPaise,
  principalOutstandingPaise: disbursedPaise,
  duesPaise: zeroPaise,
  dpd: 0,
  dueDate: null,
  instalmentsPaid: 0,
  instalmentsDue: 0,
  creditPaise: zeroPaise,
  heldPaise: sumPaise([...facts.payments.map(heldOf), ...facts.refunds.map(({ amountPaise }) => amountPaise)]),
  refundShortPaise: zeroPaise,
  allowed: { ...nothingAllowed, linkMaximumPaise: facts.terms.linkMaximumPaise },
  allocations: facts.payments.map((payment) => ({ paymentId: payment.paymentId, lines: unallocatedLines(payment) })),
  adjustments: [],
  shortForeclosures: [],
  capitalised: null,
  nextInstalmentPaise: zeroPaise,
  derivedCharges: [],
  voidCharges: [],
})

/**
 * Inconsistent facts still show the agreed schedule if the terms allow one. Nothing can be paid.
 */
function unknownState(facts: LoanFacts, day: Day): LoanState {
  const disbursals = facts.disbursals.filter(({ date, amountPaise }) => date <= day && amountPaise > 0n)
  const disbursedPaise = sumPaise(disbursals.map(({ amountPaise }) => amountPaise))
  const empty = emptyState('UNKNOWN', disbursedPaise, facts)
  const plain: LoanFacts = {
    ...facts,
    sanctionedPaise: disbursedPaise,
    disbursals,
    payments: [],
    refunds: [],
    charges: [],
    rateChanges: [],
  }
  if (factsFault(plain, day) !== null) return empty
  try {
    const loan = replayLoan(plain, dayNumber(day))
    projectSchedule(loan, dayNumber(day))
    const rows = scheduleRows(loan, dayNumber(day), false)
    return { ...empty, rows, instalmentPaise: paiseFromWhole(instalmentInForce(loan, null)), instalmentsDue: rows.length }
  } catch (error) {
    // The agreed schedule can violate an invariant too.
    if (error instanceof InvariantViolation) return empty
    throw error
  }
}

/** Allocations in the order of `facts.payments`. The replay orders them by date. */
function allocationsInFactsOrder(loan: LoanReplay, facts: LoanFacts): LoanState['allocations'] {
  const byPayment = new Map(loan.allocations.map((allocation) => [allocation.paymentId, allocation]))
  return facts.payments.flatMap(({ paymentId }) => byPayment.get(paymentId) ?? [])
}

/** Rows due before `overdueBefore` are overdue. DPD counts from that day too. */
function computeState(facts: LoanFacts, day: Day, overdueBefore: DayNumber, options?: ReplayOptions): LoanState {
  if (factsFault(facts, day) !== null) return unknownState(facts, day)
  const today = dayNumber(day)
  const loan = replayLoan(facts, today, options)
  if (!loan.hasStarted) return emptyState('ACTIVE', zeroPaise, { ...facts, payments: [], refunds: [] })
  const due = dueAmounts(loan, overdueBefore)
  const payoff = payoffInOrder(loan, payoffOn(loan, today))
  const principalOutstandingPaise = paiseFromWhole(outstandingPrincipal(loan))
  const isClosed = outstandingPrincipal(loan) + payoff.unpaidInterest + payoff.accruedInterest + payoff.charges === 0
  const waits = isNextEmiDeferred(loan)
  projectSchedule(loan, today)
  assertCharges(loan)
  const dpd = due.oldestOverdue === null ? 0 : overdueBefore - due.oldestOverdue
  const next = nextUnpaidRow(loan, overdueBefore)
  const instalment = instalmentInForce(loan, next)
  const rows = scheduleRows(loan, overdueBefore, true)
  const paid = rows.reduce((count, { status }) => (status === 'Paid' ? count + 1 : count), 0)
  return {
    status: loanStatus(due, isClosed),
    instalmentPaise: paiseFromWhole(instalment),
    rows,
    disbursedPaise: paiseFromWhole(loan.disbursed),
    principalOutstandingPaise,
    duesPaise: paiseFromWhole(due.overduePrincipal + due.overdueInterest + due.dueToday + due.charges),
    dpd,
    dueDate: rows.find(({ status }) => status !== 'Paid')?.dueDate ?? null,
    instalmentsPaid: paid,
    instalmentsDue: rows.length - paid,
    creditPaise: paiseFromWhole(loan.credit),
    heldPaise: paiseFromWhole(loan.held),
    refundShortPaise: paiseFromWhole(loan.refundShort),
    allowed: allowedPaymentsOf(facts.terms, due, dpd, payoff, waits ? null : next, instalment),
    allocations: allocationsInFactsOrder(loan, facts),
    adjustments: loan.adjustments,
    shortForeclosures: loan.shortForeclosures,
    capitalised: loan.capitalised === 0 ? null : { date: dayFromNumber(loan.capitalisedOn), amountPaise: paiseFromWhole(loan.capitalised) },
    nextInstalmentPaise: paiseFromWhole(loan.instalment),
    derivedCharges: derivedCharges(loan, facts),
    voidCharges: voidCharges(loan, facts, day),
  }
}

/** The interest of all rows, paid and unpaid, and capitalised. */
export const totalInterest = ({ rows, capitalised }: LoanState): Paise =>
  sumPaise([...rows.map(({ interestPaise }) => interestPaise), capitalised?.amountPaise ?? zeroPaise])

type Paid = { principalPaise: Paise; interestPaise: Paise; waivedPrincipalPaise: Paise }

/** What the borrower's money has paid, less interest that was given back; and what was waived. */
export function paidSoFar({ allocations, adjustments }: LoanState): Paid {
  const paid = { principal: 0n, interest: 0n }
  const waived = { principal: 0n, interest: 0n }
  const addLines = (to: typeof paid, lines: readonly AllocationLine[]): void => {
    for (const { component, amountPaise } of lines) if (component === 'principal' || component === 'interest') to[component] += amountPaise
  }
  for (const { lines } of allocations) addLines(paid, lines)
  for (const { reason, lines } of adjustments) addLines(isWaiver(reason) ? waived : paid, lines)
  return { principalPaise: paise(paid.principal), interestPaise: paise(paid.interest), waivedPrincipalPaise: paise(waived.principal) }
}

/**
 * A state for a read. If the engine violates an invariant, the state is UNKNOWN with the violation
 * as its reason.
 */
function stateToRead(facts: LoanFacts, day: Day, compute: (facts: LoanFacts) => LoanState): LoanState {
  try {
    return compute(facts)
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error
    reportViolation({ loanNumber: facts.loanNumber ?? null, violation: error.message })
    return { ...unknownState(facts, day), violation: error.message }
  }
}

/**
 * The loan during a day, for a write: the same figures as {@link loanStateDuring}.
 *
 * @throws InvariantViolation if the figures cannot be true, so that nothing is written from them.
 */
export const loanStateToPost = (facts: LoanFacts, today: Day): LoanState => computeState(facts, today, dayNumber(today))

/**
 * The loan during a day, for a read: the last finished day end less what has been paid since. An
 * instalment due today is Due with DPD 0, and not overdue (decision 22).
 */
export const loanStateDuring = (facts: LoanFacts, today: Day): LoanState => stateToRead(facts, today, (all) => loanStateToPost(all, today))

/**
 * The loan during a day for a quote. It differs from {@link loanStateDuring} in three points. A
 * quote made on the evening before has the days past due of that evening, when an instalment that
 * is due is not overdue (decision 22). It contains no late charge that is raised only on its own
 * day (decision 55). On the evening before deferred interest becomes principal, it offers no
 * instalment and no part payment: money that counts from that evening could not be settled as
 * quoted.
 *
 * @param madeOn the day on which the quote is made.
 */
export function loanStateQuoted(facts: LoanFacts, day: Day, madeOn: Day): LoanState {
  const options = { lateChargesUntil: dayNumber(madeOn) }
  const state = stateToRead(facts, day, (all) => computeState(all, day, dayNumber(madeOn), options))
  if (madeOn === day || state.capitalised?.date !== day) return state
  return { ...state, allowed: { ...state.allowed, nextEmi: null, partPayment: nothingAllowed.partPayment } }
}

/**
 * The loan at the end of a day: all facts of that day count, and the due date is the first day past
 * due (decision 22).
 */
export const loanStateAtEndOf = (facts: LoanFacts, day: Day): LoanState =>
  stateToRead(facts, day, (all) => computeState(all, day, dayNumber(day) + 1))

/**
 * The loan at the end of a day by its agreed schedule, for a plan without known payments. In
 * contrast to {@link loanStateAtEndOf}, overdue instalments bear no further interest under
 * `actual_365`.
 */
export const loanPlanAtEndOf = (facts: LoanFacts, day: Day): LoanState =>
  stateToRead(facts, day, (all) => computeState(all, day, dayNumber(day) + 1, { isAsAgreed: true }))
