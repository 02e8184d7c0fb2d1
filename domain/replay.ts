import {
  accrueTo,
  assumePaidFrom,
  forgetTenorChange,
  keepPlannedInstalment,
  nextBoundary,
  passBoundary,
  recomputePlanBefore,
  releaseFixedInstalment,
} from './billing.ts'
import type { Day, DayNumber } from './calendar.ts'
import { byDate, dayNumber } from './calendar.ts'
import { foreclose, settleShortForeclosure, isPrepaymentCharge, payoffOn, returnOverpaidInterest, waiveForeclosure } from './foreclosure.ts'
import { dailyRatio, monthlyRatio } from './interest.ts'
import { nextLateCheck, raiseLateCharge } from './late-charges.ts'
import type { LoanReplay } from './replay-state.ts'
import { assertAllocation, assertAscending, assertBalancesAfterFact, assertBalancesAfterReplay, assertSchedule } from './invariants.ts'
import {
  chargePending,
  dueDayAt,
  extendDueDays,
  never,
  openPeriod,
  recomputeInstalmentAfter,
  rowPending,
  startReplay,
} from './replay-state.ts'
import { eventRank, eventsUpTo, lateChargeDueDate } from './loans.ts'
import type {
  Charge,
  Disbursal,
  LateChargeHold,
  LoanEvent,
  LoanFacts,
  LoanTerms,
  RateChange,
  ReceivedPayment,
  TakenBackHold,
} from './loans.ts'
import { sumPaise } from './money.ts'
import { linkMinimumPaise } from './payments.ts'
import {
  addAdjustment,
  addLine,
  changePrincipal,
  noLines,
  setCreditAside,
  settle,
  settleUpToQuote,
  useCredit,
  type Lines,
} from './allocation.ts'

/** Advances to the end of a day: rows fall due, late charges are raised, and credit pays both. */
function advanceTo(loan: LoanReplay, facts: LoanFacts, day: DayNumber): void {
  for (;;) {
    const boundary = nextBoundary(loan)
    const lateCheck = nextLateCheck(loan)
    const next = Math.min(boundary, lateCheck)
    if (next > day) return
    if (boundary === next) passBoundary(loan)
    else raiseLateCharge(loan, facts, next, (taken, due, before) => wasPaidWith(facts, taken, due, before))
    useCredit(loan, next)
    returnOverpaidInterest(loan, next, null)
    useCredit(loan, next)
  }
}

/**
 * Leaves out the due days up to a day for which nothing was billed. Those of interest only are left
 * out of their number too, so that EMIs begin on the agreed day.
 */
function leaveOutDueDays(loan: LoanReplay, day: DayNumber): void {
  while (dueDayAt(loan, loan.billedRows) <= day) {
    extendDueDays(loan, loan.billedRows + 1)
    loan.dueDays.splice(loan.billedRows, 1)
    if (loan.billedRows < loan.interestOnlyRows) loan.interestOnlyRows -= 1
  }
}

/** Begins new periods on the day of a disbursal after all principal was repaid. */
function reopenLoan(loan: LoanReplay, day: DayNumber): void {
  loan.billedRows = loan.rows.length
  loan.isClosed = false
  // Those after the schedule's end too: nothing is due before it was disbursed.
  leaveOutDueDays(loan, day)
  loan.rowCount = Math.max(loan.dueDays.length, loan.billedRows + 1)
  loan.rowsDropped = 0
  // What was prepaid before all principal was repaid is no part of the new instalment.
  forgetTenorChange(loan)
  openPeriod(loan, day, null)
}

function applyDisbursal(loan: LoanReplay, disbursal: Disbursal, day: DayNumber): void {
  if (!loan.hasStarted) {
    loan.hasStarted = true
    openPeriod(loan, day, disbursal.date)
  } else if (loan.isClosed || nextBoundary(loan) === never) {
    reopenLoan(loan, day)
  } else {
    accrueTo(loan, day)
    loan.rowCount += loan.rowsDropped
    loan.rowsDropped = 0
    if (loan.unbilled === loan.openRowPaidPrincipal) forgetTenorChange(loan)
  }
  for (const { dueDate, interestPaise, principalPaise } of disbursal.keptRows ?? []) {
    const due = dayNumber(dueDate)
    // One that was paid ahead before has its bill already.
    if (loan.rows.some((row) => row.due === due)) continue
    loan.keptRows.set(due, { interest: Number(interestPaise), principal: Number(principalPaise) })
  }
  const amount = Number(disbursal.amountPaise)
  loan.disbursed += amount
  changePrincipal(loan, day, amount)
  if (loan.fixedInstalment === 0 || loan.instalment === 0) recomputeInstalmentAfter(loan, day)
}

