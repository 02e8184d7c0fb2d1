import { decideDebit, isPaidOtherwise, lastRetryDay, type DebitDecision, type DebitPart } from '#domain/autopay.ts'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { dayMs } from '#domain/durations.ts'
import { loanStateDuring, loanStateToPost } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import { paidWhenDue } from '#domain/paid-when-due.ts'
import { ledgerDay } from '../ledger/postings.ts'
import { decodeDebitParts } from '../loans/facts-store.ts'
import type { CollectionRow } from './collection-store.ts'
import type { CollectionTransaction } from './collection-transaction.ts'

type PlannedAttempt = Pick<CollectionRow, 'attempt' | 'due_on'>
type Attempt<Row> = { own: { facts: LoanFacts }; row: Row }

/** The day from which a debit counts: a first attempt's due date, whenever it is presented. */
export const valueDateOf = ({ attempt, due_on }: PlannedAttempt, day: Day): Day => (attempt === 1 && due_on < day ? due_on : day)

/**
 * What is to be debited on a day, under the mandate's cap. From its value date on, no late charge
 * arises for what the debit pays; so none that would have arisen since is debited.
 */
export function decideOn({ own, row }: Attempt<PlannedAttempt>, day: Day, capPaise: Paise, stateOf = loanStateToPost): DebitDecision {
  const decide = (facts: LoanFacts) => decideDebit(facts, stateOf(facts, day), day, capPaise)
  const decision = decide(own.facts)
  if (decision.kind !== 'debit') return decision
  const dueDates = decision.parts.flatMap((part) => (part.kind === 'instalment' ? [part.dueDate] : []))
  const presented = { from: valueDateOf(row, day), until: null, dueDates }
  return decide({ ...own.facts, lateChargeHolds: [...(own.facts.lateChargeHolds ?? []), presented] })
}

/**
 * What a planned debit is expected to be, if what falls due before its due date is paid on time. It
 * is decided when it is announced.
 */
export const expectDebit = ({ own, row }: Attempt<PlannedAttempt & { debit_on: Day }>, today: Day, capPaise: Paise): DebitDecision =>
  decideOn({ own: { facts: paidWhenDue(own.facts, today, row.due_on) }, row }, row.debit_on, capPaise, loanStateDuring)

/** Whether something else has paid what a debit was for, on a loan without the debit's money. */
export function isPaidMeanwhile({ own: { facts }, row, now }: Pick<CollectionTransaction, 'own' | 'row' | 'now'>): boolean {
  const asOf = ledgerDay(facts, now)
  return isPaidOtherwise(decodeDebitParts(row.parts), facts, loanStateToPost(facts, asOf), asOf)
}

/** Whether a debit pays the instalment of its due date. Under a cap it can pay older ones alone. */
export const paysOwnInstalment = ({ due_on }: Pick<CollectionRow, 'due_on'>, parts: readonly DebitPart[]): boolean =>
  parts.some((part) => part.kind === 'instalment' && part.dueDate === due_on)

/** Whether a day is too late for another debit of the same due date. */
export const isAfterRetries = (
  { attempt, first_debit_on: firstOn }: Pick<CollectionRow, 'attempt' | 'first_debit_on'>,
  day: Day,
): boolean => attempt > 1 && day > lastRetryDay(firstOn)

/** A debit that could not be announced in time can be so many days after its due date. */
export const lateDaysMax = 5

/**
 * Whether a day is too late for a retry, or for a debit that the provider keeps from being
 * announced. One that was planned after its due date has as many days from then on.
 */
export function isGivenUp(row: Pick<CollectionRow, 'attempt' | 'due_on' | 'first_debit_on' | 'created_at'>, day: Day): boolean {
  if (row.attempt > 1) return isAfterRetries(row, day)
  const plannedOn = dayInIndia(row.created_at)
  return day > addDays(plannedOn > row.due_on ? plannedOn : row.due_on, lateDaysMax)
}

/** A debit that cannot be presented so long after its announcement is given up. */
const postponementMsMax = 5 * dayMs

/** Whether an announced debit may not be moved to a day any more, whatever has delayed it. */
export const isTooLate = ({ row, now }: Pick<CollectionTransaction, 'row' | 'now'>, day: Day): boolean =>
  now.getTime() - (row.announced_at ?? now).getTime() > postponementMsMax || isAfterRetries(row, day)
