import {
  advanceCollection,
  attemptsMax,
  classifyFailure,
  isNewMandate,
  lastRetryDay,
  notCapturedReason,
  notPresentedReason,
  type FailureClass,
  type FailureSubject,
} from '#domain/autopay.ts'
import { announceAtMs, lastDebitBefore, type Holidays } from '#domain/autopay-times.ts'
import { addDays, dayInIndia, type Day } from '#domain/calendar.ts'
import { minuteMs } from '#domain/durations.ts'
import type { MoneyContext } from '../context.ts'
import { reconcileLedgerToFacts } from '../ledger/reconcile-ledger.ts'
import { lockOwnLoan } from '../loans/own-loan.ts'
import { addReview, reviewOwner } from '../payments/review-store.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, findNextPlanned, listCollections, type CollectionKey } from './collection-store.ts'
import { withCollection, type CollectionTransaction } from './collection-transaction.ts'
import { isPaidMeanwhile } from './decide-debit.ts'
import { requestMandateEnd } from './end-mandate.ts'
import { findRetryDays } from './find-retry-days.ts'
import { insertCollection, planNextCollection } from './plan-collection.ts'
import { skipAndPlanNext } from './skip-collection.ts'

/** A late success is looked for from then on, ever more rarely. */
const firstLateCheckMs = 10 * minuteMs

/**
 * Stores that a debit failed, tells the borrower, and does what follows from the reason: one retry
 * after a technical failure, the end of the mandate, or a review. A repeated report has no effect.
 *
 * @param reason the provider's `error_reason`, or ours.
 */
export const failCollection = (context: MoneyContext, key: CollectionKey, reason: string): Promise<void> =>
  withCollection(context, key, (step) => storeFailure(context, step, reason))

/** As {@link failCollection}, in the caller's transaction. */
export async function storeFailure(context: MoneyContext, step: CollectionTransaction, reason: string): Promise<void> {
  const { sql, mandate, row, now } = step
  const status = advanceCollection(row.status, 'failed')
  if (status === row.status) return
  const activeOn = dayInIndia(mandate.active_at ?? mandate.created_at)
  const failureClass = classifyFailure(reason, { isNew: isNewMandate(mandate.method, activeOn, row.debit_on) })
  const change = {
    status,
    reason,
    failure_class: failureClass,
    outcome_on: dayInIndia(now),
    ended_at: now,
    next_check_at: new Date(now.getTime() + firstLateCheckMs),
    checks: 0,
  }
  await changeCollection(sql, row, change)
  const failed = { ...step, own: await lockOwnLoan(sql, row.borrower_id, row.loan_id), row: { ...row, ...change } }
  await reconcileLedgerToFacts(sql, failed.own, now, 'system')
  const isPaid = isPaidMeanwhile(failed)
  const followed = await followFailure(context, failed, failureClass, isPaid)
  if (failureClass !== 'mandate_ended') await planNextCollection(context, failed)
  const isLast = !isPaid && followed === 'funds' && !(await canBeAskedAgain(context, failed))
  const about = `autopay_failed:${row.collection_id}`
  const subject = isPaid ? 'paid' : isLast ? 'funds_last' : followed
  await addCollectionNotice(step, { about, kind: 'autopay_failed', subject })
}

/**
 * Stores of a failed debit that the provider had its money meanwhile and returns it. The retry that
 * was planned by itself is skipped, as after {@link storeFailure} with this reason none is planned.
 */
export async function restateFailure(context: MoneyContext, step: CollectionTransaction, isPaid: boolean): Promise<void> {
  const { sql, row } = step
  await changeCollection(sql, row, { reason: notCapturedReason, failure_class: 'technical' })
  for (const other of await listCollections(sql, row.borrower_id, row.loan_id))
    if (other.due_on === row.due_on && other.status === 'planned' && other.planned_by === 'system')
      await skipAndPlanNext(context, { ...step, row: other }, isPaid ? 'paid' : 'superseded')
  if (isPaid) return
  const about = `autopay_failed:${row.collection_id}:${notCapturedReason}`
  await addCollectionNotice(step, { about, kind: 'autopay_failed', subject: notCapturedReason })
}

