import { advanceCollection } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import { decodeDebitParts } from '../loans/facts-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { addDueSoon } from './announce-due.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, collectionKeyOf, type CollectionChange, type CollectionRow } from './collection-store.ts'
import type { CollectionTransaction } from './collection-transaction.ts'
import { paysOwnInstalment } from './decide-debit.ts'

/**
 * The notice of a debit's amount and day; a debit that moves to another day has another notice. One
 * that pays older instalments alone names the latest of them, and the borrower learns that the
 * instalment of its due date is left to pay.
 */
async function addAnnouncement(sql: Sql, own: OwnLoan, row: CollectionRow, now: Date): Promise<void> {
  const about = `autopay_announced:${row.collection_id}:${row.debit_on}`
  const parts = decodeDebitParts(row.parts)
  const latest = parts.flatMap((part) => (part.kind === 'instalment' ? [part.dueDate] : [])).at(-1)
  const subject = latest !== undefined && latest < row.due_on ? { subject: latest } : {}
  await addCollectionNotice({ sql, lan: own.loan.lan, row, now }, { about, kind: 'autopay_announced', ...subject })
  if (row.due_on >= dayInIndia(now) && !paysOwnInstalment(row, parts)) await addDueSoon(sql, own, row.due_on, now)
}

/** Stores an announcement, with its notice. One that is repeated keeps its first time. */
export async function storeAnnouncement({ sql, own, row, now }: CollectionTransaction, change: CollectionChange): Promise<void> {
  const first = row.status === 'planned' && { status: advanceCollection(row.status, 'announced'), announced_at: now }
  await changeCollection(sql, collectionKeyOf(row), { ...change, ...first })
  await addAnnouncement(sql, own, row, now)
}

/**
 * Sets when a debit is presented. One that moves to another day has another notice.
 *
 * @returns null: nothing is asked of the provider now.
 */
export async function schedulePresentation(
  { sql, own, row, now }: CollectionTransaction,
  presentAt: Date,
  more: { delivered_at?: Date } = {},
): Promise<null> {
  const change = { ...more, present_at: presentAt, debit_on: dayInIndia(presentAt), next_check_at: presentAt }
  await changeCollection(sql, collectionKeyOf(row), change)
  await addAnnouncement(sql, own, { ...row, ...change }, now)
  return null
}
