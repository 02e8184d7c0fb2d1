import { accrueTo, keepLastDueDate, openRowAsPlanned, payOpenRowAhead, recomputePlanBefore } from './billing.ts'
import { dayFromNumber, type DayNumber } from './calendar.ts'
import { assertAdjustment } from './invariants.ts'
import type { LoanReplay, ReplayCharge, ReplayRow } from './replay-state.ts'
import { chargePending, findOldestUnpaidRow, never, recomputeInstalmentAfter, rowPending } from './replay-state.ts'
import type { AllocationLine, LoanAdjustment } from './loans.ts'
import { paiseFromWhole } from './money.ts'
import { linkMinimumPaise, type PaymentPurpose } from './payments.ts'

/**
 * The lines of a payment or an adjustment. `sum` in paise makes the assertion of their sum cheap.
 */
export type Lines = { readonly entries: AllocationLine[]; sum: number }

export const noLines = (): Lines => ({ entries: [], sum: 0 })

const toLine = (
  component: AllocationLine['component'],
  row: ReplayRow | null,
  chargeId: string | null,
  amount: number,
): AllocationLine => ({ component, instalmentNumber: row === null ? null : row.number, chargeId, amountPaise: paiseFromWhole(amount) })

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

/** Adds the used credit as a negative first line. The other lines are what it paid. */
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

