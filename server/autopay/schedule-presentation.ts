import { advanceCollection } from '#domain/autopay.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { decodeDebitParts } from '../loans/facts-store.ts'
import { addDueSoon } from './announce-due.ts'
import { addCollectionNotice } from './collection-notice.ts'
import { changeCollection, type CollectionChange } from './collection-store.ts'
import type { CollectionTransaction } from './collection-transaction.ts'
import { paysOwnInstalment } from './decide-debit.ts'

/**
 * The notice of a debit's amount and day; a debit that moves to another day has another notice. One
 * that pays older instalments alone names the latest of them, and the borrower learns that the
 * instalment of its due date is left to pay.
 */
async function addAnnouncement(step: CollectionTransaction): Promise<void> {
  const { sql, own, row, now } = step
  const about = `autopay_announced:${row.collection_id}:${row.debit_on}`
  const parts = decodeDebitParts(row.parts)
  const latest = parts.flatMap((part) => (part.kind === 'instalment' ? [part.dueDate] : [])).at(-1)
  const subject = latest !== undefined && latest < row.due_on ? { subject: latest } : {}
  await addCollectionNotice(step, { about, kind: 'autopay_announced', ...subject })
  if (row.due_on >= dayInIndia(now) && !paysOwnInstalment(row, parts)) await addDueSoon(sql, own, row.due_on, now)
}

/** Stores an announcement, with its notice. One that is repeated keeps its first time. */
export async function storeAnnouncement(step: CollectionTransaction, change: CollectionChange): Promise<void> {
  const { sql, row, now } = step
  const first = row.status === 'planned' && { status: advanceCollection(row.status, 'announced'), announced_at: now }
  await changeCollection(sql, row, { ...change, ...first })
  await addAnnouncement(step)
}

/**
 * Sets when a debit is presented. One that moves to another day has another notice.
 *
 * @returns null: nothing is asked of the provider now.
 */
export async function schedulePresentation(
  step: CollectionTransaction,
  presentAt: Date,
  more: { delivered_at?: Date } = {},
): Promise<null> {
  const change = { ...more, present_at: presentAt, debit_on: dayInIndia(presentAt), next_check_at: presentAt }
  await changeCollection(step.sql, step.row, change)
  await addAnnouncement({ ...step, row: { ...step.row, ...change } })
  return null
}