/** True after the last due date if principal is overdue that bears no interest at a rate of 0. */
const overdueBoreNothing = (loan: LoanReplay): boolean =>
  loan.accruesDaily && loan.unpaidPrincipal > 0 && !loan.isClosed && nextBoundary(loan) === never

/**
 * If a day changes the rate and changes it back, interest is rounded once for both sides: the rate
 * did not change (decision 20).
 */
function applyRateChange(loan: LoanReplay, { rateChanges }: Pick<LoanFacts, 'rateChanges'>, change: RateChange, day: DayNumber): void {
  const ofDay = rateChanges.filter(({ date }) => date === change.date)
  const isFirstOfDay = change === ofDay[0]
  if (loan.hasStarted && isFirstOfDay) {
    if (overdueBoreNothing(loan)) {
      leaveOutDueDays(loan, day)
      openPeriod(loan, day, null)
    }
    if (change.keep === 'instalment') keepPlannedInstalment(loan, day)
    if (ofDay.at(-1)?.annualRatePpb !== loan.annualRatePpb) accrueTo(loan, day)
  }
  if (loan.hasStarted) applyKeep(loan, change, day)
  loan.annualRatePpb = change.annualRatePpb
  loan.monthlyShare = monthlyRatio(change.annualRatePpb)
  loan.dailyShare = dailyRatio(change.annualRatePpb)
}

/** Before the first instalment is computed, there is none to keep, but one can be given. */
function applyKeep(loan: LoanReplay, change: RateChange, day: DayNumber): void {
  if (change.keep === 'instalment') {
    if (loan.instalment === 0) return
    loan.recomputeTenorFrom = day
    loan.hasRateForTenor = true
    return
  }
  const given = change.keep === 'both' ? Number(change.instalmentPaise) : 0
  if (given === 0 && loan.instalment === 0 && loan.givenInstalment === 0) return
  releaseFixedInstalment(loan, day)
  recomputeInstalmentAfter(loan, day, given)
}

function applyCharge(loan: LoanReplay, charge: Charge, day: DayNumber): void {
  if (isPrepaymentCharge(charge.chargeId)) {
    const isWaived = charge.waivedOn !== null && dayNumber(charge.waivedOn) <= day
    const waived = isWaived ? (charge.waivedPaise ?? charge.amountPaise) : 0n
    loan.storedPrepaymentCharges.set(charge.chargeId, Number(charge.amountPaise - waived))
    return
  }
  const dueDate = lateChargeDueDate(charge.chargeId)
  const lateFor = dueDate === null ? null : dayNumber(dueDate)
  if (lateFor !== null && hasNoCause(loan, lateFor)) return
  // A waiver as of the charge's own day comes with it: credit pays nothing of what is waived.
  const isWaivedAtOnce = charge.waivedOn !== null && charge.waivedOn <= charge.date
  const waived = isWaivedAtOnce ? Math.min(Number(charge.waivedPaise ?? charge.amountPaise), Number(charge.amountPaise)) : 0
  loan.charges.push({
    chargeId: charge.chargeId,
    chargeType: charge.chargeType,
    day,
    amount: Number(charge.amountPaise),
    paid: 0,
    waived,
    penal: charge.penal,
    lateFor,
  })
  useCredit(loan, day)
}

/**
 * True for a late charge that was waived, wholly or in part, and would not arise today: a payment
 * recorded later paid its instalment in time, or closed the loan before.
 */
const hasNoCause = (loan: LoanReplay, lateFor: DayNumber): boolean =>
  !loan.rows.some((row) => row.due === lateFor && rowPending(row) >= Number(linkMinimumPaise))

/** Waivers come before payments of their day, which can have paid a part before the decision. */
function applyWaiver(loan: LoanReplay, waived: Charge): void {
  const charge = loan.charges.find(({ chargeId }) => chargeId === waived.chargeId)
  if (charge === undefined) return
  charge.waived += Math.min(Number(waived.waivedPaise ?? waived.amountPaise), chargePending(charge))
}

