import { advanceCollection, type DebitDecision, type SkipReason } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateToPost } from '#domain/loan-state.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import { encodeDebitParts } from '../loans/facts-store.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, listCollections, type CollectionRow } from './collection-store.ts'
import type { CollectionTransaction, MandateTransaction } from './collection-transaction.ts'
import { decideOn, expectDebit } from './decide-debit.ts'
import { mandateCap } from './mandate-store.ts'
import { planNextCollection } from './plan-collection.ts'

/** Skips that the borrower learns of from something else: their own act, or a new announcement. */
const silentSkips: ReadonlySet<SkipReason> = new Set(['borrower', 'amount_changed', 'superseded', 'cap'])

/**
 * Skips a planned or announced collection. The borrower gets a notice if they expected it. The
 * caller holds the loan's row lock.
 */
export async function skipCollectionRow(step: Omit<CollectionTransaction, 'mandate'>, reason: SkipReason): Promise<void> {
  const { sql, row, now } = step
  if (advanceCollection(row.status, 'skipped') === row.status) return
  await changeCollection(sql, row, { status: 'skipped', reason, ended_at: now, next_check_at: noFurtherCheck })
  const isExpected = row.status === 'announced' || reason === 'mandate' || reason === 'link_open'
  if (silentSkips.has(reason) || !isExpected) return
  await addCollectionNotice(step, { about: `autopay_skipped:${row.collection_id}`, kind: 'autopay_skipped', subject: reason })
}

/**
 * Skips every collection of a loan that is planned or announced, because the loan is closed or its
 * mandate is over. Nobody is asked to pay what is paid: such a collection is skipped as paid. One
 * whose time has come is left: it is skipped when the provider has told that it has no debit.
 */
export async function skipOpenCollections(step: MandateTransaction, reason: 'closed' | 'mandate'): Promise<void> {
  const { sql, own, mandate, now } = step
  for (const row of await listCollections(sql, own.loan.borrower_id, own.loan.loan_id)) {
    if (row.status === 'announced' && row.order_id !== null && row.present_at !== null && row.present_at <= now) continue
    const decision = expectDebit({ own, row }, dayInIndia(now), mandate.max_amount_paise)
    const isPaid = reason === 'mandate' && decision.kind === 'nothing_due'
    await skipCollectionRow({ ...step, row: await restatePlanned(sql, row, decision) }, isPaid ? 'paid' : reason)
  }
}

/**
 * Stores in a planned collection what would be debited as things are, or what its cap is too low
 * for: what it was planned with may have changed since. One that was announced keeps what was told.
 */
export async function restatePlanned(sql: Sql, row: CollectionRow, decision: DebitDecision): Promise<CollectionRow> {
  if (row.status !== 'planned' || decision.kind === 'nothing_due' || decision.kind === 'unknown') return row
  const { amountPaise, parts } = decision
  await changeCollection(sql, row, { amount_paise: amountPaise, parts: encodeDebitParts(parts) })
  return { ...row, amount_paise: amountPaise }
}

/**
 * Skips the debit, and plans the one of the next due date.
 *
 * @returns null: nothing is asked of the provider.
 */
export async function skipAndPlanNext(context: MoneyContext, step: CollectionTransaction, reason: SkipReason): Promise<null> {
  await skipCollectionRow(step, reason)
  await planNextCollection(context, step)
  return null
}

/** Skips a debit for which nothing is due any more. @returns false if something is. */
export async function skipIfPaid(context: MoneyContext, step: CollectionTransaction): Promise<boolean> {
  if (decideOn(step, step.row.debit_on, mandateCap(step.mandate, context.config.autopay.rules)).kind !== 'nothing_due') return false
  const isClosed = loanStateToPost(step.own.facts, dayInIndia(step.now)).status === 'CLOSED'
  await skipAndPlanNext(context, step, isClosed ? 'closed' : 'paid')
  return true
}

/** Tells the borrower that the cap is too low, and skips the debit as {@link skipAndPlanNext}. */
export async function skipAboveCap(
  context: MoneyContext,
  step: CollectionTransaction,
  decision: Extract<DebitDecision, { kind: 'above_cap' }>,
): Promise<null> {
  const row = await restatePlanned(step.sql, step.row, decision)
  const restated = { ...step, row }
  await skipAndPlanNext(context, restated, 'cap')
  const about = `autopay_cap:${row.collection_id}`
  await addCollectionNotice(restated, { about, kind: 'autopay_cap_too_low', amountPaise: decision.amountPaise, date: row.due_on })
  return null
}
