import type { DayNumber } from './calendar.ts'
import { interestFor, interestForPartOfMonth } from './interest.ts'
import type { Deferral, LoanReplay, ReplayRow } from './replay-state.ts'
import {
  dueDayAt,
  extendDueDays,
  hasUnbilledAmount,
  interestBearingPrincipal,
  never,
  openPeriod,
  recomputeInstalmentAfter,
} from './replay-state.ts'
import { maximumInstalments } from './loans.ts'
import { instalmentUnderTerms } from './schedule.ts'

/**
 * Interest of part of the open period at one balance and one rate. It is rounded once (decision
 * 20).
 */
function interestOfPiece(loan: LoanReplay, balance: number, from: DayNumber, to: DayNumber): number {
  if (balance === 0) return 0
  const days = to - from
  if (loan.periodDays === 0) return interestFor(balance, loan.dailyShare, days)
  if (loan.periodDays === days) return interestFor(balance, loan.monthlyShare, 1)
  return interestForPartOfMonth(balance, loan.monthlyShare, days, loan.periodDays)
}

/** Accrues interest up to a day on which the balance or the rate changes. */
export function accrueTo(loan: LoanReplay, day: DayNumber): void {
  if (day <= loan.accruedUntil) return
  const balance = interestBearingPrincipal(loan)
  const interest = interestOfPiece(loan, balance, loan.accruedUntil, day)
  loan.accruedDayBefore = loan.accrued + interestOfPiece(loan, balance, loan.accruedUntil, day - 1)
  const { accruedUntil: from, annualRatePpb, periodDays } = loan
  if (balance > 0)
    loan.trace?.pieces.push({
      row: loan.deferral === null ? loan.billedRows : -1,
      from,
      to: day,
      balance,
      annualRatePpb,
      periodDays,
      interest,
    })
  loan.accrued += interest
  loan.accruedUntil = day
}

/** Interest of the open period up to a day, billed or not. */
export const interestToDate = (loan: LoanReplay, day: DayNumber): number =>
  loan.accrued + interestOfPiece(loan, interestBearingPrincipal(loan), loan.accruedUntil, day)

/** Interest of the day before `day`. `day` is not before `accruedUntil`. */
export const interestOfDayBefore = (loan: LoanReplay, day: DayNumber): number =>
  interestToDate(loan, day) - (loan.accruedUntil === day ? loan.accruedDayBefore : interestToDate(loan, day - 1))

/** Interest of a later, whole period. */
const wholePeriodInterest = (loan: LoanReplay, balance: number, index: number): number =>
  loan.accruesDaily
    ? interestFor(balance, loan.dailyShare, dueDayAt(loan, index) - dueDayAt(loan, index - 1))
    : interestFor(balance, loan.monthlyShare, 1)

/** Index of the first row that is neither billed nor paid ahead. It can still change. */
export const openRowIndex = (loan: LoanReplay): number => loan.rows.length

/**
 * The interest of the periods before the open row's that no row bills; negative if the rows bill
 * more, as a row does that was paid ahead of a part payment. The open row makes up for it.
 */
function carriedToOpenRow(loan: LoanReplay): number {
  const ahead = loan.rows.slice(loan.billedRows)
  if (ahead.length === 0) return loan.carriedInterest
  let balance = interestBearingPrincipal(loan)
  let carried = loan.carriedInterest + loan.accrued + interestOfPiece(loan, balance, loan.accruedUntil, loan.periodEnd)
  for (const { number, interest, principal } of ahead) {
    const index = number - 1
    if (index > loan.billedRows) carried += wholePeriodInterest(loan, balance, index)
    carried -= interest
    if (!loan.accruesDaily) balance -= principal
  }
  return carried
}

/**
 * How many rows an instalment needs from the open row on. Null if it never repays the balance.
 */
function countRowsNeeded(loan: LoanReplay, from: number): number | null {
  let balance = loan.unbilled
  let index = from
  let carried = carriedToOpenRow(loan)
  while (balance > 0) {
    const bearing = loan.accruesDaily && index === from ? balance - loan.openRowPaidPrincipal : balance
    const own =
      index === loan.billedRows
        ? interestOfPiece(loan, bearing, loan.periodStart, loan.periodEnd)
        : wholePeriodInterest(loan, bearing, index)
    const kept = loan.keptRows.get(dueDayAt(loan, index))
    if ((kept === undefined && own >= loan.instalment) || index >= maximumInstalments) return null
    const interest = kept?.interest ?? Math.max(own + carried, 0)
    carried += own - interest
    balance -= kept?.principal ?? Math.max(loan.instalment - interest, 0)
    index += 1
  }
  return index - from
}