function applyPayment(loan: LoanReplay, payment: ReceivedPayment, day: DayNumber): void {
  const lines = noLines()
  const held = Number(payment.heldPaise ?? 0n)
  const money = Number(payment.amountPaise) - held
  if (money > 0) waiveLateChargesWithinQuote(loan, payment, day)
  const left = money === 0 ? 0 : settlePayment(loan, payment, day, money, lines)
  if (left > 0) {
    loan.credit += left
    addLine(lines, 'excess', null, null, left)
  }
  if (held > 0) {
    loan.held += held
    addLine(lines, 'held', null, null, held)
  }
  assertAllocation(lines.sum, money + held)
  loan.allocations.push({ paymentId: payment.paymentId, lines: lines.entries })
  returnOverpaidInterest(loan, day, payment.paymentId)
  useCredit(loan, day)
}

/**
 * A quote from 23:30 contains no late charge raised on its own day. A borrower who pays by it in
 * time does not owe that charge (decision 55). What is overdue leaves out the instalment of its
 * evening, and so does not pay it: the charge of that one stays.
 */
function waiveLateChargesWithinQuote(loan: LoanReplay, { paymentId, purpose, quotedAheadFor }: ReceivedPayment, day: DayNumber): void {
  if (quotedAheadFor === undefined || dayNumber(quotedAheadFor) !== day) return
  const dueBefore = purpose === 'OVERDUE' ? day - 1 : day
  const lines = noLines()
  for (const charge of loan.charges) {
    const pending = chargePending(charge)
    if (charge.lateFor === null || charge.lateFor >= dueBefore || charge.day !== day || pending === 0) continue
    charge.waived += pending
    addLine(lines, 'charge', null, charge.chargeId, pending)
  }
  if (lines.sum > 0) addAdjustment(loan, day, 'late_charge_within_quote', paymentId, lines)
}

function settlePayment(loan: LoanReplay, payment: ReceivedPayment, day: DayNumber, money: number, lines: Lines): number {
  const quotedAheadFor = payment.quotedAheadFor === undefined ? null : dayNumber(payment.quotedAheadFor)
  return payment.purpose === 'FORECLOSURE'
    ? settleForeclosure(loan, payment, day, quotedAheadFor ?? day, money, lines)
    : settle(loan, payment.purpose, day, quotedAheadFor, money, lines)
}

function settleForeclosure(
  loan: LoanReplay,
  payment: ReceivedPayment,
  day: DayNumber,
  quotedFor: DayNumber,
  money: number,
  lines: Lines,
): number {
  if (loan.isClosed || !loan.hasStarted) return settle(loan, null, day, null, money, lines)
  const left = settleUpToQuote(loan, day, quotedFor, money, lines)
  const payoff = payoffOn(loan, day, quotedFor)
  const rest = foreclose(loan, day, payoff, payment.paymentId, left, lines)
  return rest ?? settleShortForeclosure(loan, day, payoff, left, lines)
}

function applyEvent(loan: LoanReplay, facts: LoanFacts, event: LoanEvent): void {
  switch (event.rank) {
    case eventRank.disbursal:
      return applyDisbursal(loan, event.disbursal, event.day)
    case eventRank.rateChange:
      return applyRateChange(loan, facts, event.rateChange, event.day)
    case eventRank.charge:
      return applyCharge(loan, event.charge, event.day)
    case eventRank.waiver:
      return applyWaiver(loan, event.waived)
    case eventRank.payment:
      return applyPayment(loan, event.payment, event.day)
    case eventRank.foreclosureWaiver:
      return waiveForeclosure(loan, event.day, Number(event.foreclosureWaiver.amountPaise))
    case eventRank.creditRefund:
      loan.refundShort += Number(event.refund.amountPaise)
  }
}

const firstDisbursalDate = (terms: LoanTerms, disbursals: readonly Disbursal[]): Day =>
  disbursals.reduce((earliest, { date }) => (date < earliest ? date : earliest), disbursals[0]?.date ?? terms.firstDueDate)

function applyFacts(loan: LoanReplay, facts: LoanFacts, last: DayNumber): LoanReplay {
  let previous = Number.NEGATIVE_INFINITY
  for (const event of eventsUpTo(facts, last)) {
    assertAscending(previous, event.day)
    previous = event.day
    advanceTo(loan, facts, event.day)
    recomputePlanBefore(loan, event.day)
    applyEvent(loan, facts, event)
    setCreditAside(loan)
    assertBalancesAfterFact(loan)
  }
  advanceTo(loan, facts, last)
  recomputePlanBefore(loan, last)
  assertBalancesAfterFact(loan)
  assertBalancesAfterReplay(loan)
  return loan
}

