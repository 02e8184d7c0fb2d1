import { accrueTo, interestOfDayBefore, interestToDate, openRowIndex } from './billing.ts'
import type { DayNumber } from './calendar.ts'
import { dayFromNumber } from './calendar.ts'
import type { LoanReplay, ReplayRow } from './replay-state.ts'
import { chargePending, dueDayAt, interestBearingPrincipal, findOldestUnpaidRow, never } from './replay-state.ts'
import { paiseFromWhole, shareHalfEven } from './money.ts'
import {
  addAdjustment,
  addCreditUsed,
  addLine,
  noLines,
  openRowDueOn,
  payAhead,
  payDue,
  reducePrincipal,
  type Lines,
} from './allocation.ts'
import { wholePpb } from './rates.ts'

/**
 * What closes a loan on a day, in paise. The amount is the sum of the parts less credit and rebate
 * (decision 24).
 */
export type Payoff = {
  unpaidInterest: number
  unpaidPrincipal: number
  /** Of the open period and of deferred interest, up to the day. */
  accruedInterest: number
  unbilledPrincipal: number
  charges: number
  prepaymentCharge: number
  prepaymentTax: number
  credit: number
  /** Interest billed in rows paid ahead for days after the loan is closed. */
  rebate: number
  amount: number
}

/** Charge types of a foreclosure. The key facts statement must list them (india.md R2). */
export const prepaymentChargeType = 'PREPAYMENT_CHARGE'
export const prepaymentTaxType = 'PREPAYMENT_CHARGE_TAX'

/**
 * Interest accrued up to a day and not billed. Negative if rows paid ahead billed more than has
 * accrued.
 */
function unbilledInterest(loan: LoanReplay, day: DayNumber): number {
  let interest = interestToDate(loan, day) + loan.carriedInterest - loan.openRowPaidInterest + (loan.deferral?.interest ?? 0)
  for (const row of loan.rows.slice(loan.billedRows)) interest -= row.interest
  return interest
}

const prepaymentId = (day: DayNumber): string => `prepayment_charge:${dayFromNumber(day)}`
const prepaymentTaxId = (day: DayNumber): string => `prepayment_charge_tax:${dayFromNumber(day)}`

/** The id of the tax of a charge that a foreclosure raised; null for any other charge. */
export const prepaymentTaxIdOf = (chargeId: string): string | null =>
  chargeId.startsWith('prepayment_charge:') ? chargeId.replace('prepayment_charge:', 'prepayment_charge_tax:') : null

/**
 * True for a charge that a foreclosure raised. A stored charge replaces the derived one (decision
 * 21).
 */
export const isPrepaymentCharge = (chargeId: string): boolean => /^prepayment_charge(_tax)?:/.test(chargeId)

/** The disclosed charge on the prepaid principal, and its tax (decision 24). */
function prepaymentChargeOn(loan: LoanReplay, day: DayNumber, principal: number): { charge: number; tax: number } {
  const rule = loan.terms.prepaymentCharge
  if (loan.charges.some(({ chargeId }) => chargeId === prepaymentId(day))) return { charge: 0, tax: 0 }
  const charge =
    loan.storedPrepaymentCharges.get(prepaymentId(day)) ?? (rule === null ? 0 : shareHalfEven(principal, rule.ratePpb, wholePpb))
  const tax =
    loan.storedPrepaymentCharges.get(prepaymentTaxId(day)) ?? (rule === null ? 0 : shareHalfEven(charge, rule.taxRatePpb, wholePpb))
  return { charge, tax }
}

/**
 * What closes the loan on a value date. That day itself bears no interest (decisions 20 and 24).
 *
 * @param quotedFor the day after, for a payment that counts from the evening before its quote. What
 * is left of the row that falls due then is not prepaid: as in the quote, it bears no charge.
 */
export function payoffOn(loan: LoanReplay, day: DayNumber, quotedFor = day): Payoff {
  let unpaidInterest = 0
  let unpaidPrincipal = 0
  for (const row of loan.rows.slice(loan.oldestUnpaidIndex, loan.billedRows)) {
    unpaidInterest += row.interest - row.paidInterest
    unpaidPrincipal += row.principal - row.paidPrincipal
  }
  let charges = 0
  for (const charge of loan.charges) charges += chargePending(charge)
  const interest = unbilledInterest(loan, day)
  const accruedInterest = Math.max(0, interest)
  const rebate = Math.max(0, -interest)
  const unbilledPrincipal = loan.unbilled - loan.openRowPaidPrincipal
  const rowOfQuote = quotedFor > day ? openRowDueOn(loan, quotedFor) : null
  const prepaidPrincipal = rowOfQuote?.closingBalance ?? unbilledPrincipal
  const { charge: prepaymentCharge, tax: prepaymentTax } = prepaymentChargeOn(loan, day, prepaidPrincipal)
  const owed = unpaidInterest + unpaidPrincipal + accruedInterest + unbilledPrincipal + charges + prepaymentCharge + prepaymentTax
  return {
    unpaidInterest,
    unpaidPrincipal,
    accruedInterest,
    unbilledPrincipal,
    charges,
    prepaymentCharge,
    prepaymentTax,
    credit: loan.credit,
    rebate,
    amount: owed - loan.credit - rebate,
  }
}

