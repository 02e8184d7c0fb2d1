import type { DayNumber } from './calendar.ts'
import { dayFromNumber } from './calendar.ts'
import type { Payoff } from './foreclosure.ts'
import { assertForeclosureParts } from './invariants.ts'
import type { LoanReplay, ReplayRow } from './replay-state.ts'
import { chargePending, findOldestUnpaidRow, rowPending } from './replay-state.ts'
import { isTax, type LoanTerms } from './loans.ts'
import { paise, paiseFromWhole, zeroPaise } from './money.ts'
import { linkMinimumPaise, type AllowedPayments, type AmountParts } from './payments.ts'

const zeroParts: AmountParts = { principalPaise: zeroPaise, interestPaise: zeroPaise, chargesPaise: zeroPaise, taxPaise: zeroPaise }

/** Offers nothing: for a loan that owes nothing, or whose state is unknown. */
export const nothingAllowed: Omit<AllowedPayments, 'linkMaximumPaise'> = {
  overdue: { amountPaise: zeroPaise, dpd: 0, parts: zeroParts },
  nextEmi: null,
  foreclosure: null,
  partPayment: { minPaise: zeroPaise, maxPaise: zeroPaise },
}

/**
 * Unpaid amounts that have fallen due, in paise. A row is overdue if it was due before
 * `overdueBefore`, else it is due today.
 */
export type DueAmounts = {
  overduePrincipal: number
  overdueInterest: number
  dueToday: number
  /** With their tax. */
  charges: number
  tax: number
  oldestOverdue: DayNumber | null
}

/** Adds up what is unpaid of the rows that have fallen due, and of all charges. */
export function dueAmounts(loan: LoanReplay, overdueBefore: DayNumber): DueAmounts {
  const due: DueAmounts = { overduePrincipal: 0, overdueInterest: 0, dueToday: 0, charges: 0, tax: 0, oldestOverdue: null }
  for (const row of loan.rows.slice(findOldestUnpaidRow(loan), loan.billedRows)) {
    if (row.due < overdueBefore) {
      due.oldestOverdue ??= row.due
      due.overduePrincipal += row.principal - row.paidPrincipal
      due.overdueInterest += row.interest - row.paidInterest
    } else {
      due.dueToday += rowPending(row)
    }
  }
  for (const charge of loan.charges) {
    due.charges += chargePending(charge)
    if (isTax(charge)) due.tax += chargePending(charge)
  }
  return due
}

function overdueOption(due: DueAmounts, dpd: number): AllowedPayments['overdue'] {
  const amount = due.overduePrincipal + due.overdueInterest + due.charges
  const parts = {
    principalPaise: paiseFromWhole(due.overduePrincipal),
    interestPaise: paiseFromWhole(due.overdueInterest),
    chargesPaise: paiseFromWhole(due.charges - due.tax),
    taxPaise: paiseFromWhole(due.tax),
  }
  return { amountPaise: paiseFromWhole(amount), dpd, parts }
}

/**
 * Null while an instalment is overdue: money goes to the oldest instalment first (decision 21).
 * What is overdue and less than a link may carry is paid together with the next instalment
 * (docs/decisions/0206).
 */
function nextEmiOption(due: DueAmounts, overdue: AllowedPayments['overdue'], nextRow: ReplayRow | null): AllowedPayments['nextEmi'] {
  const rest = due.oldestOverdue === null ? nothingAllowed.overdue : overdue
  if (nextRow === null || rest.amountPaise >= linkMinimumPaise) return null
  const parts = {
    ...rest.parts,
    principalPaise: paise(rest.parts.principalPaise + paiseFromWhole(nextRow.principal - nextRow.paidPrincipal)),
    interestPaise: paise(rest.parts.interestPaise + paiseFromWhole(nextRow.interest - nextRow.paidInterest)),
  }
  const amountPaise = paise(rest.amountPaise + paiseFromWhole(rowPending(nextRow)))
  return { amountPaise, dueDate: dayFromNumber(nextRow.due), parts }
}

/** A part of the payoff, in paise. */
type Owed = { part: 'interest' | 'principal' | 'charges' | 'tax'; amount: number }
type PayoffInOrder = Payoff & { owed: readonly Owed[] }