/** Pays a billed row, its interest first (decision 21). @returns the money left. */
function payRow(loan: LoanReplay, row: ReplayRow, day: DayNumber, money: number, lines: Lines): number {
  const interest = Math.min(money, row.interest - row.paidInterest)
  if (interest > 0) {
    row.paidInterest += interest
    addLine(lines, 'interest', row, null, interest)
  }
  const principal = Math.min(money - interest, row.principal - row.paidPrincipal)
  if (principal > 0) {
    // Under actual_365 a principal payment changes the balance that bears interest from this day
    // on.
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

/**
 * Pays charges, oldest first, penal ones last (decision 21), but none for an instalment that is not
 * due before a day.
 */
function payCharges(loan: LoanReplay, dueBefore: DayNumber, money: number, lines: Lines): number {
  let left = money
  for (const penal of [false, true]) {
    for (const charge of loan.charges) {
      if (charge.penal === penal && (charge.lateFor === null || charge.lateFor < dueBefore)) left = payCharge(charge, left, lines)
    }
  }
  return left
}

/**
 * Pays what has fallen due, in the product's order: rows due before `dueBefore`, and the charges
 * that are not for a later one (decision 21).
 */
export function payDue(loan: LoanReplay, day: DayNumber, dueBefore: DayNumber, money: number, lines: Lines): number {
  const afterCharges = loan.terms.allocation === 'charges_first' ? payCharges(loan, dueBefore, money, lines) : money
  const afterRows = payRowsDueBefore(loan, day, dueBefore, afterCharges, lines)
  return payCharges(loan, dueBefore, afterRows, lines)
}

/**
 * Pays the open row before its due date, in full or in part (decision 20). An interest-only row is
 * paid like any other row, even if rows paid ahead hold all principal: the loan offers it as the
 * next instalment.
 */
export function payAhead(loan: LoanReplay, day: DayNumber, money: number, lines: Lines): number {
  if (money === 0 || loan.deferral !== null || loan.isClosed || !loan.hasStarted) return money
  const row = openRowAsPlanned(loan)
  const pending = rowPending(row)
  if (pending === 0) {
    // The row bills nothing, as in a grace period without interest: the next row is the next
    // instalment.
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

/**
 * Pays one instalment: the oldest unpaid one, else the next one before its due date. One of which
 * less is left than a payment link may carry is paid together with the next.
 */
function payInstalment(loan: LoanReplay, day: DayNumber, money: number, lines: Lines): number {
  const index = findOldestUnpaidRow(loan)
  const row = loan.rows[index]
  if (index >= loan.billedRows || row === undefined) return payAhead(loan, day, money, lines)
  const isSmall = rowPending(row) < Number(linkMinimumPaise)
  const left = payRow(loan, row, day, money, lines)
  return isSmall && left > 0 ? payInstalment(loan, day, left, lines) : left
}

/** Changes principal between rows. A row due on the same day has the new closing balance. */
export function changePrincipal(loan: LoanReplay, day: DayNumber, change: number): void {
  loan.unbilled += change
  const last = loan.rows[loan.billedRows - 1]
  if (last !== undefined && last.due === day) last.closingBalance += change
}

/**
 * Repays principal early and has the instalment or the tenor computed again. A new instalment by a
 * quote for the next day holds for rows that begin on that day or later, as the preview shows: a
 * row that begins on the evening before follows from earlier facts. Later part payments of that
 * evening count no sooner.
 *
 * @returns the money left.
 */
export function reducePrincipal(
  loan: LoanReplay,
  day: DayNumber,
  quotedFor: DayNumber,
  money: number,
  keep: 'instalment' | 'tenor',
  lines: Lines,
): number {
  const principal = Math.min(money, loan.unbilled - loan.openRowPaidPrincipal)
  if (principal <= 0) return money
  if (keep === 'tenor') recomputePlanBefore(loan, quotedFor)
  accrueTo(loan, day)
  const earliest = loan.recomputeInstalmentFrom === never ? day : Math.max(day, loan.recomputeInstalmentFrom)
  if (keep === 'instalment') {
    loan.recomputeTenorFrom = earliest
    loan.prepaidForTenor += principal
  } else {
    keepLastDueDate(loan, day)
    recomputeInstalmentAfter(loan, Math.max(earliest, quotedFor))
  }
  changePrincipal(loan, day, -principal)
  loan.prepaidPrincipal += principal
  addLine(lines, 'principal', null, null, principal)
  return money - principal
}

/** Pays from the loan's credit. @param pay returns the money left. */
function spendCredit(loan: LoanReplay, day: DayNumber, pay: (credit: number, lines: Lines) => number): void {
  const lines = noLines()
  const left = pay(loan.credit, lines)
  if (left === loan.credit) return
  addCreditUsed(lines, loan.credit - left)
  addAdjustment(loan, day, 'credit_used', null, lines)
  loan.credit = left
}

/** The open row if it falls due on a quote's day and is not paid, else null. */
export function openRowDueOn(loan: LoanReplay, quotedFor: DayNumber): ReplayRow | null {
  if (loan.isClosed || !loan.hasStarted || loan.deferral !== null || loan.rows.length !== loan.billedRows || loan.periodEnd !== quotedFor)
    return null
  const row = openRowAsPlanned(loan)
  return rowPending(row) === 0 ? null : row
}

/**
 * Pays the instalment that falls due on a quote's day from the loan's credit, as the quote did,
 * before a payment that counts from the evening before (decision 55).
 */
function useCreditAsQuoted(loan: LoanReplay, day: DayNumber, quotedFor: DayNumber): void {
  if (quotedFor <= day || loan.credit === 0 || openRowDueOn(loan, quotedFor) === null) return
  spendCredit(loan, day, (credit, lines) => payAhead(loan, day, credit, lines))
}

/**
 * A payment by a quote for the next day can count from the evening before. It first settles what
 * the quote contains as due on the next day, from the loan's credit before the payment; otherwise
 * that instalment would still be open then, which the quote excludes (decision 55).
 * @returns the money left.
 */
export function settleUpToQuote(loan: LoanReplay, day: DayNumber, quotedFor: DayNumber, money: number, lines: Lines): number {
  if (quotedFor <= day || loan.isClosed || !loan.hasStarted) return money
  const left = payDue(loan, day, day + 1, money, lines)
  useCreditAsQuoted(loan, day, quotedFor)
  // Credit can have paid the whole row. The row after it is not due on the quoted day.
  return openRowDueOn(loan, quotedFor) === null ? left : payAhead(loan, day, left, lines)
}

/**
 * Settles a payment by its purpose, except a foreclosure.
 *
 * @param quotedAheadFor null for a quote of the payment's own day, or none.
 * @returns the money that nothing was due for.
 */
export function settle(
  loan: LoanReplay,
  purpose: Exclude<PaymentPurpose, 'FORECLOSURE'> | null,
  day: DayNumber,
  quotedAheadFor: DayNumber | null,
  money: number,
  lines: Lines,
): number {
  const quotedFor = quotedAheadFor ?? day
  let left = money
  if (purpose === 'PAY_EMI') {
    useCreditAsQuoted(loan, day, quotedFor)
    left = payInstalment(loan, day, left, lines)
  }
  // After midnight too, an instalment of the quote's evening is not what the borrower saw overdue.
  if (purpose === 'OVERDUE') left = payDue(loan, day, quotedAheadFor === null ? day : quotedAheadFor - 1, left, lines)
  left = payDue(loan, day, day + 1, left, lines)
  if (purpose !== 'PART_PAYMENT__REDUCE_EMI' && purpose !== 'PART_PAYMENT__REDUCE_TENOR') return left
  left = settleUpToQuote(loan, day, quotedFor, left, lines)
  if (purpose === 'PART_PAYMENT__REDUCE_EMI') return reducePrincipal(loan, day, quotedFor, left, 'tenor', lines)
  return reducePrincipal(loan, day, quotedFor, left, 'instalment', lines)
}

/** Sets aside credit that is to be refunded, as far as there is any. */
export function setCreditAside(loan: LoanReplay): void {
  const part = Math.min(loan.credit, loan.refundShort)
  loan.credit -= part
  loan.refundShort -= part
  loan.held += part
}

/**
 * Pays what has fallen due from the loan's credit (decision 49). Money set aside for refunds is not
 * credit.
 */
export function useCredit(loan: LoanReplay, day: DayNumber): void {
  setCreditAside(loan)
  if (loan.credit === 0) return
  spendCredit(loan, day, (credit, lines) => payDue(loan, day, day + 1, credit, lines))
}