export type ReplayOptions = {
  /**
   * The last day on which late charges are raised. A quote made on the evening before its day is
   * without those of the day (decision 55).
   */
  lateChargesUntil?: DayNumber
  /** The interest is the agreed one: as if every row had been paid on its due date. */
  isAsAgreed?: boolean
  /** The replay records how interest and instalments were computed. */
  isTraced?: boolean
}

/**
 * Whether the instalment due on a day was paid before another, or did not exist, while money that
 * was taken back later counted: what the borrower and the lender saw then.
 */
function wasPaidWith(facts: LoanFacts, taken: readonly TakenBackHold[], due: DayNumber, before: DayNumber): boolean {
  const others = (facts.lateChargeHolds ?? []).filter((hold) => !(taken as readonly LateChargeHold[]).includes(hold))
  const seen: LoanFacts = {
    ...facts,
    payments: [...facts.payments, ...taken.map(({ takenBack }) => takenBack)].toSorted(byDate),
    lateChargeHolds: others.map((hold) => ('takenBack' in hold ? { ...hold, holdsAll: true } : hold)),
  }
  const loan = replayLoan(seen, before - 1)
  return !loan.rows.some((row) => row.due === due && rowPending(row) >= Number(linkMinimumPaise))
}

/** Replays a loan's facts up to the end of a day. A back-dated fact is applied on its own day. */
export function replayLoan(facts: LoanFacts, last: DayNumber, options: ReplayOptions = {}): LoanReplay {
  const { lateChargesUntil = never, isAsAgreed = false, isTraced = false } = options
  const loan = startReplay(facts.terms, firstDisbursalDate(facts.terms, facts.disbursals))
  loan.lateChargesUntil = lateChargesUntil
  loan.isProjecting = isAsAgreed
  loan.trace = isTraced ? { pieces: [], plans: [] } : null
  return applyFacts(loan, facts, last)
}

/** A traced replay with the whole schedule as by {@link projectSchedule}. */
export function projectLoanTraced(facts: LoanFacts, last: DayNumber): LoanReplay {
  const loan = replayLoan(facts, last, { isTraced: true })
  projectSchedule(loan, last)
  return loan
}

/** A change of the rate on a later day, unless all rows fall due before it. */
function changeRateAhead(loan: LoanReplay, known: Pick<LoanFacts, 'rateChanges'>, change: RateChange, day: DayNumber): void {
  while (nextBoundary(loan) <= day) passBoundary(loan)
  if (nextBoundary(loan) === never) return
  recomputePlanBefore(loan, day)
  applyRateChange(loan, known, change, day)
}

/**
 * Bills the rest of the schedule as if everything due were paid and no other fact followed. Then
 * all rows are known.
 *
 * @param known rate changes by date: those of later days take effect. None by default.
 */
export function projectSchedule(loan: LoanReplay, from: DayNumber, known: Pick<LoanFacts, 'rateChanges'> = { rateChanges: [] }): void {
  assumePaidFrom(loan, from)
  for (const change of known.rateChanges) {
    const day = dayNumber(change.date)
    if (day > from) changeRateAhead(loan, known, change, day)
  }
  while (nextBoundary(loan) !== never) passBoundary(loan)
  assertSchedule(loan)
}

/** The whole schedule as agreed: every tranche on its day, every row paid on its due date. */
export function planAgreedSchedule(terms: LoanTerms, disbursals: readonly Disbursal[]): LoanReplay {
  const facts: LoanFacts = {
    sanctionedPaise: sumPaise(disbursals.map(({ amountPaise }) => amountPaise)),
    terms: { ...terms, lateCharge: null },
    // Bills that stay are not agreed: they follow from when a disbursal was recorded.
    disbursals: disbursals.map(({ date, amountPaise }) => ({ date, amountPaise })),
    rateChanges: [],
    charges: [],
    payments: [],
    refunds: [],
    foreclosureWaivers: [],
  }
  const last = Math.max(...disbursals.map(({ date }) => dayNumber(date)))
  const loan = replayLoan(facts, last, { isAsAgreed: true })
  projectSchedule(loan, last)
  return loan
}
