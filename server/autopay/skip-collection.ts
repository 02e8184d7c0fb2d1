import { advanceCollection, decideDebit, type SkipReason } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring, loanStateToPost } from '#domain/loan-state.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { noFurtherCheck } from '../jobs/back-off.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, collectionKeyOf, listCollections, type CollectionRow } from './collection-store.ts'
import type { CollectionTransaction } from './collection-transaction.ts'
import { decideOn } from './decide-debit.ts'
import { planNextCollection } from './plan-collection.ts'

type LoanOfCollection = Pick<LoanRow, 'borrower_id' | 'loan_id' | 'lan'>

/** Skips that the borrower learns of from something else: their own act, or a new announcement. */
const silentSkips: ReadonlySet<SkipReason> = new Set(['borrower', 'amount_changed', 'superseded', 'cap'])

/**
 * Skips a planned or announced collection. The borrower gets a notice if they expected it. The
 * caller holds the loan's row lock.
 */
export async function skipCollectionRow(
  sql: Sql,
  loan: LoanOfCollection,
  row: CollectionRow,
  reason: SkipReason,
  now: Date,
): Promise<void> {
  if (advanceCollection(row.status, 'skipped') === row.status) return
  await changeCollection(sql, collectionKeyOf(row), { status: 'skipped', reason, ended_at: now, next_check_at: noFurtherCheck })
  const isExpected = row.status === 'announced' || reason === 'mandate' || reason === 'link_open'
  if (silentSkips.has(reason) || !isExpected) return
  const about = `autopay_skipped:${row.collection_id}`
  await addCollectionNotice({ sql, lan: loan.lan, row, now }, { about, kind: 'autopay_skipped', subject: reason })
}

/**
 * Skips every collection of a loan that is planned or announced, because the loan is closed or its
 * mandate is over. Nobody is asked to pay what is paid: such a collection is skipped as paid.
 */
export async function skipOpenCollections(sql: Sql, own: OwnLoan, reason: 'closed' | 'mandate', now: Date): Promise<void> {
  for (const row of await listCollections(sql, own.loan.borrower_id, own.loan.loan_id)) {
    const isPaid = reason === 'mandate' && isNothingDue(own, row)
    await skipCollectionRow(sql, own.loan, row, isPaid ? 'paid' : reason, now)
  }
}

/** The provider takes no debit below one rupee. */
const belowOneRupee = paise(99n)

const isNothingDue = ({ facts }: OwnLoan, { debit_on: day }: CollectionRow): boolean =>
  decideDebit(facts, loanStateDuring(facts, day), day, belowOneRupee).kind === 'nothing_due'

/** Skips the debit, and plans the one of the next due date. */
export async function skipAndPlanNext({ config }: MoneyContext, step: CollectionTransaction, reason: SkipReason): Promise<void> {
  const { sql, own, mandate, row, now } = step
  await skipCollectionRow(sql, own.loan, row, reason, now)
  await planNextCollection(sql, own, mandate, config.autopay.rules, now)
}

/** Skips a debit for which nothing is due any more. @returns false if something is. */
export async function skipIfPaid(context: MoneyContext, step: CollectionTransaction): Promise<boolean> {
  if (decideOn(step, step.row.debit_on, context.config.autopay.rules).kind !== 'nothing_due') return false
  const isClosed = loanStateToPost(step.own.facts, dayInIndia(step.now)).status === 'CLOSED'
  await skipAndPlanNext(context, step, isClosed ? 'closed' : 'paid')
  return true
}

/** Tells the borrower that the cap is too low, and skips the debit. */
export async function skipAboveCap(context: MoneyContext, step: CollectionTransaction, neededPaise: Paise): Promise<void> {
  const { sql, own, row, now } = step
  await skipAndPlanNext(context, step, 'cap')
  await addCollectionNotice(
    { sql, lan: own.loan.lan, row, now },
    { about: `autopay_cap:${row.collection_id}`, kind: 'autopay_cap_too_low', amountPaise: neededPaise, date: row.due_on },
  )
}