/** Whether the borrower can choose a day for another debit. */
async function canBeAskedAgain({ config }: MoneyContext, { sql, own, mandate, row, now }: CollectionTransaction): Promise<boolean> {
  const collections = await listCollections(sql, row.borrower_id, row.loan_id)
  return findRetryDays(row, { facts: own.facts, mandates: [mandate], collections, holidays: config.autopay.holidays, now }) !== null
}

/** Does what follows. @returns what the notice says of it, unless something else has paid. */
async function followFailure(
  context: MoneyContext,
  step: CollectionTransaction,
  failureClass: FailureClass,
  isPaid: boolean,
): Promise<FailureSubject> {
  const { sql, row, now } = step
  switch (failureClass) {
    case 'technical': {
      // Its money is on the way back: when another debit may come is for the borrower to choose.
      if (row.reason === notCapturedReason) return notCapturedReason
      const debitOn = isPaid ? null : await findRetryDay(step, context.config.autopay.holidays)
      const isPresented = row.reason !== notPresentedReason
      const subject = isPresented ? 'technical' : notPresentedReason
      if (debitOn === null) return `${subject}_last`
      // A debit that never reached the provider was no presentation.
      const attempt = isPresented ? row.attempt + 1 : row.attempt
      const plan = { dueOn: row.due_on, attempt, plannedBy: 'system', debitOn, firstDebitOn: row.first_debit_on }
      await insertCollection(context, step, plan)
      return subject
    }
    case 'mandate_ended': {
      // Whatever the bank says, the provider may still hold the mandate: it is asked to end it.
      const ended = await requestMandateEnd(step, row.reason === 'mandate_cancelled' ? 'app' : 'bank')
      if (ended.end_reason === 'borrower') return 'mandate_cancelled'
      return ended.end_reason === 'bank' ? failureClass : 'mandate_over'
    }
    case 'review':
      await addReview(
        sql,
        {
          ...reviewOwner(row),
          kind: 'debit_failed',
          about: row.collection_id,
          detail: {
            reference: row.reference,
            reason: row.reason,
            payment: row.provider_payment_id,
            amount_paise: String(row.amount_paise),
          },
        },
        now,
      )
      return failureClass
    case 'funds':
    case 'ask_borrower':
      return failureClass
  }
}

/**
 * The day of the one retry that follows by itself: the first that can be announced as the first
 * debit was. Null if there was one, it would delay the next instalment's debit, or the days for it
 * are over.
 */
async function findRetryDay({ sql, mandate, row, now }: CollectionTransaction, holidays: Holidays): Promise<Day | null> {
  const collections = await listCollections(sql, row.borrower_id, row.loan_id)
  const ofDueDate = collections.filter((one) => one.due_on === row.due_on)
  // The first debit can have succeeded late: it is not failed then, but its retry is still known.
  const hadRetry = ofDueDate.some(
    (one) =>
      (one.planned_by === 'system' && one.attempt > 1 && one.presented_at !== null) ||
      (one.collection_id !== row.collection_id &&
        one.status === 'failed' &&
        one.failure_class === 'technical' &&
        // A request that never arrived was no presentation; but a second one is not repeated.
        (one.reason !== notPresentedReason || row.reason === notPresentedReason)),
  )
  const isUnderWay = ofDueDate.some((one) => one.status === 'planned' || one.status === 'announced')
  if (hadRetry || isUnderWay || mandate.status !== 'active' || row.attempt >= attemptsMax) return null
  const today = dayInIndia(now)
  const soon = addDays(today, 2)
  const debitOn = announceAtMs(soon) >= now.getTime() ? soon : addDays(soon, 1)
  if (debitOn > lastRetryDay(row.first_debit_on)) return null
  const next = findNextPlanned(collections, row)
  return next !== undefined && debitOn > lastDebitBefore(mandate.method, next.debit_on, holidays) ? null : debitOn
}
