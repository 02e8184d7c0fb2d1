import { dayFromNumber, dayNumber, type DayNumber } from './calendar.ts'
import { never, rowPending, type LoanReplay, type ReplayRow } from './replay-state.ts'
import { lateChargeId, lateChargeType, type LoanFacts, type TakenBackHold } from './loans.ts'
import { linkMinimumPaise } from './payments.ts'

/** The next day on which a late charge may be raised. {@link never} if there is none. */
export function nextLateCheck(loan: LoanReplay): DayNumber {
  const rule = loan.terms.lateCharge
  if (rule === null || loan.isClosed) return never
  const held = loan.heldLateChecks.reduce((first, { day }) => Math.min(first, day), never)
  while (loan.lateCheckedRows < loan.billedRows) {
    const row = loan.rows[loan.lateCheckedRows]
    if (row === undefined) return held
    if (rowPending(row) > 0) return Math.min(held, row.due + rule.graceDays + 1)
    loan.lateCheckedRows += 1
  }
  return held
}

/** Takes the row to check on a day, the oldest first. */
function takeLateCheck(loan: LoanReplay, day: DayNumber): ReplayRow | undefined {
  const held = loan.heldLateChecks.filter((check) => check.day === day).toSorted((left, right) => left.row.due - right.row.due)[0]
  if (held !== undefined) {
    loan.heldLateChecks.splice(loan.heldLateChecks.indexOf(held), 1)
    return held.row
  }
  loan.lateCheckedRows += 1
  return loan.rows[loan.lateCheckedRows - 1]
}

/** Whether the instalment of a due day was paid before another day with money taken back later. */
type WasPaidWith = (taken: readonly TakenBackHold[], due: DayNumber, before: DayNumber) => boolean

/**
 * The day on which a row that is held on a day is looked at again: after the last debit of it, or
 * when the first of several amounts was taken back. Null without a hold.
 */
function dayAfterHolds(
  { lateChargeHolds = [] }: LoanFacts,
  { due }: ReplayRow,
  day: DayNumber,
  wasPaidWith: WasPaidWith,
): DayNumber | null {
  const current = lateChargeHolds.filter(({ from, until }) => dayNumber(from) <= day && (until === null || day <= dayNumber(until)))
  const dueDate = dayFromNumber(due)
  const debits = current.filter((hold) => 'dueDates' in hold && hold.dueDates.includes(dueDate))
  const taken = current.filter((hold) => 'takenBack' in hold)
  const ends = debits.map(({ until }) => (until === null ? never : dayNumber(until) + 1))
  const isHeld = taken.some(({ holdsAll }) => holdsAll) || (taken.length > 0 && wasPaidWith(taken, due, day))
  if (isHeld) ends.push(Math.min(...taken.map(({ until }) => dayNumber(until) + 1)))
  return ends.length === 0 ? null : Math.max(...ends)
}

/**
 * Raises a fixed charge on the day after the days of grace if the instalment is still unpaid
 * (decision 21). Less than a payment link may carry raises none (docs/decisions/0213). While the
 * instalment has a hold, the charge waits for its end.
 */
export function raiseLateCharge(loan: LoanReplay, facts: LoanFacts, day: DayNumber, wasPaidWith: WasPaidWith): void {
  const row = takeLateCheck(loan, day)
  const rule = loan.terms.lateCharge
  if (row === undefined || rule === null || rowPending(row) < Number(linkMinimumPaise)) return
  const later = dayAfterHolds(facts, row, day, wasPaidWith)
  if (later !== null) {
    loan.heldLateChecks.push({ row, day: later })
    return
  }
  const chargeId = lateChargeId(dayFromNumber(row.due))
  if (day > loan.lateChargesUntil || facts.charges.some((charge) => charge.chargeId === chargeId)) return
  loan.charges.push({
    chargeId,
    chargeType: lateChargeType,
    day,
    amount: Number(rule.amountPaise),
    paid: 0,
    waived: 0,
    penal: true,
    lateFor: row.due,
  })
}
