import { attemptsMax, isOpenCollection, retryDays } from '#domain/autopay.ts'
import { lastDebitBefore, type Holidays } from '#domain/autopay-times.ts'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { findNextPlanned, type CollectionRow } from './collection-store.ts'
import type { MandateRow } from './mandate-store.ts'

/** What decides on another debit. `collections`: all of the loan. */
type RetryInput = {
  facts: LoanFacts
  mandates: readonly MandateRow[]
  collections: readonly CollectionRow[]
  holidays: Holidays
  now: Date
}

/**
 * The days on which the borrower may have a failed debit tried again: while its mandate is active,
 * its instalment unpaid, and no other debit for the due date under way. Null if there are none,
 * also while the loan's state is unknown: every instalment would count as unpaid.
 */
export function findRetryDays(
  row: CollectionRow,
  { facts, mandates, collections, holidays, now }: RetryInput,
): { from: Day; until: Day } | null {
  if (row.status !== 'failed' || (row.failure_class !== 'funds' && row.failure_class !== 'technical')) return null
  const today = dayInIndia(now)
  const ofDueDate = collections.filter(({ due_on, status }) => due_on === row.due_on && status !== 'skipped')
  const isLatest = ofDueDate.every(({ attempt, created_at }) => attempt < row.attempt || created_at <= row.created_at)
  const isUnderWay = ofDueDate.some(isOpenCollection)
  const mandate = mandates.find(({ mandate_id, status }) => mandate_id === row.mandate_id && status === 'active')
  const state = loanStateDuring(facts, today)
  const isUnpaid = state.status !== 'UNKNOWN' && state.rows.some(({ dueDate, status }) => dueDate <= row.due_on && status !== 'Paid')
  if (!isLatest || isUnderWay || !mandate || !isUnpaid || row.attempt >= attemptsMax) return null
  const next = findNextPlanned(collections, row)
  const beforeNext = next ? lastDebitBefore(mandate.method, next.debit_on, holidays) : null
  return retryDays({ attempt: row.attempt, debitOn: row.debit_on, firstDebitOn: row.first_debit_on }, beforeNext, today)
}
