import type { DayNumber } from './calendar.ts'
import type { LoanReplay, ReplayRow } from './replay-state.ts'
import type { LoanAdjustment } from './loans.ts'

/** Thrown if computed figures cannot be true. The message names the rule, never a borrower. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation'
}

/** Asserts a rule about computed figures, in production too. The message includes `figure`. */
export function assertInvariant(condition: boolean, rule: string, figure?: number | bigint | string): asserts condition {
  if (!condition) throw new InvariantViolation(figure === undefined ? rule : `${rule}: ${figure}`)
}

export type ReportedViolation = { loanNumber: string | null; violation: string }

let listener: (reported: ReportedViolation) => void = () => {}

/**
 * Sets the listener for violations that are reported instead of thrown: the loan is then shown as
 * UNKNOWN, and the server logs the violation.
 */
export function onViolation(listen: (reported: ReportedViolation) => void): void {
  listener = listen
}

export const reportViolation = (reported: ReportedViolation): void => listener(reported)

const safeIntegerMax = Number.MAX_SAFE_INTEGER

/**
 * Asserts that no balance that a fact can reduce is negative; runs after each fact. NaN fails every
 * comparison, so it violates a rule too. One condition covers the usual case, for speed.
 */
export function assertBalancesAfterFact(loan: LoanReplay): void {
  const { unbilled, unpaidPrincipal, openRowPaidPrincipal, credit } = loan
  if (unbilled >= openRowPaidPrincipal && openRowPaidPrincipal >= 0 && unpaidPrincipal >= 0 && credit >= 0) return
  assertInvariant(unbilled >= 0, 'unbilled principal is negative', unbilled)
  assertInvariant(openRowPaidPrincipal >= 0, 'principal paid ahead is negative', openRowPaidPrincipal)
  assertInvariant(openRowPaidPrincipal <= unbilled, 'more principal is paid ahead than is unbilled', openRowPaidPrincipal)
  assertInvariant(unpaidPrincipal >= 0, 'unpaid principal is negative', unpaidPrincipal)
  assertInvariant(credit >= 0, 'credit is negative', credit)
}

/**
 * Asserts once per replay that the other balances are not negative, and that a double holds their
 * sum exactly.
 */
export function assertBalancesAfterReplay(loan: LoanReplay): void {
  const { disbursed, unbilled, unpaidPrincipal, accrued, openRowPaidInterest, prepaidRowsPrincipal, credit, held, refundShort } = loan
  assertInvariant(accrued >= 0, 'accrued interest is negative', accrued)
  assertInvariant(openRowPaidInterest >= 0, 'interest paid ahead is negative', openRowPaidInterest)
  assertInvariant(prepaidRowsPrincipal >= 0, 'principal of rows paid ahead is negative', prepaidRowsPrincipal)
  assertInvariant(held >= 0, 'held money is negative', held)
  assertInvariant(refundShort >= 0, 'the shortfall of refunds is negative', refundShort)
  const total = disbursed + unbilled + unpaidPrincipal + accrued + credit + held
  assertInvariant(total <= safeIntegerMax, 'the balances exceed the exact range of numbers', total)
}

/** Asserts that facts are applied in the order of their days. */
export function assertAscending(previous: DayNumber, day: DayNumber): void {
  assertInvariant(day >= previous, 'a fact is applied before an earlier one', day)
}

/** 2300-01-01. A schedule that begins by 2199 and has at most fifty years of rows ends before. */
const periodEndMax: DayNumber = 120_530

/**
 * Asserts that a period ends after it begins and before {@link periodEndMax}, so that every replay
 * terminates.
 */
export function assertPeriod(start: DayNumber, end: DayNumber): void {
  assertInvariant(end > start, 'a period ends no later than it begins', start)
  assertInvariant(end <= periodEndMax, 'a period ends after every schedule', end)
}

const isValidRow = (row: ReplayRow, number: number, previousDue: DayNumber): boolean =>
  row.number === number &&
  row.due > previousDue &&
  row.paidInterest >= 0 &&
  row.interest >= row.paidInterest &&
  row.paidPrincipal >= 0 &&
  row.principal >= row.paidPrincipal &&
  row.closingBalance >= 0

