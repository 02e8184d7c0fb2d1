import type { Day, DayNumber } from './calendar.ts'
import { dayNumber, dueDayFrom, monthlyDueDays } from './calendar.ts'
import type { Ratio } from './interest.ts'
import { dailyRatio, monthlyRatio } from './interest.ts'
import type { LoanAdjustment, LoanTerms, PaymentAllocation, ShortForeclosure } from './loans.ts'
import { assertPeriod } from './invariants.ts'
import { isWholeMonth } from './schedule.ts'

/** No day: later than every day. */
export const never = Number.POSITIVE_INFINITY

/** A row that has been billed or paid ahead. Amounts are paise in safe integers. */
export type ReplayRow = {
  number: number
  due: DayNumber
  /** The equated instalment under which the row was billed. 0 in a row of interest only. */
  instalment: number
  interest: number
  principal: number
  /** Principal left at the end of the due date, with what was disbursed or prepaid on that day. */
  closingBalance: number
  paidInterest: number
  paidPrincipal: number
}

export type ReplayCharge = {
  chargeId: string
  chargeType: string
  day: DayNumber
  amount: number
  paid: number
  waived: number
  penal: boolean
  /** Due day of the late instalment that a late charge is for; null for another charge. */
  lateFor: DayNumber | null
}

/**
 * Interest that accrues before EMIs begin. It is added to principal once, on the last boundary
 * (decision 25).
 */
export type Deferral = {
  boundaries: DayNumber[]
  nextIndex: number
  interest: number
  /** True if the last boundary is a due day and so ends a whole month. */
  endsOnDueDay: boolean
}

/**
 * The state of the engine: what the replay of a loan's facts knows on one day. Days are day
 * numbers, amounts are paise in safe integers.
 */
export type LoanReplay = {
  readonly terms: LoanTerms
  readonly accruesDaily: boolean
  /** One due day a row. Grows with the tenor, not with rows that are only counted. */
  readonly dueDays: DayNumber[]
  dueOffset: number
  interestOnlyRows: number
  /** Number of rows after which no principal is left. */
  rowCount: number
  /**
   * Agreed rows that a fixed instalment did not need, when its tenor was computed or when it was
   * released. A later disbursal has them again.
   */
  rowsDropped: number
  deferral: Deferral | null
  capitalised: number
  capitalisedOn: DayNumber
  hasStarted: boolean
  isClosed: boolean
  /** True in a projection, which assumes that everything due is paid at once. */
  isProjecting: boolean
  annualRatePpb: number
  monthlyShare: Ratio
  dailyShare: Ratio
  instalment: number
  fixedInstalment: number
  /** The instalment is computed again for the first period that begins on or after this day. */
  recomputeInstalmentFrom: DayNumber
  /** What a rate change gives or keeps for that period instead of a computed one. 0: nothing. */
  givenInstalment: number
  /** As `recomputeInstalmentFrom`, once more after a kept bill. */
  recomputeAgainFrom: DayNumber
  /** The number of rows is computed again under the same instalment, for the first such period. */
  recomputeTenorFrom: DayNumber
  /** True if a rate change asked for that. Only then the number of rows can rise. */
  hasRateForTenor: boolean
  /** Prepaid to reduce the tenor since it was last computed. It does not lower the instalment. */
  prepaidForTenor: number
  periodStart: DayNumber
  periodEnd: DayNumber
  /**
   * Days of the whole month that contains the open period. 0 if the period bears actual days / 365.
   */
  periodDays: number
  accrued: number
  accruedUntil: DayNumber
  /**
   * What had accrued on the day before `accruedUntil`, for the interest of that last day (decision
   * 24).
   */
  accruedDayBefore: number
  /**
   * Interest of the last day of the period that ended on `periodStart`; 0 if none ended there
   * (decision 24).
   */
  lastDayInterestOfEndedPeriod: number
  /**
   * Interest accrued but not billed (positive), or billed but not accrued (negative). The next open
   * row corrects it.
   */
  carriedInterest: number
  disbursed: number
  /** Principal repaid outside of rows by part payments. */
  prepaidPrincipal: number
  /** Principal that no row has billed yet. */
  unbilled: number
  /** Principal of rows paid before their due date, until that date. */
  prepaidRowsPrincipal: number
  /** Unpaid principal of billed rows. */
  unpaidPrincipal: number
  openRowPaidInterest: number
  openRowPaidPrincipal: number
  readonly rows: ReplayRow[]
  /** The rows with which a payoff closed the loan. */
  readonly payoffRows: Set<ReplayRow>
  /** Bills by due day that a disbursal recorded later does not change. */
  readonly keptRows: Map<DayNumber, { interest: number; principal: number }>
  billedRows: number
  oldestUnpaidIndex: number
  lateCheckedRows: number
  /** Rows whose late charge waits for the end of a hold, and the day after it. */
  readonly heldLateChecks: { row: ReplayRow; day: DayNumber }[]
  readonly charges: ReplayCharge[]
  /**
   * Stored prepayment charges and their tax, in paise by id. They count only if a foreclosure of
   * their day is valid.
   */
  readonly storedPrepaymentCharges: Map<string, number>
  credit: number
  /** Received money that is being refunded or has been refunded. */
  held: number
  /** Refunds that the credit did not cover. */
  refundShort: number
  readonly allocations: PaymentAllocation[]
  readonly adjustments: LoanAdjustment[]
  readonly shortForeclosures: ShortForeclosure[]
  /**
   * No late charge is raised after this day: a quote contains none of its own day (decision 55).
   */
  lateChargesUntil: DayNumber
  trace: Trace | null
}

