import type { Day, DayNumber } from './calendar.ts'
import { byDate, dayFromNumber, dayNumber } from './calendar.ts'
import { equatedInstalment } from './instalment.ts'
import { monthlyRatio, thirtyDayRatio } from './interest.ts'
import { InvariantViolation } from './invariants.ts'
import { factsFault } from './loan-facts.ts'
import type { LoanReplay } from './replay-state.ts'
import { rowPending } from './replay-state.ts'
import { loanStateToPost } from './loan-state.ts'
import type { LoanFacts, RatePpb } from './loans.ts'
import type { Paise } from './money.ts'
import { paiseFromWhole } from './money.ts'
import { rateChangeOf, type ResetChoice, type ResetDecision } from './rate-resets.ts'
import { rateOn } from './rates.ts'
import { projectSchedule, replayLoan } from './replay.ts'

export type NewRate = {
  effectiveOn: Day
  toRatePpb: RatePpb
  /** The most instalments that the product allows a loan. */
  instalmentsMax: number
}

/** A loan's schedule, if everything is paid on its due date. */
export type ResetOutcome = {
  /**
   * The EMI of the first row with an EMI that begins on or after the day of the new rate and is not
   * paid ahead.
   */
  instalmentPaise: Paise
  instalmentsLeft: number
  lastDueDate: Day
  /** Of all rows, paid and unpaid, and capitalised. */
  totalInterestPaise: Paise
}

/** Principal today and after each later row. */
type WithBalances = { balances: { date: Day; amountPaise: Paise }[] }

export type ResetOption = ResetOutcome &
  WithBalances & {
    choice: ResetChoice
    /** What the choice writes. A part payment keeps the EMI, and the paid principal the tenor. */
    decision: ResetDecision
    /** What is paid today. Only of `part_payment`. */
    amountPaise?: Paise
  }

/** What happens if the borrower chooses nothing. */
type ResetFallback = { choice: Exclude<ResetChoice, 'part_payment'>; decision: ResetDecision; outcome: ResetOutcome }

/** The default of a reset, beside the loan without the new rate. */
export type ResetDefault = { fromRatePpb: RatePpb; unchanged: ResetOutcome; fallback: ResetFallback }

export type ResetOffer = ResetDefault & {
  unchanged: ResetOutcome & WithBalances
  options: ResetOption[]
  /** The smallest and the largest EMI that can be chosen, in whole rupees; or null. */
  bounds: ResetBounds | null
}
type ResetBounds = { minimumPaise: Paise; maximumPaise: Paise }

/** Why a loan's rate cannot be reset on a day. */
export type ResetObstacle = 'unknown' | 'nothing_outstanding' | 'no_later_row' | 'same_rate'

/** Amounts are paise in safe integers. */
type Projection = {
  loan: LoanReplay
  /** Index of the first row that begins on or after the day of the new rate. -1: there is none. */
  row: number
  /** The number of rows without those of a moratorium. */
  count: number
  /** The EMI from that row on, without rows that are paid ahead. */
  instalment: number
  /** True if no EMI has been computed before. */
  awaitsEmi: boolean
}

type Decided = { decision: ResetDecision; projection: Projection }

/** A reset of one loan. `facts` have no rate change of its day. */
type Work = { facts: LoanFacts; today: DayNumber; rate: NewRate; unchanged: Projection; countMax: number }

const rupee = 100

/** The loan with the new rate and a decision, in place of another rate change of that day. */
export const withDecision = (facts: LoanFacts, rate: Pick<NewRate, 'effectiveOn' | 'toRatePpb'>, decision: ResetDecision): LoanFacts => ({
  ...facts,
  rateChanges: [...withoutDay(facts, rate.effectiveOn).rateChanges, rateChangeOf(rate, decision)].toSorted(byDate),
})

const withoutDay = (facts: LoanFacts, day: Day): LoanFacts => ({
  ...facts,
  rateChanges: facts.rateChanges.filter(({ date }) => date !== day),
})

