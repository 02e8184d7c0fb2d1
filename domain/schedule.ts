import type { Day, DayNumber } from './calendar.ts'
import { dayFromNumber, dayNumber, dueDayFrom, addMonths, monthlyDueDays } from './calendar.ts'
import { equatedInstalment } from './instalment.ts'
import type { Ratio } from './interest.ts'
import { dailyRatio, interestFor, monthlyRatio, thirtyDayRatio } from './interest.ts'
import type { LoanTerms } from './loans.ts'
import type { Paise } from './money.ts'
import { paise } from './money.ts'

/** One row as planned: nothing of it is paid, nothing happens in between. */
export type PlannedRow = { interestPaise: Paise; principalPaise: Paise; closingBalancePaise: Paise }
export type Schedule = { instalmentPaise: Paise; dueDates: readonly Day[]; rows: readonly PlannedRow[] }

/** The instalment of a principal under a product's terms, over so many rows (decision 20). */
export function instalmentUnderTerms(terms: LoanTerms, annualRatePpb: number, principalPaise: number, count: number): number {
  const periodRate = terms.interest === 'actual_365' ? thirtyDayRatio(annualRatePpb) : monthlyRatio(annualRatePpb)
  return equatedInstalment(principalPaise, periodRate, count, terms.instalmentRounding)
}

/** Whether the time from the first disbursal to the first due date is a whole month: it then bears r/12 (decision 20). */
export function isWholeMonth(from: Day, firstDueDate: Day, dueDay: number): boolean {
  return dayNumber(from) === dueDayFrom(firstDueDate, -1, dueDay) || addMonths(from, 1) === firstDueDate
}

/** Below this every product of the loop, doubled, fits in 64 bits. */
const sixtyFourBitLimit = 2n ** 61n

const toInt64 = (value: bigint): bigint => BigInt.asIntN(64, value)

/** One month's share of a balance, in paise, rounded half-even once (decision 20). */
function monthlyInterest(balance: bigint, numerator: bigint, denominator: bigint): bigint {
  const product = toInt64(balance * numerator)
  const quotient = toInt64(product / denominator)
  const twiceRemainder = toInt64(toInt64(product - toInt64(quotient * denominator)) * 2n)
  const roundsUp = twiceRemainder > denominator || (twiceRemainder === denominator && toInt64(quotient & 1n) === 1n)
  return roundsUp ? toInt64(quotient + 1n) : quotient
}

/**
 * Interest, principal and balance row by row, in paise, where each row bears one whole month's share. The last row takes the
 * remainder; if the instalment clears the balance earlier, the rows end earlier (decision 20). Bigints that are wrapped to 64
 * bits stay in machine registers: a fifth of the time of making them from numbers.
 */
export function monthlyRows(principalPaise: Paise, month: Ratio, instalmentPaise: Paise, count: number): PlannedRow[] {
  const numerator = BigInt(month.numerator)
  const denominator = toInt64(BigInt(month.denominator))
  if (principalPaise * numerator >= sixtyFourBitLimit) return rowsOfLargeBalance(principalPaise, month, instalmentPaise, count)
  const share = toInt64(numerator)
  const instalment = toInt64(instalmentPaise)
  const rows: PlannedRow[] = []
  let balance = toInt64(principalPaise)
  for (let left = count; left > 0 && balance > 0n; left -= 1) {
    const interest = monthlyInterest(balance, share, denominator)
    let principal = instalment > interest ? toInt64(instalment - interest) : 0n
    if (left === 1 || principal > balance) principal = balance
    balance = toInt64(balance - principal)
    rows.push({ interestPaise: interest as Paise, principalPaise: principal as Paise, closingBalancePaise: balance as Paise })
  }
  return rows
}

const rowsOfLargeBalance = (principalPaise: Paise, month: Ratio, instalmentPaise: Paise, count: number): PlannedRow[] =>
  rowsOf(Number(principalPaise), Number(instalmentPaise), count, 0, (balance) => interestFor(balance, month, 1))

/** Rows with given interest for each period; `interestOf` gets the balance and the row's index, both in whole numbers. */
function rowsOf(
  principal: number,
  instalment: number,
  count: number,
  interestOnlyRows: number,
  interestOf: (balance: number, index: number) => number,
): PlannedRow[] {
  const rows: PlannedRow[] = []
  let balance = principal
  for (let index = 0; index < count && balance > 0; index += 1) {
    const interest = interestOf(balance, index)
    let part = index < interestOnlyRows ? 0 : Math.max(0, instalment - interest)
    if (index === count - 1 || part > balance) part = balance
    balance -= part
    rows.push({ interestPaise: paise(BigInt(interest)), principalPaise: paise(BigInt(part)), closingBalancePaise: paise(BigInt(balance)) })
  }
  return rows
}

/**
 * The whole schedule of one disbursal: instalment, due dates and rows, without moratorium. For quotes and offers; what a real
 * loan owes comes from its facts (loan-state.ts), and is the same for the same terms.
 */
export function planSchedule(terms: LoanTerms, disbursedOn: Day, principalPaise: Paise): Schedule {
  const principal = Number(principalPaise)
  const days = monthlyDueDays(terms.firstDueDate, terms.dueDay, terms.instalments)
  const dueDates = days.map(dayFromNumber)
  const month = monthlyRatio(terms.annualRatePpb)
  const day = dailyRatio(terms.annualRatePpb)
  const start = dayNumber(disbursedOn)
  const inDays = (balance: number, index: number): number => interestFor(balance, day, periodDays(days, start, index))
  const whole = isWholeMonth(disbursedOn, terms.firstDueDate, terms.dueDay)
  // A deviating first period moves no instalment: the last row takes the remainder.
  const instalment = Number(terms.fixedInstalmentPaise ?? 0n) || instalmentAfterGrace(terms, principal)
  const interestOf =
    terms.interest === 'actual_365'
      ? inDays
      : (balance: number, index: number): number => (index === 0 && !whole ? inDays(balance, 0) : interestFor(balance, month, 1))
  const rows =
    terms.interest === 'monthly' && whole && terms.principalGraceInstalments === 0
      ? monthlyRows(principalPaise, month, paise(BigInt(instalment)), terms.instalments)
      : rowsOf(principal, instalment, terms.instalments, terms.principalGraceInstalments, interestOf)
  return { instalmentPaise: paise(BigInt(instalment)), dueDates: dueDates.slice(0, rows.length), rows }
}

const instalmentAfterGrace = (terms: LoanTerms, principal: number): number =>
  instalmentUnderTerms(terms, terms.annualRatePpb, principal, Math.max(1, terms.instalments - terms.principalGraceInstalments))

const periodDays = (days: readonly DayNumber[], start: DayNumber, index: number): number =>
  (days[index] ?? start) - (index === 0 ? start : (days[index - 1] ?? start))