/** Interest of one balance at one rate. `periodDays` as in {@link LoanReplay}. */
export type TracedPiece = {
  row: number
  from: DayNumber
  to: DayNumber
  balance: number
  annualRatePpb: number
  periodDays: number
  interest: number
}
/**
 * How an instalment was computed: from which principal, rate and number of rows, and for which
 * first row.
 */
type TracedPlan = {
  row: number
  principal: number
  annualRatePpb: number
  rows: number
  instalment: number
  isFixed: boolean
  /** True if a rate change gave the instalment. */
  isGiven: boolean
}
/** How figures were computed. Recorded only for an explanation (explain.ts). */
type Trace = { pieces: TracedPiece[]; plans: TracedPlan[] }

/**
 * Has the instalment computed again, or set to the given one, for the first period that begins on
 * or after a day. Of several such facts before that period, the last counts.
 */
export function recomputeInstalmentAfter(loan: LoanReplay, day: DayNumber, givenInstalment = 0): void {
  loan.recomputeInstalmentFrom = day
  loan.givenInstalment = givenInstalment
}

type DueDayPlan = Pick<LoanReplay, 'dueDays' | 'dueOffset' | 'interestOnlyRows' | 'deferral'>

/**
 * The due days of a loan and the number of its interest-only rows, given the day of its first
 * disbursal (decision 25).
 */