/** Throws an InvariantViolation with the rule that an invalid row violates. */
function throwRowViolation(row: ReplayRow, number: number, previousDue: DayNumber): void {
  const instalment = `instalment ${number}`
  assertInvariant(row.number === number, 'the numbers of the instalments have a gap', row.number)
  assertInvariant(row.due > previousDue, 'due dates do not ascend', instalment)
  assertInvariant(row.interest >= 0 && row.principal >= 0, 'interest or principal is negative', instalment)
  assertInvariant(
    row.paidInterest >= 0 && row.paidInterest <= row.interest,
    'paid interest is negative or exceeds the interest',
    instalment,
  )
  assertInvariant(
    row.paidPrincipal >= 0 && row.paidPrincipal <= row.principal,
    'paid principal is negative or exceeds the principal',
    instalment,
  )
  assertInvariant(false, 'the closing balance is negative', instalment)
}

/**
 * Asserts the rules of the whole schedule: rows are numbered from 1 without a gap, due dates
 * ascend, no part of a row is negative or overpaid, and the principal of the rows, the prepaid and
 * the unbilled principal sum to the principal lent.
 */
export function assertSchedule(loan: LoanReplay): void {
  let number = 0
  let previousDue = Number.NEGATIVE_INFINITY
  let interest = 0
  let principal = 0
  let unpaidPrincipal = 0
  for (const row of loan.rows) {
    number += 1
    if (!isValidRow(row, number, previousDue)) throwRowViolation(row, number, previousDue)
    previousDue = row.due
    interest += row.interest
    principal += row.principal
    if (number <= loan.billedRows) unpaidPrincipal += row.principal - row.paidPrincipal
  }
  assertInvariant(interest <= safeIntegerMax, 'the interest of all rows exceeds the exact range of numbers', interest)
  const lent = loan.disbursed + loan.capitalised
  assertInvariant(principal + loan.prepaidPrincipal + loan.unbilled === lent, 'rows and prepayments do not sum to the principal lent', lent)
  assertInvariant(unpaidPrincipal === loan.unpaidPrincipal, 'unpaid rows do not sum to the unpaid principal', loan.unpaidPrincipal)
}

/** Asserts that no charge is paid or waived beyond its amount. */
export function assertCharges({ charges }: LoanReplay): void {
  for (const { chargeId, amount, paid, waived } of charges)
    assertInvariant(paid >= 0 && waived >= 0 && paid + waived <= amount, 'a charge is settled beyond its amount', chargeId)
}

/** Asserts that the lines of a payment sum to the payment, in paise. */
export function assertAllocation(sumOfLines: number, amount: number): void {
  assertInvariant(sumOfLines === amount, 'the lines of a payment do not sum to the payment', amount)
}

/**
 * Asserts that the lines of a transfer within the loan sum to zero, and that the lines of a waiver
 * sum to more than zero. In paise.
 */
export function assertAdjustment(reason: LoanAdjustment['reason'], sumOfLines: number): void {
  const isTransfer = reason === 'credit_used' || reason === 'interest_rebated'
  assertInvariant(isTransfer ? sumOfLines === 0 : sumOfLines > 0, 'the lines of an adjustment have a wrong sum', reason)
}

/** Asserts that the parts of a quote sum to the quoted amount, in paise. */
export function assertQuote(parts: readonly { amountPaise: bigint }[], amountPaise: bigint): void {
  const sum = parts.reduce((total, part) => total + part.amountPaise, 0n)
  assertInvariant(sum === amountPaise, 'the parts of a quote do not sum to it', amountPaise)
}

/**
 * Asserts that the parts of a foreclosure, less the credit, sum to the amount of the foreclosure.
 * In paise.
 */
export function assertForeclosureParts(sumOfParts: number, amount: number): void {
  assertInvariant(sumOfParts === amount, 'the parts of a foreclosure do not sum to its amount', amount)
}
