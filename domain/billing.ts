import type { DayNumber } from './calendar.ts'
import { interestFor, interestForPartOfMonth } from './interest.ts'
import type { Book, BookRow } from './loan-book.ts'
import { dueDayAt, hasOpenRow, interestBase, never, openPeriod } from './loan-book.ts'
import { maximumInstalments } from './loans.ts'
import { instalmentUnderTerms } from './schedule.ts'

/** Interest of a stretch of the open period at one balance and one rate: one piece, rounded once (decision 20). */
export function pieceInterest(book: Book, balance: number, from: DayNumber, to: DayNumber): number {
  const days = to - from
  if (days <= 0 || balance <= 0) return 0
  if (book.periodDays === 0) return interestFor(balance, book.day, days)
  if (book.periodDays === days) return interestFor(balance, book.month, 1)
  return interestForPartOfMonth(balance, book.month, days, book.periodDays)
}

/** Closes the running piece on a day, because the balance or the rate changes with it. */
export function accrueTo(book: Book, day: DayNumber): void {
  if (day <= book.accruedTo) return
  const balance = interestBase(book)
  const interest = pieceInterest(book, balance, book.accruedTo, day)
  book.accruedDayBefore = book.accrued + pieceInterest(book, balance, book.accruedTo, day - 1)
  const { accruedTo: from, annualRatePpb, periodDays } = book
  if (balance > 0)
    book.trace?.pieces.push({ row: book.deferral === null ? book.billed : -1, from, to: day, balance, annualRatePpb, periodDays, interest })
  book.accrued += interest
  book.accruedTo = day
}

/** Interest of the open period up to a day, billed or not. */
export const interestRun = (book: Book, day: DayNumber): number =>
  book.accrued + pieceInterest(book, interestBase(book), book.accruedTo, day)

/** Interest of the last day before a day that is not before what has accrued. */
export const interestOfDayBefore = (book: Book, day: DayNumber): number =>
  interestRun(book, day) - (book.accruedTo === day ? book.accruedDayBefore : interestRun(book, day - 1))

/** Interest of a later, whole period. */
const wholePeriodInterest = (book: Book, balance: number, index: number): number =>
  book.byDays ? interestFor(balance, book.day, dueDayAt(book, index) - dueDayAt(book, index - 1)) : interestFor(balance, book.month, 1)

/** How many rows an instalment needs from a row on; null when it never repays the balance. */
function rowsNeeded(book: Book, from: number): number | null {
  let balance = book.unbilled
  let index = from
  while (balance > 0) {
    const interest =
      index === book.billed ? pieceInterest(book, balance, book.periodStart, book.periodEnd) : wholePeriodInterest(book, balance, index)
    const principal = book.instalment - interest
    if (principal <= 0 || index >= maximumInstalments) return null
    balance -= principal
    index += 1
  }
  return index - from
}

/** First row that is neither billed nor paid ahead: the one that still can change. */
export const openRowIndex = (book: Book): number => book.rows.length

const periodStartOf = (book: Book, row: number): DayNumber => (row === book.billed ? book.periodStart : dueDayAt(book, row - 1))

function recomputeInstalment(book: Book, row: number, principal: number): void {
  const rows = Math.max(1, book.lastRow - row)
  const isFixed = book.fixedInstalment > 0
  book.instalment = isFixed ? book.fixedInstalment : instalmentUnderTerms(book.terms, book.annualRatePpb, principal, rows)
  book.trace?.plans.push({ row, principal, annualRatePpb: book.annualRatePpb, rows, instalment: book.instalment, isFixed })
}

function fitTenor(book: Book, row: number): void {
  const needed = rowsNeeded(book, row)
  if (needed === null) {
    // Negative amortisation is no outcome a borrower may be offered: the instalment rises instead.
    book.fixedInstalment = 0
    recomputeInstalment(book, row, book.unbilled)
  } else if (needed > 0) {
    book.lastRow = row + needed
  }
}

/**
 * Computes instalment or tenor anew where a disbursal, part payment or rate change before the open row's period asked for it. Where
 * both are asked for, the instalment is what it would be without what was prepaid to reduce the tenor; then the tenor is reduced.
 */
