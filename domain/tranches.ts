import type { Day } from './calendar.ts'
import { addDays, byDate, dayNumber } from './calendar.ts'
import { factsFault } from './loan-facts.ts'
import { loanStateToPost, totalInterest } from './loan-state.ts'
import type { Disbursal, KeptRow, LoanFacts, LoanState, LoanStatus, ScheduleRow } from './loans.ts'
import type { Paise } from './money.ts'
import { paise, sumPaise, zeroPaise } from './money.ts'
import { linkMinimumPaise } from './payments.ts'
import { replayLoan } from './replay.ts'
import { instalmentPending } from './schedule.ts'

/** The two statuses of a tranche in the API (spec §3). */
export const trancheStatuses = ['DISBURSED', 'APPROVED', 'UNKNOWN'] as const
type TrancheStatus = (typeof trancheStatuses)[number]
export const releaseStatuses = ['RELEASED', 'NOT_RELEASED', 'UNKNOWN'] as const
type ReleaseStatus = (typeof releaseStatuses)[number]

/** The progress of a tranche: the meaning of the API's two statuses together (decision 40). */
export const trancheStages = ['requested', 'approved', 'released', 'rejected'] as const
export type TrancheStage = (typeof trancheStages)[number]

export const statusesOfStage: Readonly<Record<TrancheStage, { status: TrancheStatus; releaseStatus: ReleaseStatus }>> = {
  requested: { status: 'UNKNOWN', releaseStatus: 'NOT_RELEASED' },
  approved: { status: 'APPROVED', releaseStatus: 'NOT_RELEASED' },
  released: { status: 'DISBURSED', releaseStatus: 'RELEASED' },
  rejected: { status: 'UNKNOWN', releaseStatus: 'UNKNOWN' },
}

/**
 * True while a tranche is neither paid out nor refused: its amount is reserved, and the borrower
 * can still change it.
 */
export const isOpenTranche = (stage: TrancheStage): boolean => stage === 'requested' || stage === 'approved'

type TrancheAmount = { stage: TrancheStage; amountPaise: Paise }

/**
 * The maximum of another tranche: sanctioned − disbursed − approved − requested (decision 40).
 * Never negative.
 */
export function trancheMaximum(sanctionedPaise: Paise, disbursedPaise: Paise, tranches: readonly TrancheAmount[]): Paise {
  const open = sumPaise(tranches.filter(({ stage }) => isOpenTranche(stage)).map(({ amountPaise }) => amountPaise))
  const left = sanctionedPaise - disbursedPaise - open
  return left > 0n ? paise(left) : zeroPaise
}

/**
 * The days for which a tranche can be requested: tomorrow to 30 days from today, in India (spec
 * §5). The first disbursal must come before the first due date: `latest` is then before `earliest`
 * if no day is left.
 */
export function trancheDates({ disbursals, terms }: LoanFacts, today: Day): { earliest: Day; latest: Day } {
  const [latest, beforeDue] = [addDays(today, 30), addDays(terms.firstDueDate, -1)]
  return { earliest: addDays(today, 1), latest: disbursals.length === 0 && beforeDue < latest ? beforeDue : latest }
}

export type TrancheRefusal =
  | 'loan_not_active'
  | 'not_allowed'
  | 'one_undecided'
  | 'no_day_left'
  | 'not_editable'
  | 'day_has_come'
  | 'above_maximum'
  | 'date_out_of_window'

export type TrancheCircumstances = {
  status: LoanStatus
  allowTrancheRequest: boolean
  tranches: readonly TrancheAmount[]
  maximumPaise: Paise
  facts: LoanFacts
  today: Day
}

const hasNoDayLeft = ({ facts, today }: Pick<TrancheCircumstances, 'facts' | 'today'>): boolean => {
  const { earliest, latest } = trancheDates(facts, today)
  return latest < earliest
}

