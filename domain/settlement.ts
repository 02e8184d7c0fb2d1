import { accrueTo, openRowAsPlanned, payOpenRowAhead } from './billing.ts'
import type { DayNumber } from './calendar.ts'
import { dayFromNumber } from './calendar.ts'
import type { Book, BookCharge, BookRow, Lines } from './loan-book.ts'
import { chargePending, oldestUnpaidRow, rowPending } from './loan-book.ts'
import type { AllocationLine } from './loans.ts'
import { paise } from './money.ts'

export function allocationLine(
  component: AllocationLine['component'],
  row: BookRow | null,
  chargeId: string | null,
  amountPaise: number,
): AllocationLine {
  return { component, instalmentNumber: row === null ? null : row.number, chargeId, amountPaise: paise(BigInt(amountPaise)) }
}

/** Pays a billed row, its interest first (decision 21). Answers what is left of the money. */
export function payRow(book: Book, row: BookRow, day: DayNumber, money: number, lines: Lines): number {
  const interest = Math.min(money, row.interest - row.paidInterest)
  if (interest > 0) {
    row.paidInterest += interest
    lines.push(allocationLine('interest', row, null, interest))
  }
  const principal = Math.min(money - interest, row.principal - row.paidPrincipal)
  if (principal > 0) {
    // Under actual_365 paying principal changes what bears interest from this day on.
    if (book.byDays) accrueTo(book, day)
    row.paidPrincipal += principal
    book.unpaidPrincipal -= principal
    lines.push(allocationLine('principal', row, null, principal))
  }
  return money - interest - principal
}

/** Pays billed rows due before a day, oldest first. */
function payRowsDueBefore(book: Book, day: DayNumber, dueBefore: DayNumber, money: number, lines: Lines): number {
  let left = money
  while (left > 0) {
    const row = book.rows[oldestUnpaidRow(book)]
    // A row paid ahead is not due before that day either.
    if (row === undefined || row.due >= dueBefore) break
    left = payRow(book, row, day, left, lines)
  }
  return left
}

function payCharge(charge: BookCharge, money: number, lines: Lines): number {
  const part = Math.min(money, chargePending(charge))
  if (part <= 0) return money
  charge.paid += part
  lines.push(allocationLine('charge', null, charge.chargeId, part))
  return money - part
}

/** Pays charges, oldest first, penal ones last (decision 21). */
function payCharges(book: Book, money: number, lines: Lines): number {
  let left = money
  for (const penal of [false, true]) {
    for (const charge of book.charges) {
      if (charge.penal === penal) left = payCharge(charge, left, lines)
    }
  }
  return left
}

/** Pays on a day what has fallen due, in the product's order: rows due before another day and all charges (decision 21). */
export function payDue(book: Book, day: DayNumber, dueBefore: DayNumber, money: number, lines: Lines): number {
  const chargesFirst = book.terms.allocation === 'charges_first'
  let left = money
  if (chargesFirst) left = payCharges(book, left, lines)
  left = payRowsDueBefore(book, day, dueBefore, left, lines)
  if (!chargesFirst) left = payCharges(book, left, lines)
  return left
}

/**
 * Pays the open row before its due date, wholly or in part (decision 20). A row that bills only interest is paid like any other row,
 * also when all principal lies in rows that were paid ahead: the loan offers it as the next instalment.
 */
export function payAhead(book: Book, day: DayNumber, money: number, lines: Lines): number {
  if (money === 0 || book.deferral !== null || book.closed || !book.started) return money
  const row = openRowAsPlanned(book)
  const pending = rowPending(row)
  if (pending === 0) {
    // A row of nothing, as in a grace period without interest: the next instalment is the one behind it.
    if (book.unbilled === 0) return money
    payOpenRowAhead(book, row)
    return payAhead(book, day, money, lines)
  }
  const interest = Math.min(money, row.interest - row.paidInterest)
  const principal = Math.min(money - interest, row.principal - row.paidPrincipal)
  if (interest > 0) lines.push(allocationLine('interest', row, null, interest))
  if (principal > 0) {
    if (book.byDays) accrueTo(book, day)
    lines.push(allocationLine('principal', row, null, principal))
  }
  if (interest + principal === pending) {
    payOpenRowAhead(book, row)
  } else {
    book.aheadInterest += interest
    book.aheadPrincipal += principal
  }
  return money - interest - principal
}