/** A payoff with its parts in the order in which a foreclosure settles them (decision 21). */
export function payoffInOrder(loan: LoanReplay, payoff: Payoff): PayoffInOrder {
  const rows = loan.rows.slice(loan.oldestUnpaidIndex, loan.billedRows).flatMap((row): Owed[] => [
    { part: 'interest', amount: row.interest - row.paidInterest },
    { part: 'principal', amount: row.principal - row.paidPrincipal },
  ])
  rows.push({ part: 'interest', amount: payoff.accruedInterest }, { part: 'principal', amount: payoff.unbilledPrincipal })
  const chargesOf = (penal: boolean): Owed[] =>
    loan.charges
      .filter((charge) => charge.penal === penal)
      .map((charge) => ({ part: isTax(charge) ? 'tax' : 'charges', amount: chargePending(charge) }))
  const prepayment: Owed[] = [
    { part: 'charges', amount: payoff.prepaymentCharge },
    { part: 'tax', amount: payoff.prepaymentTax },
  ]
  const charges = [...chargesOf(false), ...prepayment, ...chargesOf(true)]
  return { ...payoff, owed: loan.terms.allocation === 'charges_first' ? [...charges, ...rows] : [...rows, ...charges] }
}

/**
 * Deducts the borrower's own money from what is owed, as the foreclosure will use it, so that the
 * parts are those of its receipt and sum to what is left to pay.
 */
function deductFromParts(owed: readonly Owed[], borrowerMoney: number, leftToPay: number): AmountParts {
  const parts = { interest: 0, principal: 0, charges: 0, tax: 0 }
  let left = borrowerMoney
  for (const { part, amount } of owed) {
    const taken = Math.min(left, amount)
    left -= taken
    parts[part] += amount - taken
  }
  assertForeclosureParts(parts.interest + parts.principal + parts.charges + parts.tax, leftToPay)
  return {
    principalPaise: paiseFromWhole(parts.principal),
    interestPaise: paiseFromWhole(parts.interest),
    chargesPaise: paiseFromWhole(parts.charges),
    taxPaise: paiseFromWhole(parts.tax),
  }
}

function foreclosureOption(terms: LoanTerms, payoff: PayoffInOrder): AllowedPayments['foreclosure'] {
  if (payoff.amount <= 0 || payoff.unbilledPrincipal + payoff.unpaidPrincipal === 0) return null
  const amountPaise = paiseFromWhole(payoff.amount)
  const borrowerMoney = payoff.credit + payoff.rebate
  return {
    amountPaise,
    isLimited: amountPaise > terms.linkMaximumPaise,
    parts: deductFromParts(payoff.owed, borrowerMoney, payoff.amount),
    owedParts: deductFromParts(payoff.owed, 0, payoff.amount + borrowerMoney),
    creditPaise: paiseFromWhole(payoff.credit),
    rebatePaise: paiseFromWhole(payoff.rebate),
  }
}

/**
 * Offered only while no instalment is overdue. At least one full instalment remains (decision 23).
 */
function partPaymentOption(terms: LoanTerms, due: DueAmounts, payoff: Payoff, instalment: number): AllowedPayments['partPayment'] {
  const dueNow = due.dueToday + due.charges
  const min = dueNow + Number(terms.partPaymentMinimumPaise ?? instalment)
  const max = dueNow + payoff.unbilledPrincipal - instalment
  if (due.oldestOverdue !== null || instalment === 0 || max < min) return nothingAllowed.partPayment
  return { minPaise: paiseFromWhole(min), maxPaise: paiseFromWhole(max) }
}

/**
 * The options of one day (decisions 22–24 and 34). `nextRow` is the oldest unpaid row that is not
 * overdue.
 */
export function allowedPaymentsOf(
  terms: LoanTerms,
  due: DueAmounts,
  dpd: number,
  payoff: PayoffInOrder,
  nextRow: ReplayRow | null,
  instalment: number,
): AllowedPayments {
  const overdue = overdueOption(due, dpd)
  return {
    overdue,
    nextEmi: nextEmiOption(due, overdue, nextRow),
    foreclosure: foreclosureOption(terms, payoff),
    partPayment: partPaymentOption(terms, due, payoff, instalment),
    linkMaximumPaise: terms.linkMaximumPaise,
  }
}

/**
 * The first unpaid row that is due on or after a day: the oldest unpaid row that is not overdue.
 */
export function nextUnpaidRow(loan: LoanReplay, dueFrom: DayNumber): ReplayRow | null {
  return loan.rows.find((row) => row.due >= dueFrom && rowPending(row) > 0) ?? null
}

/** True until EMIs begin if interest is deferred until then: there is no row to pay ahead. */
export const isNextEmiDeferred = (loan: LoanReplay): boolean => loan.deferral !== null