/** True if the loan could not be computed with the disbursal, so that it would be refused. */
export const isDisbursalFaulty = (facts: LoanFacts, disbursal: Disbursal): boolean =>
  factsFault(withDisbursal(facts, disbursal), disbursal.date) !== null

/** Whether the loan's state allows a tranche of any amount (spec §4, decision 40). */
export const refuseAnyRequest = ({
  status,
  allowTrancheRequest,
  tranches,
  facts,
  today,
}: Omit<TrancheCircumstances, 'maximumPaise'>): TrancheRefusal | null => {
  if (status !== 'ACTIVE') return 'loan_not_active'
  if (!allowTrancheRequest) return 'not_allowed'
  if (tranches.some(({ stage }) => stage === 'requested')) return 'one_undecided'
  return hasNoDayLeft({ facts, today }) ? 'no_day_left' : null
}

/** Why a tranche may not be requested. Null if it may. */
export function refuseRequest(loan: TrancheCircumstances, amountPaise: Paise, date: Day): TrancheRefusal | null {
  const refusal = refuseAnyRequest(loan)
  if (refusal !== null) return refusal
  const { earliest, latest } = trancheDates(loan.facts, loan.today)
  if (date < earliest || date > latest) return 'date_out_of_window'
  if (amountPaise > loan.maximumPaise) return 'above_maximum'
  return isDisbursalFaulty(loan.facts, { date, amountPaise }) ? 'not_allowed' : null
}

type ChangeCircumstances = Pick<TrancheCircumstances, 'status' | 'facts' | 'today'>
type DatedTranche = TrancheAmount & { date: Day }

/**
 * Whether a tranche may be changed at all. From the day of an approved one on the bank may have
 * paid it.
 */
export function refuseAnyChange(loan: ChangeCircumstances, { stage, date }: Pick<DatedTranche, 'stage' | 'date'>): TrancheRefusal | null {
  if (loan.status !== 'ACTIVE') return 'loan_not_active'
  if (!isOpenTranche(stage)) return 'not_editable'
  if (stage === 'approved' && date <= loan.today) return 'day_has_come'
  return hasNoDayLeft(loan) ? 'no_day_left' : null
}

/**
 * Why a tranche may not be changed. Null if it may. Its own amount is available to it, and its own
 * day may have passed.
 */
export function refuseChange(
  loan: ChangeCircumstances & Pick<TrancheCircumstances, 'maximumPaise'>,
  tranche: DatedTranche,
  amountPaise: Paise,
  date: Day,
): TrancheRefusal | null {
  const refusal = refuseAnyChange(loan, tranche)
  if (refusal !== null) return refusal
  const { earliest, latest } = trancheDates(loan.facts, loan.today)
  if ((date < earliest && date !== tranche.date) || date > latest) return 'date_out_of_window'
  if (amountPaise > loan.maximumPaise + tranche.amountPaise) return 'above_maximum'
  return isDisbursalFaulty(loan.facts, { date, amountPaise }) ? 'not_allowed' : null
}

/** How the loan continues after a day. */
export type TrancheOutcome = {
  /** The equated instalment from the next period on. The last row can be less. */
  instalmentPaise: Paise
  /** The first row due after the day: it bears the tranche's first interest. */
  nextRow: ScheduleRow | null
  /** The row after it. */
  followingRow: ScheduleRow | null
  lastDueDate: Day | null
  instalmentsLeft: number
  /** Of all rows, paid and unpaid, and capitalised. */
  totalInterestPaise: Paise
}

type TranchePreview = { unchanged: TrancheOutcome; changed: TrancheOutcome; rows: readonly ScheduleRow[] }

function outcomeOf(state: LoanState, date: Day): TrancheOutcome {
  const next = state.rows.findIndex(({ dueDate }) => dueDate > date)
  return {
    instalmentPaise: state.nextInstalmentPaise,
    nextRow: next === -1 ? null : (state.rows[next] ?? null),
    followingRow: next === -1 ? null : (state.rows[next + 1] ?? null),
    lastDueDate: state.rows.at(-1)?.dueDate ?? null,
    instalmentsLeft: state.rows.filter(({ dueDate }) => dueDate > date).length,
    totalInterestPaise: totalInterest(state),
  }
}