/** A payment of one instalment: the oldest that is unpaid, or else the next one, ahead of its day. */
function payInstalment(book: Book, day: DayNumber, money: number, lines: Lines): number {
  const index = oldestUnpaidRow(book)
  const row = book.rows[index]
  return index < book.billed && row !== undefined ? payRow(book, row, day, money, lines) : payAhead(book, day, money, lines)
}

/** Changes principal on a day between rows; a row due that very day closes with it. */
export function changePrincipal(book: Book, day: DayNumber, change: number): void {
  book.unbilled += change
  const last = book.rows[book.billed - 1]
  if (last !== undefined && last.due === day) last.closing += change
}

/** Repays principal before its time and has the instalment or the tenor computed anew. Answers what is left of the money. */
export function reducePrincipal(book: Book, day: DayNumber, money: number, keep: 'instalment' | 'tenor', lines: Lines): number {
  const principal = Math.min(money, book.unbilled - book.aheadPrincipal)
  if (principal <= 0) return money
  accrueTo(book, day)
  if (keep === 'instalment') {
    book.fitFrom = day
    book.keptPrepaid += principal
  } else {
    book.fixedInstalment = 0
    book.replanFrom = day
  }
  changePrincipal(book, day, -principal)
  lines.push(allocationLine('principal', null, null, principal))
  return money - principal
}

/**
 * A payment by a quote for the next day that counts from the evening before settles first what the quote has as due on the next day:
 * the instalment of that day, the loan's credit before the payment. Otherwise that instalment would still be open on the next day,
 * which the quote did not say (decision 55). Answers what is left of the money.
 */
export function settleUpToQuote(book: Book, day: DayNumber, quotedFor: DayNumber, money: number, lines: Lines): number {
  if (quotedFor <= day || book.closed || !book.started || book.deferral !== null) return money
  const left = payDue(book, day, day + 1, money, lines)
  const isOpen = book.rows.length === book.billed && book.periodEnd === quotedFor
  if (left === 0 || !isOpen || rowPending(openRowAsPlanned(book)) === 0) return left
  const fromCredit: Lines = []
  const creditLeft = payAhead(book, day, book.credit, fromCredit)
  if (creditLeft < book.credit) {
    fromCredit.unshift(allocationLine('excess', null, null, creditLeft - book.credit))
    book.adjustments.push({ date: dayFromNumber(day), reason: 'credit_used', paymentId: null, lines: fromCredit })
    book.credit = creditLeft
  }
  // The credit may have paid the row whole; the row behind it is not of the quoted day.
  return book.rows.length === book.billed ? payAhead(book, day, left, lines) : left
}

/** Where money goes that was received for a purpose, foreclosure excepted. Answers what nothing was due for. */
export function settle(
  book: Book,
  purpose: 'PAY_EMI' | 'OVERDUE' | 'PART_PAYMENT__REDUCE_EMI' | 'PART_PAYMENT__REDUCE_TENOR' | null,
  day: DayNumber,
  quotedFor: DayNumber,
  money: number,
  lines: Lines,
): number {
  let left = money
  if (purpose === 'PAY_EMI') left = payInstalment(book, day, left, lines)
  if (purpose === 'OVERDUE') left = payDue(book, day, day, left, lines)
  left = payDue(book, day, day + 1, left, lines)
  if (left === 0) return 0
  if (purpose !== 'PART_PAYMENT__REDUCE_EMI' && purpose !== 'PART_PAYMENT__REDUCE_TENOR') return left
  left = settleUpToQuote(book, day, quotedFor, left, lines)
  if (purpose === 'PART_PAYMENT__REDUCE_EMI') return reducePrincipal(book, day, left, 'tenor', lines)
  return reducePrincipal(book, day, left, 'instalment', lines)
}

/** Sets aside credit that is to be sent back, as far as there is any. */
export function setCreditAside(book: Book): void {
  const part = Math.min(book.credit, book.refundShort)
  book.credit -= part
  book.refundShort -= part
  book.held += part
}

/** Uses the loan's credit for what has fallen due (decision 49). What is to be sent back is no credit any more. */
export function useCredit(book: Book, day: DayNumber): void {
  if (book.refundShort > 0) setCreditAside(book)
  if (book.credit === 0) return
  const lines: Lines = []
  const left = payDue(book, day, day + 1, book.credit, lines)
  const used = book.credit - left
  if (used === 0) return
  lines.unshift(allocationLine('excess', null, null, -used))
  book.adjustments.push({ date: dayFromNumber(day), reason: 'credit_used', paymentId: null, lines })
  book.credit = left
}