const periodStartOf = (loan: LoanReplay, row: number): DayNumber => (row === loan.billedRows ? loan.periodStart : dueDayAt(loan, row - 1))

function recomputeInstalment(loan: LoanReplay, row: number, principal: number): void {
  const rows = Math.max(1, loan.rowCount - row)
  const isFixed = loan.fixedInstalment > 0
  loan.instalment = isFixed ? loan.fixedInstalment : instalmentUnderTerms(loan.terms, loan.annualRatePpb, principal, rows)
  tracePlan(loan, row, principal, { isFixed, isGiven: false })
}

function tracePlan(loan: LoanReplay, row: number, principal: number, why: { isFixed: boolean; isGiven: boolean }): void {
  const { annualRatePpb, instalment } = loan
  loan.trace?.plans.push({ row, principal, annualRatePpb, rows: Math.max(1, loan.rowCount - row), instalment, ...why })
}

/**
 * A later disbursal has the rows again that a fixed instalment no longer needs. Rows that are
 * needed after all are no longer dropped.
 */
function changeRowCount(loan: LoanReplay, rowCount: number): void {
  const dropped = loan.rowCount - rowCount
  loan.rowsDropped = Math.max(0, loan.rowsDropped + (loan.fixedInstalment > 0 ? dropped : Math.min(0, dropped)))
  loan.rowCount = rowCount
  extendDueDays(loan, rowCount)
}

/** A prepayment alone adds no rows: the last row takes what the instalment leaves. */
function recomputeTenor(loan: LoanReplay, row: number, why: { isGiven: boolean; canGrow: boolean }): void {
  const needed = countRowsNeeded(loan, row)
  if (!why.canGrow && (needed === null || row + needed > loan.rowCount)) return
  if (needed === null) {
    // Negative amortisation is not allowed: the instalment rises instead.
    loan.fixedInstalment = 0
    recomputeInstalment(loan, row, loan.unbilled)
    return
  }
  if (needed > 0) changeRowCount(loan, row + needed)
  if (why.isGiven) tracePlan(loan, row, loan.unbilled, { isFixed: false, isGiven: true })
}

/** The number of rows stays as it is, whatever was asked for before. */
export function forgetTenorChange(loan: LoanReplay): void {
  loan.recomputeTenorFrom = never
  loan.hasRateForTenor = false
  loan.prepaidForTenor = 0
}

/**
 * Computes the instalment or the tenor again if a disbursal, part payment or rate change before the
 * open row's period asked for it. If both are asked for, the instalment is computed without the
 * prepayments that reduce the tenor, and then the tenor is reduced. The tenor also follows a given
 * instalment.
 *
 * A kept bill, and the row that makes up for it, repay another amount than the instalment would:
 * the instalment is computed again for the row after, and the tenor is reduced only then.
 */
function recomputePlan(loan: LoanReplay): void {
  if (Math.min(loan.recomputeInstalmentFrom, loan.recomputeAgainFrom, loan.recomputeTenorFrom) === never) return
  const row = openRowIndex(loan)
  if (row < loan.interestOnlyRows || loan.deferral !== null) return
  const start = periodStartOf(loan, row)
  const { givenInstalment } = loan
  const isAsked = loan.recomputeInstalmentFrom <= start
  const isTenorAsked = loan.recomputeTenorFrom <= start
  const isGiven = isAsked && givenInstalment > 0
  const isAskedAgain = loan.recomputeAgainFrom <= start
  const isComputed = isAsked ? !isGiven : isAskedAgain
  if (isAsked) recomputeInstalmentAfter(loan, never)
  if (isAskedAgain) loan.recomputeAgainFrom = never
  if (isGiven) loan.instalment = givenInstalment
  if (isComputed) recomputeInstalment(loan, row, loan.unbilled + loan.prepaidForTenor)
  if (isComputed && isNextToKeptRow(loan, row)) {
    loan.recomputeAgainFrom = dueDayAt(loan, row)
    if (isTenorAsked) {
      loan.recomputeTenorFrom = dueDayAt(loan, row)
      // This instalment follows the new rate already.
      loan.hasRateForTenor = false
    }
  } else if (isGiven || isTenorAsked) {
    const canGrow = isGiven || loan.hasRateForTenor
    forgetTenorChange(loan)
    recomputeTenor(loan, row, { isGiven, canGrow })
  }
}