/** Adds a disbursal to the facts, after those of the same day. */
export const withDisbursal = (facts: LoanFacts, disbursal: Disbursal): LoanFacts => ({
  ...facts,
  disbursals: [...facts.disbursals, disbursal].toSorted(byDate),
})

/**
 * A disbursal with the bills of the time between its day and the day on which it is recorded, up to
 * the first one that was not paid: they stay (decision 25). Of less than ₹1 nothing more can be
 * paid. What closed the loan was no bill. Where nothing was billed and nothing is unpaid, as after
 * a payoff, nothing is: nobody could have paid it.
 *
 * @param recordedOn the day on which it becomes known, on or after its own.
 */
export function disbursalRecordedOn(facts: LoanFacts, date: Day, amountPaise: Paise, recordedOn: Day): Disbursal {
  const disbursal = { date, amountPaise }
  if (facts.disbursals.length === 0) return disbursal
  const billed = billedRows(facts, recordedOn).filter(({ dueDate }) => dueDate > date)
  // A charge of a row is no part of its bill.
  const unpaid = billed.findIndex((row) => instalmentPending(row) >= linkMinimumPaise)
  const paid = unpaid === -1 ? billed : billed.slice(0, unpaid)
  // A month of ₹0 still to come has not been billed.
  const last = paid.findLastIndex((row) => row.dueDate <= recordedOn || row.repaymentAmountPaise > 0n)
  const kept = paid.slice(0, last + 1).map(({ dueDate, interestPaise, principalPaise }) => ({ dueDate, interestPaise, principalPaise }))
  const keptRows = unpaid === -1 ? withMonthsNotBilled(facts, disbursal, kept, recordedOn) : kept
  return keptRows.length > 0 ? { ...disbursal, keptRows } : disbursal
}

/** The rows of a loan as on a day, without those of a payoff. */
function billedRows(facts: LoanFacts, day: Day): readonly ScheduleRow[] {
  const { rows, status } = loanStateToPost(facts, day)
  if (status === 'UNKNOWN') return rows
  const payoffs = new Set([...replayLoan(facts, dayNumber(day)).payoffRows].map(({ number }) => number))
  return rows.filter(({ number }) => !payoffs.has(number))
}

/** Bills that stay, with ₹0 for each month until the recording that only the disbursal bills. */
function withMonthsNotBilled(facts: LoanFacts, disbursal: Disbursal, kept: readonly KeptRow[], recordedOn: Day): readonly KeptRow[] {
  const known = new Set(kept.map(({ dueDate }) => dueDate))
  const changed = withDisbursal(facts, { ...disbursal, keptRows: kept })
  const added = billedRows(changed, recordedOn)
    .filter(({ dueDate }) => dueDate > disbursal.date && dueDate <= recordedOn && !known.has(dueDate))
    .map(({ dueDate }) => ({ dueDate, interestPaise: zeroPaise, principalPaise: zeroPaise }))
  if (added.length === 0) return kept
  const rows = [...kept, ...added].toSorted((one, other) => (one.dueDate < other.dueDate ? -1 : 1))
  // Without these bills, others become due before the recording.
  return withMonthsNotBilled(facts, disbursal, rows, recordedOn)
}

/**
 * What a tranche paid out on a day does to the loan, to the paisa. It is computed by paying it out,
 * so releasing it gives the same figures (decision 25). Other approved tranches are not included.
 */
export function tranchePreview(facts: LoanFacts, date: Day, amountPaise: Paise): TranchePreview {
  const changed = loanStateToPost(withDisbursal(facts, disbursalRecordedOn(facts, date, amountPaise, date)), date)
  return { unchanged: outcomeOf(loanStateToPost(facts, date), date), changed: outcomeOf(changed, date), rows: changed.rows }
}