function project(facts: LoanFacts, today: DayNumber, effectiveDay: DayNumber): Projection {
  const loan = replayLoan(facts, today)
  const settled = loan.rows.length
  loan.trace = { pieces: [], plans: [] }
  projectSchedule(loan, today, facts)
  const { rows, interestOnlyRows } = loan
  const { moratorium, principalGraceInstalments } = loan.terms
  const firstStart = moratorium?.interest === 'deferred' ? dayNumber(moratorium.until) : Number.NEGATIVE_INFINITY
  const row = rows.findIndex((_row, index) => (rows[index - 1]?.due ?? firstStart) >= effectiveDay)
  // A row that was paid ahead keeps the EMI that it was paid with.
  const first = Math.max(row, Math.min(settled, rows.length - 1))
  const emiRow = rows.find(({ instalment }, index) => index >= first && instalment > 0)
  return {
    loan,
    row,
    count: rows.length - interestOnlyRows + principalGraceInstalments,
    instalment: emiRow?.instalment ?? 0,
    awaitsEmi: (rows[first - 1]?.instalment ?? 0) === 0,
  }
}

const projectDecision = ({ facts, today, rate }: Work, decision: ResetDecision): Projection =>
  project(withDecision(facts, rate, decision), today, dayNumber(rate.effectiveOn))

const decide = (work: Work, decision: ResetDecision): Decided => ({ decision, projection: projectDecision(work, decision) })

const principalAhead = ({ rows }: LoanReplay): number => rows.reduce((sum, row) => sum + row.principal - row.paidPrincipal, 0)

function outcomeOf({ loan, instalment }: Projection): ResetOutcome {
  const last = loan.rows.at(-1)
  if (last === undefined) throw new InvariantViolation('a projected schedule has no row')
  return {
    instalmentPaise: paiseFromWhole(instalment),
    instalmentsLeft: loan.rows.filter((row) => rowPending(row) > 0).length,
    lastDueDate: dayFromNumber(last.due),
    totalInterestPaise: paiseFromWhole(loan.rows.reduce((sum, row) => sum + row.interest, loan.capitalised)),
  }
}

function outcomeWithBalances(projection: Projection, today: DayNumber): ResetOutcome & WithBalances {
  const { loan } = projection
  // Interest that is capitalised later is principal of rows, but not of today.
  const capitalisedLater = loan.capitalised > 0 && loan.capitalisedOn > today ? loan.capitalised : 0
  const later = loan.rows.filter(({ due }) => due > today)
  return {
    ...outcomeOf(projection),
    balances: [
      { date: dayFromNumber(today), amountPaise: paiseFromWhole(principalAhead(loan) - capitalisedLater) },
      ...later.map(({ due, closingBalance }) => ({ date: dayFromNumber(due), amountPaise: paiseFromWhole(closingBalance) })),
    ],
  }
}

function prepare(facts: LoanFacts, day: Day, rate: NewRate): Work | ResetObstacle {
  if (factsFault(facts, day) !== null) return 'unknown'
  if (facts.disbursals.every(({ date }) => date > day)) return 'nothing_outstanding'
  const today = dayNumber(day)
  const before = withoutDay(facts, rate.effectiveOn)
  const unchanged = project(before, today, dayNumber(rate.effectiveOn))
  if (principalAhead(unchanged.loan) === 0) return 'nothing_outstanding'
  if (unchanged.row < 0) return 'no_later_row'
  if (rateOn(before, rate.effectiveOn) === rate.toRatePpb) return 'same_rate'
  return { facts: before, today, rate, unchanged, countMax: Math.max(rate.instalmentsMax, unchanged.count) }
}

/** True if the loan keeps this EMI and is repaid within the product's number of instalments. */
const fits = ({ countMax }: Work, { count, instalment }: Projection, wanted: number): boolean => instalment === wanted && count <= countMax

/** The EMI stays as it is without the new rate. */
function keepEmi(work: Work): Decided | null {
  const { awaitsEmi, instalment } = work.unchanged
  if (awaitsEmi) return null
  const kept = decide(work, { keep: 'instalment' })
  return fits(work, kept.projection, instalment) ? kept : null
}

const give = (instalment: number): ResetDecision => ({ keep: 'both', instalmentPaise: paiseFromWhole(instalment) })

