import { byDate, dayNumber, type Day } from './calendar.ts'
import { loanStateToPost } from './loan-state.ts'
import type { KeptBills, KeptRow, LoanFacts, ReceivedPayment, ScheduleRow } from './loans.ts'
import { linkMinimumPaise } from './payments.ts'
import { replayLoan } from './replay.ts'
import { instalmentPending } from './schedule.ts'

/** The rows of a loan as on a day, without those of a payoff: what closed the loan was no bill. */
export function billedRows(facts: LoanFacts, day: Day): readonly ScheduleRow[] {
  const { rows, status } = loanStateToPost(facts, day)
  if (status === 'UNKNOWN') return rows
  const payoffs = new Set([...replayLoan(facts, dayNumber(day)).payoffRows].map(({ number }) => number))
  return rows.filter(({ number }) => !payoffs.has(number))
}

/** Of less than ₹1 nothing more can be paid, and a charge of a row is no part of its bill. */
const isUnpaid = (row: ScheduleRow): boolean => instalmentPending(row) >= linkMinimumPaise

/**
 * The bills for days after a day that were paid when a fact of that day became known, up to the
 * first one that was not.
 */
export function billsPaidBy(facts: LoanFacts, day: Day, recordedOn: Day): { kept: readonly KeptRow[]; areAllPaid: boolean } {
  const billed = billedRows(facts, recordedOn).filter(({ dueDate }) => dueDate > day)
  const unpaid = billed.findIndex(isUnpaid)
  const paid = unpaid === -1 ? billed : billed.slice(0, unpaid)
  // A month of ₹0 still to come has not been billed.
  const last = paid.findLastIndex((row) => row.dueDate <= recordedOn || row.repaymentAmountPaise > 0n)
  const kept = paid.slice(0, last + 1).map(({ dueDate, interestPaise, principalPaise }) => ({ dueDate, interestPaise, principalPaise }))
  return { kept, areAllPaid: unpaid === -1 }
}

/** Adds bills that stay to the facts. */
export const withKeptBills = (facts: LoanFacts, bills: KeptBills): LoanFacts => ({
  ...facts,
  keptBills: [...(facts.keptBills ?? []), bills].toSorted((one, other) => byDate(one.takenBack, other.takenBack)),
})

/**
 * The bills that stay when a payment is taken back: of the instalments after it that were paid, up
 * to the first one that other payments do not pay in full. Their amounts would change without the
 * payment, and nobody could have paid more then (decision 25).
 *
 * @param facts the loan's facts with the payment.
 * @param takenOn the day on which it is taken back.
 * @returns null if the payment changed no amount of such an instalment.
 */
export function billsKeptWithout(facts: LoanFacts, payment: ReceivedPayment, takenOn: Day): KeptBills | null {
  const { paymentId, date, amountPaise } = payment
  const others: LoanFacts = {
    ...facts,
    payments: facts.payments.filter((other) => other.paymentId !== paymentId),
    // What only its going makes late has no late charge that other money would pay.
    lateChargeHolds: [
      ...(facts.lateChargeHolds ?? []),
      { from: date, until: takenOn, takenBack: payment, isReversed: true, holdsAll: true },
    ],
  }
  const takenBack = { date, amountPaise }
  const { kept } = billsPaidBy(facts, date, takenOn)
  const rows = paidByOthers(others, { takenBack, rows: kept }, takenOn)
  const billedAnew = new Map(billedRows(others, takenOn).map((row) => [row.dueDate, row.repaymentAmountPaise]))
  const areSame = rows.every((row) => billedAnew.get(row.dueDate) === row.interestPaise + row.principalPaise)
  return areSame ? null : { takenBack, rows }
}

/** Bills up to the first one that the facts' payments do not pay in full. */
function paidByOthers(facts: LoanFacts, { takenBack, rows }: KeptBills, day: Day): readonly KeptRow[] {
  const billed = new Map(billedRows(withKeptBills(facts, { takenBack, rows }), day).map((row) => [row.dueDate, row]))
  const unpaid = rows.findIndex(({ dueDate }) => {
    const row = billed.get(dueDate)
    return row === undefined || isUnpaid(row)
  })
  // The bills before it stay the same without it, and so does what pays them.
  return unpaid === -1 ? rows : rows.slice(0, unpaid)
}
