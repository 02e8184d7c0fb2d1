import { accrueTo, openRowAsPlanned, payOpenRowAhead } from './billing.ts'
import { dayFromNumber, type DayNumber } from './calendar.ts'
import { assertAdjustment } from './invariants.ts'
import type { LoanReplay, ReplayCharge, ReplayRow } from './loan-replay.ts'
import { chargePending, findOldestUnpaidRow, rowPending } from './loan-replay.ts'
import type { AllocationLine, LoanAdjustment } from './loans.ts'
import { paise } from './money.ts'

/** The lines of a payment or an adjustment. `sum` is in paise and makes it cheap to assert that the lines sum to the whole. */
export type Lines = { readonly entries: AllocationLine[]; sum: number }

export const noLines = (): Lines => ({ entries: [], sum: 0 })

const toLine = (
  component: AllocationLine['component'],
  row: ReplayRow | null,
  chargeId: string | null,
  amount: number,
): AllocationLine => ({ component, instalmentNumber: row === null ? null : row.number, chargeId, amountPaise: paise(BigInt(amount)) })

/** Adds a line for an amount in paise. */
export function addLine(
  lines: Lines,
  component: AllocationLine['component'],
  row: ReplayRow | null,
  chargeId: string | null,
  amount: number,
): void {
  lines.entries.push(toLine(component, row, chargeId, amount))
  lines.sum += amount
}

/** Puts the credit that paid the lines before them, as a negative amount. */
export function addCreditUsed(lines: Lines, used: number): void {
  lines.entries.unshift(toLine('excess', null, null, -used))
  lines.sum -= used
}

/** Records money moved inside the loan without a payment. */
export function addAdjustment(
  loan: LoanReplay,
  day: DayNumber,
  reason: LoanAdjustment['reason'],
  paymentId: string | null,
  lines: Lines,
): void {
  assertAdjustment(reason, lines.sum)
  loan.adjustments.push({ date: dayFromNumber(day), reason, paymentId, lines: lines.entries })
}

/** Pays a billed row, its interest first (decision 21). Answers what is left of the money. */
function payRow(loan: LoanReplay, row: ReplayRow, day: DayNumber, money: number, lines: Lines): number {
  const interest = Math.min(money, row.interest - row.paidInterest)
  if (interest > 0) {
    row.paidInterest += interest
    addLine(lines, 'interest', row, null, interest)
  }
  const principal = Math.min(money - interest, row.principal - row.paidPrincipal)
  if (principal > 0) {
    // Under actual_365 paying principal changes what bears interest from this day on.
    if (loan.accruesDaily) accrueTo(loan, day)
    row.paidPrincipal += principal
    loan.unpaidPrincipal -= principal
    addLine(lines, 'principal', row, null, principal)
  }
  return money - interest - principal
}

/** Pays billed rows due before a day, oldest first. */
function payRowsDueBefore(loan: LoanReplay, day: DayNumber, dueBefore: DayNumber, money: number, lines: Lines): number {
  let left = money
  while (left > 0) {
    const row = loan.rows[findOldestUnpaidRow(loan)]
    // A row paid ahead is not due before that day either.
    if (row === undefined || row.due >= dueBefore) break
    left = payRow(loan, row, day, left, lines)
  }
  return left
}

function payCharge(charge: ReplayCharge, money: number, lines: Lines): number {
  const part = Math.min(money, chargePending(charge))
  if (part <= 0) return money
  charge.paid += part
  addLine(lines, 'charge', null, charge.chargeId, part)
  return money - part
}

/** Pays charges, oldest first, penal ones last (decision 21). */
function payCharges(loan: LoanReplay, money: number, lines: Lines): number {
  let left = money
  for (const penal of [false, true]) {
    for (const charge of loan.charges) {
      if (charge.penal === penal) left = payCharge(charge, left, lines)
    }
  }
  return left
}

/** Pays on a day what has fallen due, in the product's order: rows due before another day and all charges (decision 21). */
export function payDue(loan: LoanReplay, day: DayNumber, dueBefore: DayNumber, money: number, lines: Lines): number {
  const chargesFirst = loan.terms.allocation === 'charges_first'
  let left = money
  if (chargesFirst) left = payCharges(loan, left, lines)
  left = payRowsDueBefore(loan, day, dueBefore, left, lines)
  if (!chargesFirst) left = payCharges(loan, left, lines)
  return left
}

/**
 * Pays the open row before its due date, wholly or in part (decision 20). A row that bills only interest is paid like any other row,
 * also when all principal lies in rows that were paid ahead: the loan offers it as the next instalment.
 */
export function payAhead(loan: LoanReplay, day: DayNumber, money: number, lines: Lines): number {
  if (money === 0 || loan.deferral !== null || loan.isClosed || !loan.hasStarted) return money
  const row = openRowAsPlanned(loan)
  const pending = rowPending(row)
  if (pending === 0) {
    // A row of nothing, as in a grace period without interest: the next instalment is the one behind it.
    if (loan.unbilled === 0) return money
    payOpenRowAhead(loan, row)
    return payAhead(loan, day, money, lines)
  }
  const interest = Math.min(money, row.interest - row.paidInterest)
  const principal = Math.min(money - interest, row.principal - row.paidPrincipal)
  if (interest > 0) addLine(lines, 'interest', row, null, interest)
  if (principal > 0) {
    if (loan.accruesDaily) accrueTo(loan, day)
    addLine(lines, 'principal', row, null, principal)
  }
  if (interest + principal === pending) {
    payOpenRowAhead(loan, row)
  } else {
    loan.openRowPaidInterest += interest
    loan.openRowPaidPrincipal += principal
  }
  return money - interest - principal
}