const isNextToKeptRow = (loan: LoanReplay, row: number): boolean =>
  loan.keptRows.has(dueDayAt(loan, row)) || (row > 0 && loan.keptRows.has(dueDayAt(loan, row - 1)))

/** {@link recomputePlan}, before a fact of a day after the open row's period began. */
export function recomputePlanBefore(loan: LoanReplay, day: DayNumber): void {
  if (loan.hasStarted && periodStartOf(loan, openRowIndex(loan)) < day) recomputePlan(loan)
}

/**
 * The open row as it would be billed. `interestNeeded` is the interest to bill; a row never bills a
 * negative amount.
 */
function planOpenRow(loan: LoanReplay, interestNeeded: number): ReplayRow {
  const index = openRowIndex(loan)
  const kept = loan.keptRows.get(dueDayAt(loan, index))
  const interest = Math.max(kept?.interest ?? interestNeeded, loan.openRowPaidInterest, 0)
  // The instalment is 0 while rows bill interest only.
  const planned = Math.max(kept?.principal ?? loan.instalment - interest, loan.openRowPaidPrincipal)
  const isLast = index >= loan.rowCount - 1 && kept === undefined
  const principal = isLast ? loan.unbilled : Math.min(planned, loan.unbilled)
  return {
    number: index + 1,
    due: dueDayAt(loan, index),
    instalment: kept === undefined ? loan.instalment : kept.principal > 0 ? kept.interest + kept.principal : 0,
    interest,
    principal,
    closingBalance: loan.unbilled - principal,
    paidInterest: loan.openRowPaidInterest,
    paidPrincipal: loan.openRowPaidPrincipal,
  }
}

/** The open row by the facts so far. Rows paid ahead can come before its period. */
export function openRowAsPlanned(loan: LoanReplay): ReplayRow {
  recomputePlan(loan)
  const balance = interestBearingPrincipal(loan)
  const index = openRowIndex(loan)
  const own =
    index === loan.billedRows
      ? loan.accrued + interestOfPiece(loan, balance, loan.accruedUntil, loan.periodEnd)
      : wholePeriodInterest(loan, loan.accruesDaily ? balance : loan.unbilled, index)
  return planOpenRow(loan, carriedToOpenRow(loan) + own)
}

/**
 * Takes the open row out of the unbilled principal. A row paid before its due date never changes
 * again (decision 25).
 */
export function payOpenRowAhead(loan: LoanReplay, row: ReplayRow): void {
  row.paidInterest = row.interest
  row.paidPrincipal = row.principal
  loan.rows.push(row)
  loan.unbilled -= row.principal
  loan.prepaidRowsPrincipal += row.principal
  loan.openRowPaidInterest = 0
  loan.openRowPaidPrincipal = 0
}

function capitalise(loan: LoanReplay, interest: number): void {
  loan.capitalised += interest
  loan.capitalisedOn = loan.periodEnd
  loan.unbilled += interest
  loan.deferral = null
}

function passDeferralBoundary(loan: LoanReplay, deferral: Deferral): void {
  deferral.interest += loan.accrued
  deferral.nextIndex += 1
  if (deferral.nextIndex === deferral.boundaries.length) capitalise(loan, deferral.interest)
  openPeriod(loan, loan.periodEnd, null)
}

function passRowPaidAhead(loan: LoanReplay, row: ReplayRow): void {
  loan.carriedInterest += loan.accrued - row.interest
  loan.prepaidRowsPrincipal -= row.principal
  row.closingBalance = loan.unbilled + loan.prepaidRowsPrincipal
}

