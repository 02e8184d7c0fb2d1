import { advanceCollection } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import type { Sql } from '../database/connect.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, collectionKeyOf, type CollectionChange, type CollectionRow } from './collection-store.ts'
import type { CollectionTransaction } from './collection-transaction.ts'

/** The notice of a debit's amount and day; a debit that moves to another day has another notice. */
function addAnnouncement(sql: Sql, { loan }: OwnLoan, row: CollectionRow, now: Date): Promise<void> {
  const about = `autopay_announced:${row.collection_id}:${row.debit_on}`
  return addCollectionNotice({ sql, lan: loan.lan, row, now }, { about, kind: 'autopay_announced' })
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