export function settlePlan(book: Book): void {
  if (book.replanFrom === never && book.fitFrom === never) return
  const row = openRowIndex(book)
  if (row < book.interestOnlyRows || book.deferral !== null) return
  const start = periodStartOf(book, row)
  if (book.replanFrom <= start) {
    book.replanFrom = never
    recomputeInstalment(book, row, book.unbilled + book.keptPrepaid)
  }
  if (book.fitFrom <= start) {
    book.fitFrom = never
    book.keptPrepaid = 0
    if (book.instalment > 0) fitTenor(book, row)
  }
}

/** {@link settlePlan}, before anything happens on a day after the open row's period began. */
export function settlePlanBefore(book: Book, day: DayNumber): void {
  if (book.started && periodStartOf(book, openRowIndex(book)) < day) settlePlan(book)
}

/** The open row as it would be billed; `interest` is what has to be billed in it, which may not be negative. */
function planOpenRow(book: Book, interestNeeded: number): BookRow {
  const index = openRowIndex(book)
  const interest = Math.max(interestNeeded, book.aheadInterest, 0)
  const isInterestOnly = index < book.interestOnlyRows
  let principal = isInterestOnly ? 0 : book.instalment - interest
  if (principal < book.aheadPrincipal) principal = book.aheadPrincipal
  if (principal > book.unbilled || index >= book.lastRow - 1) principal = book.unbilled
  return {
    number: index + 1,
    due: dueDayAt(book, index),
    instalment: isInterestOnly ? 0 : book.instalment,
    interest,
    principal,
    closing: book.unbilled - principal,
    paidInterest: book.aheadInterest,
    paidPrincipal: book.aheadPrincipal,
  }
}

/** The open row, whose period may lie behind rows paid ahead, as things stand. */
export function openRowAsPlanned(book: Book): BookRow {
  settlePlan(book)
  const index = openRowIndex(book)
  let balance = interestBase(book)
  let needed = book.carry + book.accrued + pieceInterest(book, balance, book.accruedTo, book.periodEnd)
  for (let paid = book.billed; paid < index; paid += 1) {
    const row = book.rows[paid]
    if (row === undefined) break
    if (!book.byDays) balance -= row.principal
    needed += wholePeriodInterest(book, balance, paid + 1) - row.interest
  }
  return planOpenRow(book, needed)
}

/** Takes the open row out of what is unbilled, as paid before its due date: its amount never changes again (decision 25). */
export function payOpenRowAhead(book: Book, row: BookRow): void {
  row.paidInterest = row.interest
  row.paidPrincipal = row.principal
  book.rows.push(row)
  book.unbilled -= row.principal
  book.frozenPrincipal += row.principal
  book.aheadInterest = 0
  book.aheadPrincipal = 0
}

function capitalise(book: Book, interest: number): void {
  book.capitalised += interest
  book.capitalisedOn = book.periodEnd
  book.unbilled += interest
  book.deferral = null
}

function passDeferralBoundary(book: Book): void {
  const { deferral } = book
  if (deferral === null) return
  deferral.interest += book.accrued
  deferral.next += 1
  if (deferral.next === deferral.boundaries.length) capitalise(book, deferral.interest)
  openPeriod(book, book.periodEnd, null)
}

function passRowPaidAhead(book: Book, row: BookRow): void {
  book.carry += book.accrued - row.interest
  book.frozenPrincipal -= row.principal
  row.closing = book.unbilled + book.frozenPrincipal
}

function billOpenRow(book: Book): void {
  settlePlan(book)
  const needed = book.accrued + book.carry
  const row = planOpenRow(book, needed)
  book.carry = needed - row.interest
  book.rows.push(row)
  book.unbilled -= row.principal
  book.unpaidPrincipal += row.principal - book.aheadPrincipal
  book.aheadInterest = 0
  book.aheadPrincipal = 0
}

/** The next day on which a row falls due or deferred interest is reckoned; {@link never} when nothing more will. */
export function nextBoundary(book: Book): DayNumber {
  if (!book.started || book.closed) return never
  if (book.deferral !== null) return book.periodEnd
  return book.billed < book.rows.length || hasOpenRow(book) ? book.periodEnd : never
}

/** Ends the open period: bills its row, or passes the row that was paid ahead. */
export function passBoundary(book: Book): void {
  accrueTo(book, book.periodEnd)
  if (book.deferral !== null) {
    passDeferralBoundary(book)
    return
  }
  const paidAhead = book.rows[book.billed]
  if (paidAhead === undefined) billOpenRow(book)
  else passRowPaidAhead(book, paidAhead)
  const due = book.periodEnd
  book.billed += 1
  openPeriod(book, due, null)
}
