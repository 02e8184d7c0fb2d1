import type { AutopayOfferOnWire, Collection, Mandate } from '#contract/autopay.ts'
import type { Loan, ScheduleRow } from '#contract/loans.ts'
import { isLiveMandate, notCapturedReason, notPresentedReason, type FailureClass, type MandateEndReason } from '#domain/autopay.ts'
import type { Autopay } from '#web/loan/autopay.ts'

/** What the card of autopay is about. */
export type AutopayState =
  /** Not offered, and there was no mandate. */
  | { kind: 'none' }
  | { kind: 'offered'; offer: AutopayOfferOnWire; ended: Mandate | null }
  /** The last mandate is over, and no other is offered. */
  | { kind: 'ended'; mandate: Mandate }
  /** The borrower approves it, or the bank confirms it. */
  | { kind: 'waiting'; mandate: Mandate }
  | { kind: 'ending'; mandate: Mandate }
  | { kind: 'paused'; mandate: Mandate }
  /** Null if no debit is planned. */
  | { kind: 'active'; mandate: Mandate; debit: Collection | null }
  | { kind: 'announced'; mandate: Mandate; debit: Collection }
  /** A debit is presented, whatever became of its mandate. */
  | { kind: 'in_progress'; mandate: Mandate | null; debit: Collection }

export function getAutopayState({ mandate, offer, next_collection: next }: Autopay): AutopayState {
  if (next?.status === 'presented') return { kind: 'in_progress', mandate, debit: next }
  if (mandate === null || !isLiveMandate(mandate.status)) {
    if (offer !== null) return { kind: 'offered', offer, ended: mandate }
    return mandate === null ? { kind: 'none' } : { kind: 'ended', mandate }
  }
  switch (mandate.status) {
    case 'active':
      return next?.status === 'announced' ? { kind: 'announced', mandate, debit: next } : { kind: 'active', mandate, debit: next }
    case 'paused':
      return { kind: 'paused', mandate }
    case 'ending':
      return { kind: 'ending', mandate }
    default:
      return { kind: 'waiting', mandate }
  }
}

/** Why the borrower must act although autopay is set up. */
export type DebitProblem =
  /** `isRetried`: another debit for the same instalment is planned already. */
  | { kind: 'failed'; debit: Collection; isRetried: boolean }
  /** The instalment is above the cap of the mandate. */
  | { kind: 'cap_too_low'; debit: Collection }

type LoanDebits = { loan: Pick<Loan, 'loan_status'>; autopay: Autopay; collections: readonly Collection[]; rows: readonly ScheduleRow[] }

/**
 * What went wrong with the latest debit, or will with the next. Null if nothing did, or what it was
 * for is paid meanwhile, or the lender checks the loan: nothing can be paid then.
 */
export function findDebitProblem({ loan, autopay, collections, rows }: LoanDebits): DebitProblem | null {
  const { mandate, next_collection: next } = autopay
  if (next?.status === 'presented' || loan.loan_status === 'UNKNOWN') return null
  const latest = collections.filter(isOver).toSorted(compareDebits).at(-1)
  const isUnpaid = latest !== undefined && rows.some(({ due_date, status }) => due_date <= latest.due_date && status !== 'Paid')
  if (latest?.status === 'failed' && isUnpaid) {
    const isRetried = collections.some(({ due_date, status }) => due_date === latest.due_date && isOpen(status))
    return { kind: 'failed', debit: latest, isRetried }
  }
  if (mandate === null || !isLiveMandate(mandate.status)) return null
  if (latest?.reason === 'cap' && latest.mandate_id === mandate.id && isUnpaid) return { kind: 'cap_too_low', debit: latest }
  return next?.status === 'planned' && isAboveLimit(next, mandate) ? { kind: 'cap_too_low', debit: next } : null
}

/** `loan_checked`: the lender checks the loan. `link_open`: a payment by hand is not over. */
export type DebitObstacle = 'loan_checked' | 'link_open'

/**
 * Why a debit failed. `not_presented`: its request never reached the bank. `not_captured`: the
 * bank's approval came too late, and the money goes back.
 */
export type FailureCause = FailureClass | typeof notPresentedReason | typeof notCapturedReason

export const getFailureCause = ({ reason, failure_class }: Pick<Collection, 'reason' | 'failure_class'>): FailureCause =>
  reason === notPresentedReason || reason === notCapturedReason ? reason : (failure_class ?? 'review')

/** The steps of a debit that happened: one whose request never left was not presented. */
export const getShownSteps = ({ steps, reason }: Pick<Collection, 'steps' | 'reason'>): Collection['steps'] =>
  steps.filter(({ step }) => step !== 'presented' || reason !== notPresentedReason)

/** How a mandate ended: what became of its request, or why it is over. */
export type EndCause = 'not_approved' | 'rejected' | 'withdrawn' | MandateEndReason

/** Null if the reason is not known. */
export function getEndCause({ status, reason, active_at: activeAt }: Pick<Mandate, 'status' | 'reason' | 'active_at'>): EndCause | null {
  if (status === 'expired') return 'not_approved'
  // The bank had not decided yet.
  if (status === 'ended' && reason === 'borrower' && activeAt === null) return 'withdrawn'
  if (status === 'rejected') return status
  return status === 'cancelled' && reason !== 'refused' && reason !== 'app' ? 'withdrawn' : reason
}

/** Whether the ended mandate leaves EMIs that the borrower has to pay in another way. */
export function isPaidByBorrower(
  { loan_status: status }: Pick<Loan, 'loan_status'>,
  mandate: Pick<Mandate, 'status' | 'reason' | 'active_at'>,
): boolean {
  const cause = getEndCause(mandate)
  return (status === 'ACTIVE' || status === 'OVERDUE') && cause !== 'loan_closed' && cause !== 'withdrawn' && cause !== 'refused'
}

/** Such a debit is not made: the card says so, and shows no next debit. */
const isAboveLimit = (debit: Collection, mandate: Mandate): boolean => debit.amount > mandate.debit_limit

/** Nothing is debited while the lender checks the loan. */
export const isNextDebitShown = (
  { loan_status: status }: Pick<Loan, 'loan_status'>,
  { mandate, debit }: { mandate: Mandate; debit: Collection | null },
): boolean => status !== 'UNKNOWN' && (debit === null || !isAboveLimit(debit, mandate))

/** Why a debit that was announced is not made for now; null if nothing is in its way. */
export const findDebitObstacle = ({ loan_status: status }: Pick<Loan, 'loan_status'>, hasOpenLink: boolean): DebitObstacle | null =>
  status === 'UNKNOWN' ? 'loan_checked' : hasOpenLink ? 'link_open' : null

const isOpen = (status: Collection['status']): boolean => status === 'planned' || status === 'announced'

/** A debit with an outcome. The other skipped ones are followed by another, or asked for. */
const isOver = ({ status, reason }: Collection): boolean =>
  status === 'captured' || status === 'failed' || (status === 'skipped' && reason === 'cap')

const compareDebits = (left: Collection, right: Collection): number =>
  left.debit_on === right.debit_on ? left.attempt - right.attempt : left.debit_on < right.debit_on ? -1 : 1

/**
 * Whether a debit belongs to the history. One that was dropped before the borrower knew of it does
 * not, unless its reason concerns them.
 */
export function isPastDebit({ status, reason, announced_at }: Collection): boolean {
  if (isOpen(status)) return false
  return status !== 'skipped' || announced_at !== null || reason === 'borrower' || reason === 'cap'
}