/** A payment of one instalment: the oldest that is unpaid, or else the next one, ahead of its day. */
function payInstalment(loan: LoanReplay, day: DayNumber, money: number, lines: Lines): number {
  const index = findOldestUnpaidRow(loan)
  const row = loan.rows[index]
  return index < loan.billedRows && row !== undefined ? payRow(loan, row, day, money, lines) : payAhead(loan, day, money, lines)
}

/** Changes principal on a day between rows; a row due that very day closes with it. */
export function changePrincipal(loan: LoanReplay, day: DayNumber, change: number): void {
  loan.unbilled += change
  const last = loan.rows[loan.billedRows - 1]
  if (last !== undefined && last.due === day) last.closingBalance += change
}

/** Repays principal before its time and has the instalment or the tenor computed anew. Answers what is left of the money. */
export function reducePrincipal(loan: LoanReplay, day: DayNumber, money: number, keep: 'instalment' | 'tenor', lines: Lines): number {
  const principal = Math.min(money, loan.unbilled - loan.openRowPaidPrincipal)
  if (principal <= 0) return money
  accrueTo(loan, day)
  if (keep === 'instalment') {
    loan.recomputeTenorFrom = day
    loan.prepaidForTenor += principal
  } else {
    loan.fixedInstalment = 0
    loan.recomputeInstalmentFrom = day
  }
  changePrincipal(loan, day, -principal)
  loan.prepaidPrincipal += principal
  addLine(lines, 'principal', null, null, principal)
  return money - principal
}

/**
 * A payment by a quote for the next day that counts from the evening before settles first what the quote has as due on the next day:
 * the instalment of that day, the loan's credit before the payment. Otherwise that instalment would still be open on the next day,
 * which the quote did not say (decision 55). Answers what is left of the money.
 */
export function settleUpToQuote(loan: LoanReplay, day: DayNumber, quotedFor: DayNumber, money: number, lines: Lines): number {
  if (quotedFor <= day || loan.isClosed || !loan.hasStarted || loan.deferral !== null) return money
  const left = payDue(loan, day, day + 1, money, lines)
  const isOpen = loan.rows.length === loan.billedRows && loan.periodEnd === quotedFor
  if (left === 0 || !isOpen || rowPending(openRowAsPlanned(loan)) === 0) return left
  const fromCredit = noLines()
  const creditLeft = payAhead(loan, day, loan.credit, fromCredit)
  if (creditLeft < loan.credit) {
    addCreditUsed(fromCredit, loan.credit - creditLeft)
    addAdjustment(loan, day, 'credit_used', null, fromCredit)
    loan.credit = creditLeft
  }
  // The credit may have paid the row whole; the row behind it is not of the quoted day.
  return loan.rows.length === loan.billedRows ? payAhead(loan, day, left, lines) : left
}

/** Where money goes that was received for a purpose, foreclosure excepted. Answers what nothing was due for. */
export function settle(
  loan: LoanReplay,
  purpose: 'PAY_EMI' | 'OVERDUE' | 'PART_PAYMENT__REDUCE_EMI' | 'PART_PAYMENT__REDUCE_TENOR' | null,
  day: DayNumber,
  quotedFor: DayNumber,
  money: number,
  lines: Lines,
): number {
  let left = money
  if (purpose === 'PAY_EMI') left = payInstalment(loan, day, left, lines)
  if (purpose === 'OVERDUE') left = payDue(loan, day, day, left, lines)
  left = payDue(loan, day, day + 1, left, lines)
  if (left === 0) return 0
  if (purpose !== 'PART_PAYMENT__REDUCE_EMI' && purpose !== 'PART_PAYMENT__REDUCE_TENOR') return left
  left = settleUpToQuote(loan, day, quotedFor, left, lines)
  if (purpose === 'PART_PAYMENT__REDUCE_EMI') return reducePrincipal(loan, day, left, 'tenor', lines)
  return reducePrincipal(loan, day, left, 'instalment', lines)
}

/** Sets aside credit that is to be sent back, as far as there is any. */
export function setCreditAside(loan: LoanReplay): void {
  const part = Math.min(loan.credit, loan.refundShort)
  loan.credit -= part
  loan.refundShort -= part
  loan.held += part
}

/** Uses the loan's credit for what has fallen due (decision 49). What is to be sent back is no credit any more. */
export function useCredit(loan: LoanReplay, day: DayNumber): void {
  if (loan.refundShort > 0) setCreditAside(loan)
  if (loan.credit === 0) return
  const lines = noLines()
  const left = payDue(loan, day, day + 1, loan.credit, lines)
  const used = loan.credit - left
  if (used === 0) return
  addCreditUsed(lines, used)
  addAdjustment(loan, day, 'credit_used', null, lines)
  loan.credit = left
}