function billOpenRow(loan: LoanReplay): void {
  recomputePlan(loan)
  const needed = loan.accrued + loan.carriedInterest
  const row = planOpenRow(loan, needed)
  loan.carriedInterest = needed - row.interest
  loan.rows.push(row)
  loan.unbilled -= row.principal
  loan.unpaidPrincipal += row.principal - loan.openRowPaidPrincipal
  loan.openRowPaidInterest = 0
  loan.openRowPaidPrincipal = 0
}

/**
 * The next day on which a row falls due or a deferral period ends. {@link never} if there is none.
 */
export function nextBoundary(loan: LoanReplay): DayNumber {
  if (loan.deferral !== null) return loan.periodEnd
  return loan.billedRows < loan.rows.length || hasUnbilledAmount(loan) ? loan.periodEnd : never
}

/** Ends the open period: bills its row, or passes the row that was paid ahead. */
export function passBoundary(loan: LoanReplay): void {
  const due = loan.periodEnd
  accrueTo(loan, due)
  const interestOfLastDay = interestOfDayBefore(loan, due)
  if (loan.deferral !== null) {
    passDeferralBoundary(loan, loan.deferral)
  } else {
    const paidAhead = loan.rows[loan.billedRows]
    if (paidAhead === undefined) billOpenRow(loan)
    else passRowPaidAhead(loan, paidAhead)
    loan.billedRows += 1
    openPeriod(loan, due, null)
  }
  loan.lastDayInterestOfEndedPeriod = interestOfLastDay
}

/** A copy to plan with, before a fact of the day changes the balance or the rate. */
function copyToPlan(loan: LoanReplay, day: DayNumber): LoanReplay {
  const { dueDays, rows, deferral } = loan
  const planned: LoanReplay = {
    ...loan,
    dueDays: [...dueDays],
    rows: rows.map((row) => ({ ...row })),
    deferral: deferral === null ? null : { ...deferral },
    trace: null,
  }
  assumePaidFrom(planned, day)
  return planned
}

/** The number of rows as planned before a fact of the day. */
function countRowsAsPlanned(loan: LoanReplay, day: DayNumber): number {
  const planned = copyToPlan(loan, day)
  while (nextBoundary(planned) !== never) passBoundary(planned)
  return planned.rows.length
}

/**
 * Before a rate change that keeps the instalment: it is the one that the loan has without the
 * change, also where a fact of the same period has it computed again.
 */
export function keepPlannedInstalment(loan: LoanReplay, day: DayNumber): void {
  const isAsked = Math.min(loan.recomputeInstalmentFrom, loan.recomputeAgainFrom) !== never
  if (loan.instalment === 0 || (!isAsked && loan.recomputeTenorFrom === never)) return
  const planned = copyToPlan(loan, day)
  while (periodStartOf(planned, openRowIndex(planned)) < day && nextBoundary(planned) !== never) passBoundary(planned)
  recomputePlan(planned)
  if (isAsked || planned.instalment !== loan.instalment) recomputeInstalmentAfter(loan, day, planned.instalment)
}

/**
 * Has the instalment computed from now on. The last due date stays: a fixed instalment can end the
 * schedule before the agreed number of rows, also because of a prepayment of the same period.
 * Called before a fact of the day changes the balance or the rate.
 */
export function releaseFixedInstalment(loan: LoanReplay, day: DayNumber): void {
  if (loan.fixedInstalment === 0) return
  changeRowCount(loan, Math.min(loan.rowCount, countRowsAsPlanned(loan, day)))
  loan.fixedInstalment = 0
  // The planned rows contain what a prepayment of this period asked for.
  forgetTenorChange(loan)
}

/**
 * Before a part payment that reduces the instalment over the same due dates. A new rate of the same
 * period that keeps or gives the instalment has moved the last one already.
 */
export function keepLastDueDate(loan: LoanReplay, day: DayNumber): void {
  if (loan.hasRateForTenor || loan.givenInstalment > 0) {
    changeRowCount(loan, countRowsAsPlanned(loan, day))
    forgetTenorChange(loan)
  }
  releaseFixedInstalment(loan, day)
}

/**
 * From a day on, everything due counts as paid. Where it does already, interest is not cut in two.
 */
export function assumePaidFrom(loan: LoanReplay, day: DayNumber): void {
  if (!loan.isProjecting && loan.accruesDaily && loan.unpaidPrincipal > 0) accrueTo(loan, day)
  loan.isProjecting = true
}