function planDueDays(terms: LoanTerms, firstDisbursal: Day): DueDayPlan {
  const { firstDueDate, dueDay, instalments, moratorium, principalGraceInstalments } = terms
  if (moratorium === null || moratorium.until <= firstDisbursal) {
    return {
      dueDays: monthlyDueDays(firstDueDate, dueDay, instalments),
      dueOffset: instalments,
      interestOnlyRows: principalGraceInstalments,
      deferral: null,
    }
  }
  const start = dayNumber(firstDisbursal)
  const until = dayNumber(moratorium.until)
  const firstDue = dayNumber(firstDueDate)
  const before: DayNumber[] = []
  for (let offset = -1; ; offset -= 1) {
    const day = dueDayFrom(firstDueDate, offset, dueDay)
    if (day <= start) break
    before.unshift(day)
  }
  const onGrid: DayNumber[] = []
  let offset = 0
  for (let day = firstDue; day <= until; day = dueDayFrom(firstDueDate, offset, dueDay)) {
    onGrid.push(day)
    offset += 1
  }
  const instalmentDays: DayNumber[] = []
  for (let index = 0; index < instalments; index += 1) {
    instalmentDays.push(offset + index === 0 ? firstDue : dueDayFrom(firstDueDate, offset + index, dueDay))
  }
  const waiting = [...before, ...onGrid]
  const dueOffset = offset + instalments
  if (moratorium.interest === 'paid') {
    return {
      dueDays: [...waiting, ...instalmentDays],
      dueOffset,
      interestOnlyRows: waiting.length + principalGraceInstalments,
      deferral: null,
    }
  }
  const boundaries = [...waiting.filter((day) => day < until), until]
  return {
    dueDays: instalmentDays,
    dueOffset,
    interestOnlyRows: principalGraceInstalments,
    deferral: { boundaries, nextIndex: 0, interest: 0, endsOnDueDay: waiting.includes(until) },
  }
}

/** The state before the first disbursal. */
export function startReplay(terms: LoanTerms, firstDisbursal: Day): LoanReplay {
  const rows = planDueDays(terms, firstDisbursal)
  return {
    terms,
    accruesDaily: terms.interest === 'actual_365',
    ...rows,
    rowCount: rows.dueDays.length,
    rowsDropped: 0,
    capitalised: 0,
    capitalisedOn: never,
    hasStarted: false,
    isClosed: false,
    isProjecting: false,
    annualRatePpb: terms.annualRatePpb,
    monthlyShare: monthlyRatio(terms.annualRatePpb),
    dailyShare: dailyRatio(terms.annualRatePpb),
    instalment: 0,
    fixedInstalment: Number(terms.fixedInstalmentPaise ?? 0n),
    recomputeInstalmentFrom: never,
    givenInstalment: 0,
    recomputeAgainFrom: never,
    recomputeTenorFrom: never,
    hasRateForTenor: false,
    prepaidForTenor: 0,
    periodStart: never,
    periodEnd: never,
    periodDays: 0,
    accrued: 0,
    accruedUntil: never,
    accruedDayBefore: 0,
    lastDayInterestOfEndedPeriod: 0,
    carriedInterest: 0,
    disbursed: 0,
    prepaidPrincipal: 0,
    unbilled: 0,
    prepaidRowsPrincipal: 0,
    unpaidPrincipal: 0,
    openRowPaidInterest: 0,
    openRowPaidPrincipal: 0,
    rows: [],
    payoffRows: new Set(),
    keptRows: new Map(),
    billedRows: 0,
    oldestUnpaidIndex: 0,
    lateCheckedRows: 0,
    heldLateChecks: [],
    charges: [],
    storedPrepaymentCharges: new Map(),
    credit: 0,
    held: 0,
    refundShort: 0,
    allocations: [],
    adjustments: [],
    shortForeclosures: [],
    lateChargesUntil: never,
    trace: null,
  }
}

/** Due day of the row at an index. Rows continue month by month while there is anything to bill. */
export const dueDayAt = ({ dueDays, dueOffset, terms }: LoanReplay, index: number): DayNumber =>
  dueDays[index] ?? dueDayFrom(terms.firstDueDate, dueOffset + index - dueDays.length, terms.dueDay)

/** Has the due days of so many rows, so that a loan that grows again has them too. */
export function extendDueDays(loan: LoanReplay, count: number): void {
  for (; loan.dueDays.length < count; loan.dueOffset += 1) loan.dueDays.push(dueDayAt(loan, loan.dueDays.length))
}

/**
 * Days of the month, from due day to due day, that contains `start` and ends on or after `end`. 0
 * if `start` is before that month.
 */