/**
 * Interest of the day before a value date, as far as it is unpaid. A foreclosure that began in time
 * can be short by this amount (decision 24). On a due date that interest has just been billed.
 */
function interestOfLastDay(loan: LoanReplay, day: DayNumber, payoff: Payoff): number {
  const interest = day === loan.periodStart ? loan.lastDayInterestOfEndedPeriod : interestOfDayBefore(loan, day)
  return Math.min(payoff.accruedInterest + unpaidInterestBilledOn(loan, day), Math.max(0, interest))
}

/** The row that fell due on a day. */
const rowBilledOn = (loan: LoanReplay, day: DayNumber): ReplayRow | undefined => {
  const row = loan.rows[loan.billedRows - 1]
  return row?.due === day ? row : undefined
}

function unpaidInterestBilledOn(loan: LoanReplay, day: DayNumber): number {
  const row = rowBilledOn(loan, day)
  return row === undefined ? 0 : row.interest - row.paidInterest
}

/**
 * Takes interest of the last day out of the row that billed it.
 *
 * @returns what is left to waive: of interest that is not billed.
 */
function waiveBilledInterest(loan: LoanReplay, day: DayNumber, amount: number, lines: Lines): number {
  const row = rowBilledOn(loan, day)
  const waived = Math.min(amount, unpaidInterestBilledOn(loan, day))
  if (row === undefined || waived === 0) return amount
  row.interest -= waived
  addLine(lines, 'interest', row, null, waived)
  return amount - waived
}

/** Raises the prepayment charge and its tax, at most once a day. */
function chargePrepayment(loan: LoanReplay, day: DayNumber, payoff: Payoff): void {
  const add = (chargeId: string, chargeType: string, amount: number): void => {
    if (amount > 0) loan.charges.push({ chargeId, chargeType, day, amount, paid: 0, waived: 0, penal: false, lateFor: null })
  }
  add(prepaymentId(day), prepaymentChargeType, payoff.prepaymentCharge)
  add(prepaymentTaxId(day), prepaymentTaxType, payoff.prepaymentTax)
}

/** Bills everything left in one closing row. Its due date is that of the open row. */
function billClosingRow(loan: LoanReplay, day: DayNumber, payoff: Payoff, waived: number): void {
  let later = 0
  for (const row of loan.rows.slice(loan.billedRows).toReversed()) {
    row.closingBalance = later + loan.unbilled
    later += row.principal
  }
  const interest = payoff.accruedInterest - waived + loan.openRowPaidInterest
  if (loan.unbilled > 0 || interest > 0) {
    const index = openRowIndex(loan)
    const row: ReplayRow = {
      number: index + 1,
      due: dueDayAt(loan, index),
      instalment: loan.instalment,
      interest,
      principal: loan.unbilled,
      closingBalance: 0,
      paidInterest: loan.openRowPaidInterest,
      paidPrincipal: loan.openRowPaidPrincipal,
    }
    loan.rows.push(row)
    loan.payoffRows.add(row)
  }
  loan.unpaidPrincipal += loan.unbilled - loan.openRowPaidPrincipal
  loan.unbilled = 0
  loan.prepaidRowsPrincipal = 0
  loan.openRowPaidInterest = 0
  loan.openRowPaidPrincipal = 0
  loan.accrued = 0
  loan.accruedUntil = day
  loan.accruedDayBefore = 0
  loan.lastDayInterestOfEndedPeriod = 0
  loan.carriedInterest = 0
  loan.deferral = null
  loan.isClosed = true
  loan.billedRows = loan.rows.length
  loan.rowCount = loan.rows.length
}

/** Takes interest of days that never come out of rows paid ahead, the latest row first. */
function rebateLines(loan: LoanReplay, rebate: number): Lines {
  const lines = noLines()
  let left = rebate
  for (const row of loan.rows.toReversed()) {
    const part = Math.min(left, row.interest)
    if (part > 0) addLine(lines, 'interest', row, null, -part)
    left -= part
  }
  return lines
}

/** Pays everything due or billed. @returns the money left. */
const payAll = (loan: LoanReplay, day: DayNumber, money: number, lines: Lines): number => payDue(loan, day, never, money, lines)

function applyBorrowerMoney(
  loan: LoanReplay,
  day: DayNumber,
  paymentId: string | null,
  reason: 'credit_used' | 'interest_rebated',
  lines: Lines,
  money: number,
): void {
  if (money === 0) return
  const left = payAll(loan, day, money, lines)
  loan.credit += left
  if (left > 0) addLine(lines, 'excess', null, null, left)
  addAdjustment(loan, day, reason, paymentId, lines)
}

