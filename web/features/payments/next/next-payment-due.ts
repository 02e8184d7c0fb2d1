import type { Loan, ScheduleRow } from '#contract/loans.ts'
import type { Day } from '#domain/calendar.ts'
import type { Paise } from '#domain/money.ts'
import type { Autopay } from '#web/loan/autopay.ts'
import type { Schedule } from '#web/loan/loan-queries.ts'
import { isPaidWithNextEmi } from '../pay/payment-options.ts'

/**
 * What to pay next. `upcoming` is shown and cannot be paid yet: before EMIs begin, or while the
 * payment options are unknown.
 */
export type NextDue =
  /** `isLimited`: more than a payment link may carry. */
  | { kind: 'overdue'; amount: Paise; since: Day | null; isLimited: boolean }
  | { kind: 'next_emi' | 'upcoming'; amount: Paise; dueDate: Day; isLimited: boolean }

/** From the payment options; without a schedule, from the loan's summary. Null: nothing is due. */
export function findNextDue(loan: Loan, schedule: Schedule | undefined): NextDue | null {
  if (loan.loan_status === 'CLOSED') return null
  if (schedule === undefined) {
    if (loan.dpd > 0) return { kind: 'overdue', amount: loan.dues, since: loan.due_date, isLimited: false }
    return loan.due_date === null ? null : { kind: 'upcoming', amount: loan.emi_amount, dueDate: loan.due_date, isLimited: false }
  }
  const { overdue_payment: overdue, next_emi_payment: nextEmi } = schedule.allowed_payments
  if (overdue.amount > 0n && !isPaidWithNextEmi(schedule.allowed_payments))
    return {
      kind: 'overdue',
      amount: overdue.amount,
      since: overdue.dpd > 0 ? loan.due_date : null,
      isLimited: overdue.isLimited ?? false,
    }
  if (nextEmi !== undefined)
    return { kind: 'next_emi', amount: nextEmi.amount, dueDate: nextEmi.due_date, isLimited: nextEmi.isLimited ?? false }
  const row = schedule.repayment_schedule.find(({ status }) => status === 'Due')
  return row === undefined ? null : { kind: 'upcoming', amount: row.pending_amount, dueDate: row.due_date, isLimited: false }
}

/**
 * The debit of the whole amount that is being made, or was announced: a planned one, and one of a
 * mandate that is paused or ended, may still be skipped.
 */
export function findDebitOf({ amount }: NextDue, { mandate, next_collection: debit }: Pick<Autopay, 'mandate' | 'next_collection'>) {
  if (debit === null || debit.amount < amount) return null
  return debit.status === 'presented' || (debit.status === 'announced' && mandate?.status === 'active') ? debit : null
}

/** The instalments that are due on the day of the loan's figures or later. */
export const listEmisToCome = (loan: Pick<Loan, 'as_of'>, rows: readonly ScheduleRow[]): ScheduleRow[] =>
  rows.filter(({ status, due_date: day }) => status === 'Due' && day >= loan.as_of)