function daysOfMonthContaining(loan: LoanReplay, start: DayNumber, end: DayNumber): number {
  const { firstDueDate, dueDay } = loan.terms
  let offset = 0
  while (dueDayFrom(firstDueDate, offset, dueDay) < end) offset += 1
  while (dueDayFrom(firstDueDate, offset - 1, dueDay) >= end) offset -= 1
  const monthStart = dueDayFrom(firstDueDate, offset - 1, dueDay)
  return start < monthStart ? 0 : dueDayFrom(firstDueDate, offset, dueDay) - monthStart
}

/**
 * Opens the period that begins on a day.
 *
 * @param firstDisbursal the loan's first disbursal for its first period, which bears actual days
 * unless it is a whole month; else null.
 */
export function openPeriod(loan: LoanReplay, start: DayNumber, firstDisbursal: Day | null): void {
  const { deferral } = loan
  const end = deferral === null ? dueDayAt(loan, loan.billedRows) : (deferral.boundaries[deferral.nextIndex] ?? never)
  assertPeriod(start, end)
  loan.periodStart = start
  loan.periodEnd = end
  loan.accrued = 0
  loan.accruedUntil = start
  loan.accruedDayBefore = 0
  loan.lastDayInterestOfEndedPeriod = 0
  if (loan.accruesDaily) return
  if (firstDisbursal !== null) {
    const { firstDueDate, dueDay } = loan.terms
    const isWhole = end === dayNumber(firstDueDate) && isWholeMonth(firstDisbursal, firstDueDate, dueDay)
    loan.periodDays = isWhole || daysOfMonthContaining(loan, start, end) === end - start ? end - start : 0
  } else {
    loan.periodDays = isFromDueDayToDueDay(loan, start) ? end - start : daysOfMonthContaining(loan, start, end)
  }
}

/** Due day to due day is a whole month of any length. */
function isFromDueDayToDueDay(loan: LoanReplay, start: DayNumber): boolean {
  const { deferral } = loan
  if (deferral === null) return loan.billedRows > 0 && dueDayAt(loan, loan.billedRows - 1) === start
  return deferral.nextIndex < deferral.boundaries.length - 1 || deferral.endsOnDueDay
}

/**
 * The principal that bears interest: scheduled principal under `monthly`, outstanding principal
 * under `actual_365` (decision 20).
 */
export function interestBearingPrincipal(loan: LoanReplay): number {
  if (!loan.accruesDaily) return loan.unbilled + loan.prepaidRowsPrincipal
  return loan.unbilled - loan.openRowPaidPrincipal + (loan.isProjecting ? 0 : loan.unpaidPrincipal)
}

/** Principal disbursed or capitalised and not yet repaid. */
export const outstandingPrincipal = (loan: LoanReplay): number => loan.unbilled - loan.openRowPaidPrincipal + loan.unpaidPrincipal

export const rowPending = (row: ReplayRow): number => row.interest - row.paidInterest + row.principal - row.paidPrincipal

/** The unpaid part of a charge, in paise. */
export const chargePending = (charge: ReplayCharge): number => charge.amount - charge.paid - charge.waived

/** Index of the oldest billed row that is not fully paid. `loan.billedRows` if there is none. */
export function findOldestUnpaidRow(loan: LoanReplay): number {
  let index = loan.oldestUnpaidIndex
  while (index < loan.billedRows) {
    const row = loan.rows[index]
    if (row === undefined || rowPending(row) > 0) break
    index += 1
  }
  loan.oldestUnpaidIndex = index
  return index
}

/**
 * True if overdue principal bears interest after the last due date too, as under `actual_365`
 * (decision 20).
 */
const overdueBearsInterest = (loan: LoanReplay): boolean =>
  loan.accruesDaily && !loan.isProjecting && loan.unpaidPrincipal > 0 && loan.annualRatePpb > 0

/** True if there is anything left to bill. */
export const hasUnbilledAmount = (loan: LoanReplay): boolean =>
  loan.unbilled > 0 || loan.accrued + loan.carriedInterest > 0 || overdueBearsInterest(loan)