/**
 * Bills everything left and pays it from the borrower's credit and rebate as far as they reach.
 *
 * @param waived interest of the last day that is neither paid nor owed.
 */
function closeLoan(loan: LoanReplay, day: DayNumber, payoff: Payoff, waived: number, paymentId: string | null): void {
  // The payoff contains this interest already. It is traced for the explanation of the closing row.
  accrueTo(loan, day)
  billClosingRow(loan, day, payoff, waived)
  const rebate = rebateLines(loan, payoff.rebate)
  const { credit } = loan
  loan.credit = 0
  const fromCredit = noLines()
  addCreditUsed(fromCredit, credit)
  applyBorrowerMoney(loan, day, paymentId, 'credit_used', fromCredit, credit)
  applyBorrowerMoney(loan, day, paymentId, 'interest_rebated', rebate, payoff.rebate)
}

/**
 * Closes the loan with a foreclosure payment. If the payment is short by more than one day's
 * interest, closes nothing and records the shortfall (decision 54).
 *
 * @returns the money left; null if the loan is not closed.
 */
export function foreclose(loan: LoanReplay, day: DayNumber, payoff: Payoff, paymentId: string, money: number, lines: Lines): number | null {
  const short = Math.max(0, payoff.amount - money)
  if (short > interestOfLastDay(loan, day, payoff)) {
    loan.shortForeclosures.push({ paymentId, date: dayFromNumber(day), shortPaise: paiseFromWhole(short) })
    return null
  }
  chargePrepayment(loan, day, payoff)
  const waivedInterest = noLines()
  const unbilledShort = waiveBilledInterest(loan, day, short, waivedInterest)
  closeLoan(loan, day, payoff, unbilledShort, paymentId)
  if (unbilledShort > 0) addLine(waivedInterest, 'interest', loan.rows.at(-1) ?? null, null, unbilledShort)
  if (short > 0) addAdjustment(loan, day, 'interest_waived', paymentId, waivedInterest)
  return payAll(loan, day, money, lines)
}

/**
 * What is left to pay on a day as far as it is owed already, in paise. The prepayment charge is
 * excluded: only a foreclosure that the borrower pays raises it.
 */
export function payoffWithoutPrepaymentCharge(loan: LoanReplay, day: DayNumber): Payoff {
  const payoff = payoffOn(loan, day)
  const { prepaymentCharge, prepaymentTax } = payoff
  return { ...payoff, prepaymentCharge: 0, prepaymentTax: 0, amount: payoff.amount - prepaymentCharge - prepaymentTax }
}

/**
 * Closes the loan by writing off the rest, if the rest is not more than the decided amount
 * (decision 54).
 */
export function waiveForeclosure(loan: LoanReplay, day: DayNumber, amountMax: number): void {
  if (loan.isClosed || !loan.hasStarted) return
  const payoff = payoffWithoutPrepaymentCharge(loan, day)
  if (payoff.amount <= 0 || payoff.amount > amountMax) return
  closeLoan(loan, day, payoff, 0, null)
  const lines = noLines()
  payAll(loan, day, payoff.amount, lines)
  addAdjustment(loan, day, 'foreclosure_waive', null, lines)
}

/**
 * Turns interest that rows paid ahead billed for later days into credit once no principal bears
 * interest: no later row can correct it then (decision 25).
 *
 * @param paymentId the payment that caused this; null for a due date.
 */
export function returnOverpaidInterest(loan: LoanReplay, day: DayNumber, paymentId: string | null): void {
  if (loan.unbilled > 0 || loan.isClosed || interestBearingPrincipal(loan) > 0 || findOldestUnpaidRow(loan) < loan.billedRows) return
  const amount = -unbilledInterest(loan, day)
  if (amount <= 0) return
  const last = loan.rows.at(-1) ?? null
  const lines = noLines()
  addLine(lines, 'interest', last, null, -amount)
  addLine(lines, 'excess', null, null, amount)
  addAdjustment(loan, day, 'interest_rebated', paymentId, lines)
  loan.carriedInterest += amount
  loan.credit += amount
}

/**
 * Settles a foreclosure payment that is too small to close the loan (decision 54): first what is
 * due, then principal on its value date, with the instalment unchanged. If it repays all principal,
 * the loan owes the prepayment charge, and the rest of the money pays the interest of the open row,
 * then charges. So the shortfall is what is left to pay that day.
 *
 * @returns the money left: interest deferred until EMIs begin cannot be paid before.
 */
export function settleShortForeclosure(loan: LoanReplay, day: DayNumber, payoff: Payoff, money: number, lines: Lines): number {
  const left = payDue(loan, day, day + 1, money, lines)
  const rest = reducePrincipal(loan, day, day, left, 'instalment', lines)
  if (left < payoff.unbilledPrincipal) return rest
  chargePrepayment(loan, day, payoff)
  return payDue(loan, day, day + 1, payAhead(loan, day, rest, lines), lines)
}