/**
 * The smallest EMI in whole rupees that exceeds the interest of each month and repays the loan
 * within the product's number of instalments.
 *
 * @param tenor with the EMI of the kept tenor, which always fits.
 */
function smallestInstalment(work: Work, tenor: Projection): number {
  const fitsWith = (rupees: number): boolean => fits(work, projectDecision(work, give(rupees * rupee)), rupees * rupee)
  let high = Math.ceil(tenor.instalment / rupee)
  let low = 0
  // Stryker disable all: the guess only decides how many steps the search takes
  const guess = guessInstalment(work, tenor)
  if (guess < high) {
    if (fitsWith(guess)) high = guess
    else low = guess
    // Usually the guess is right, and the next smaller EMI is not enough.
    if (high === guess && !fitsWith(guess - 1)) return guess * rupee
  }
  // Stryker restore all
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fitsWith(middle)) high = middle
    else low = middle
  }
  return high * rupee
}

/** The annuity over the most rows, in whole rupees: exact but for the rounding of interest. */
function guessInstalment({ rate, countMax }: Work, { loan, row, count, instalment }: Projection): number {
  // Stryker disable all: as above
  const plan = loan.trace?.plans.find((one) => one.row >= row)
  if (plan === undefined) return instalment
  const share = loan.terms.interest === 'actual_365' ? thirtyDayRatio(rate.toRatePpb) : monthlyRatio(rate.toRatePpb)
  return equatedInstalment(plan.principal, share, plan.rows + countMax - count, 'rupee_up') / rupee
}

// Stryker restore all
function fallbackOf(work: Work, kept: Decided | null, tenorOf: () => Projection, smallestOf: () => number): ResetFallback {
  if (kept !== null) return { choice: 'keep_emi', decision: kept.decision, outcome: outcomeOf(kept.projection) }
  if (work.unchanged.awaitsEmi) return { choice: 'keep_tenor', decision: { keep: 'tenor' }, outcome: outcomeOf(tenorOf()) }
  const decision = give(smallestOf())
  return { choice: 'between', decision, outcome: outcomeOf(projectDecision(work, decision)) }
}

/**
 * The default of a reset: the EMI stays if the number of instalments stays within the product's
 * most, and the EMI exceeds the interest of each month; else the smallest EMI of which that is
 * true. Before EMIs begin, the number of instalments stays.
 */
export function computeResetDefault(facts: LoanFacts, today: Day, rate: NewRate): ResetDefault | ResetObstacle {
  const work = prepare(facts, today, rate)
  if (typeof work === 'string') return work
  const tenorOf = () => projectDecision(work, { keep: 'tenor' })
  return {
    fromRatePpb: rateOn(work.facts, rate.effectiveOn),
    unchanged: outcomeOf(work.unchanged),
    fallback: fallbackOf(work, keepEmi(work), tenorOf, () => smallestInstalment(work, tenorOf())),
  }
}

/** A decision that was taken before. `isPossible` false: the loan no longer allows it. */
type DecidedReset = Pick<ResetDefault, 'fromRatePpb'> & { outcome: ResetOutcome; isPossible: boolean }

/** Computes a decision again, for a loan that has changed since. */
export function computeDecidedReset(facts: LoanFacts, today: Day, rate: NewRate, decision: ResetDecision): DecidedReset | ResetObstacle {
  const work = prepare(facts, today, rate)
  if (typeof work === 'string') return work
  const projection = projectDecision(work, decision)
  const wanted = decision.keep === 'both' ? Number(decision.instalmentPaise) : work.unchanged.instalment
  return {
    fromRatePpb: rateOn(work.facts, rate.effectiveOn),
    outcome: outcomeOf(projection),
    isPossible: decision.keep === 'tenor' || fits(work, projection, wanted),
  }
}

/** Whole rupees between the EMI of the kept tenor and the EMI that stays, or the smallest EMI. */
function boundsOf(lower: number, upper: number): ResetBounds | null {
  const minimum = Math.ceil(lower / rupee)
  const maximum = Math.floor(upper / rupee)
  return minimum < maximum ? { minimumPaise: paiseFromWhole(minimum * rupee), maximumPaise: paiseFromWhole(maximum * rupee) } : null
}

/**
 * Everything that the borrower can choose, each to the paisa by the engine, so that what is chosen
 * is what happens.
 *
 * @param wantedPaise the EMI of the option `between`, within the bounds. Absent: the middle.
 */
export function computeResetOffer(facts: LoanFacts, today: Day, rate: NewRate, wantedPaise?: Paise): ResetOffer | ResetObstacle {
  const work = prepare(facts, today, rate)
  if (typeof work === 'string') return work
  const kept = keepEmi(work)
  const tenor = decide(work, { keep: 'tenor' })
  const tenorEmi = tenor.projection.instalment
  const { instalment: emi, awaitsEmi } = work.unchanged
  const lowest = kept === null && !awaitsEmi ? smallestInstalment(work, tenor.projection) : emi
  const bounds = awaitsEmi ? null : boundsOf(Math.min(lowest, tenorEmi), Math.max(lowest, tenorEmi))
  const option = (choice: ResetChoice, { decision, projection }: Decided) => ({
    choice,
    decision,
    ...outcomeWithBalances(projection, work.today),
  })
  const between = bounds === null ? null : decide(work, give(chooseInstalment(bounds, wantedPaise)))
  const partPayment = kept === null || tenorEmi <= emi ? null : findPartPayment(work, today)
  return {
    fromRatePpb: rateOn(work.facts, rate.effectiveOn),
    unchanged: outcomeWithBalances(work.unchanged, work.today),
    options: [
      ...(kept === null ? [] : [option('keep_emi', kept)]),
      option('keep_tenor', tenor),
      ...(between === null ? [] : [option('between', between)]),
      ...(partPayment === null ? [] : [{ ...option('part_payment', partPayment), amountPaise: paiseFromWhole(partPayment.amount) }]),
    ],
    bounds,
    fallback: fallbackOf(
      work,
      kept,
      () => tenor.projection,
      () => lowest,
    ),
  }
}

function chooseInstalment({ minimumPaise, maximumPaise }: ResetBounds, wantedPaise: Paise | undefined): number {
  if (wantedPaise !== undefined && isWithinBounds({ minimumPaise, maximumPaise }, wantedPaise)) return Number(wantedPaise)
  return Math.round(Number(minimumPaise + maximumPaise) / (2 * rupee)) * rupee
}

/** True if the EMI can be chosen: whole rupees within the bounds. */
export const isWithinBounds = (bounds: ResetBounds | null, instalmentPaise: Paise): boolean =>
  bounds !== null &&
  instalmentPaise >= bounds.minimumPaise &&
  instalmentPaise <= bounds.maximumPaise &&
  instalmentPaise % BigInt(rupee) === 0n

/**
 * The smallest part payment in whole rupees, made today, that keeps both the EMI and the number of
 * instalments under the new rate. Null if none that is offered does.
 */
function findPartPayment(work: Work, today: Day): (Decided & { amount: number }) | null {
  const decision: ResetDecision = { keep: 'instalment' }
  const { minPaise, maxPaise } = loanStateToPost(work.facts, today).allowed.partPayment
  const projectPaid = (rupees: number): Projection => {
    const payment = {
      paymentId: 'preview',
      date: today,
      amountPaise: paiseFromWhole(rupees * rupee),
      purpose: 'PART_PAYMENT__REDUCE_TENOR',
    } as const
    return projectDecision({ ...work, facts: { ...work.facts, payments: [...work.facts.payments, payment] } }, decision)
  }
  // Where the EMI is computed again this month, the interest that is saved lowers it a little.
  const isEnough = ({ count, instalment }: Projection) => instalment <= work.unchanged.instalment && count <= work.unchanged.count
  let low = Math.ceil(Number(minPaise) / rupee)
  let high = Math.floor(Number(maxPaise) / rupee)
  if (low === 0 || low > high) return null
  let found = projectPaid(high)
  if (!isEnough(found)) return null
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const tried = projectPaid(middle)
    if (isEnough(tried)) {
      high = middle
      found = tried
    } else low = middle + 1
  }
  return { decision, amount: high * rupee, projection: found }
}
