import type { Kysely, Selectable } from 'kysely'
import { openCollectionStatuses } from '#domain/autopay.ts'
import type { Sql } from '../database/connect.ts'
import type { Collections, DB } from '../database/schema.generated.ts'
import { statement } from '../database/statement.ts'
import { returnedReason } from '../loans/facts-store.ts'
import { addReference, type MandateRow } from './mandate-store.ts'

export type CollectionRow = Selectable<Collections>

/** Names a collection. */
export type CollectionName = Pick<CollectionRow, 'borrower_id' | 'collection_id'>
/** A collection with its loan and mandate, which never change. One round trip reads all. */
export type CollectionKey = CollectionName & Pick<CollectionRow, 'loan_id' | 'mandate_id'>

/** All columns by name, as in open-links-store.ts. */
const collectionColumns = [
  'amount_paise',
  'announced_at',
  'attempt',
  'borrower_id',
  'checks',
  'collection_id',
  'created_at',
  'debit_on',
  'delivered_at',
  'due_on',
  'ended_at',
  'expected_by',
  'failure_class',
  'first_debit_on',
  'loan_id',
  'mandate_id',
  'next_check_at',
  'order_id',
  'orders',
  'outcome_on',
  'parts',
  'planned_by',
  'present_at',
  'presented_at',
  'provider_payment_id',
  'reason',
  'reference',
  'status',
  'value_date',
] as const satisfies readonly (keyof CollectionRow)[]

const selectCollections = (sql: Kysely<DB>, borrowerId: string) =>
  sql.selectFrom('collections').select(collectionColumns).where('borrower_id', '=', borrowerId)

const selectNewestCollections = (sql: Kysely<DB>, borrowerId: string) =>
  selectCollections(sql, borrowerId).orderBy('created_at', 'desc').orderBy('collection_id', 'desc')

/** The collections of a borrower, newest first. */
export const collectionsOfBorrower = statement<{ borrowerId: string }>()((sql, { borrowerId }) => selectNewestCollections(sql, borrowerId))

export type NewCollection = Pick<
  CollectionRow,
  | 'borrower_id'
  | 'collection_id'
  | 'loan_id'
  | 'mandate_id'
  | 'reference'
  | 'due_on'
  | 'attempt'
  | 'planned_by'
  | 'first_debit_on'
  | 'debit_on'
  | 'amount_paise'
  | 'next_check_at'
> & { parts: string }

/** Stores a planned collection. The caller holds the loan's row lock. */
export async function addCollection(sql: Sql, collection: NewCollection, now: Date): Promise<void> {
  await sql
    .insertInto('collections')
    .values({ ...collection, status: 'planned', created_at: now })
    .execute()
  await addReference(sql, collection)
}

export const selectCollection = (sql: Sql, { borrower_id, collection_id }: CollectionName) =>
  selectCollections(sql, borrower_id).where('collection_id', '=', collection_id)

export const findCollection = (sql: Sql, name: CollectionName): Promise<CollectionRow | undefined> =>
  selectCollection(sql, name).executeTakeFirst()

/** @throws if there is none. */
export async function readCollection(sql: Sql, name: CollectionName): Promise<CollectionRow> {
  const collection = await findCollection(sql, name)
  if (!collection) throw new Error(`There is no collection ${name.collection_id}`)
  return collection
}

/** All collections of a loan, newest first. */
export const listCollections = (sql: Sql, borrowerId: string, loanId: string): Promise<CollectionRow[]> =>
  selectNewestCollections(sql, borrowerId).where('loan_id', '=', loanId).execute()

/** The collection of a later due date that is not presented yet, among those of a loan. */
export const findNextPlanned = (collections: readonly CollectionRow[], { due_on: dueOn }: CollectionRow): CollectionRow | undefined =>
  collections.find(({ due_on, status }) => due_on > dueOn && (status === 'planned' || status === 'announced'))

/** Finds the collection of the provider's order, over all borrowers. */
export async function findCollectionByOrder(sql: Sql, orderId: string): Promise<CollectionKey | null> {
  const row = await sql
    .selectFrom('collections')
    .select(['borrower_id', 'collection_id', 'loan_id', 'mandate_id'])
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return row ?? null
}

/** The captured debits of payments whose money is not reversed yet, over all borrowers. */
export const selectReturnable = (sql: Sql, paymentIds: readonly string[]) =>
  sql
    .selectFrom('collections')
    .select(['borrower_id', 'collection_id', 'provider_payment_id'])
    .$narrowType<{ provider_payment_id: string }>()
    .where('provider_payment_id', 'in', paymentIds)
    .where('status', '=', 'captured')
    .where('reason', 'is distinct from', returnedReason)

/** Finds the debits of a due date, without outcome yet, of loans whose mandate is active. */
export async function findDebitsDueOn(sql: Sql, dueOn: CollectionRow['due_on'], borrowerIds: readonly string[]): Promise<DebitDueOn[]> {
  if (borrowerIds.length === 0) return []
  return sql
    .selectFrom('collections')
    .innerJoin('mandates', (join) =>
      join.onRef('mandates.borrower_id', '=', 'collections.borrower_id').onRef('mandates.mandate_id', '=', 'collections.mandate_id'),
    )
    .select(['collections.loan_id', 'collections.status', 'attempt', 'due_on', 'debit_on', 'parts', 'method', 'max_amount_paise'])
    .where('collections.borrower_id', 'in', [...borrowerIds])
    .where('due_on', '=', dueOn)
    .where('collections.status', 'in', openCollectionStatuses)
    .where('mandates.status', '=', 'active')
    .execute()
}

export type DebitDueOn = Pick<CollectionRow, 'loan_id' | 'status' | 'attempt' | 'due_on' | 'debit_on' | 'parts'> &
  Pick<MandateRow, 'method' | 'max_amount_paise'>

export type CollectionChange = Partial<
  Pick<
    CollectionRow,
    | 'status'
    | 'reason'
    | 'failure_class'
    | 'amount_paise'
    | 'debit_on'
    | 'present_at'
    | 'orders'
    | 'order_id'
    | 'announced_at'
    | 'delivered_at'
    | 'presented_at'
    | 'value_date'
    | 'expected_by'
    | 'provider_payment_id'
    | 'outcome_on'
    | 'ended_at'
    | 'next_check_at'
    | 'checks'
  >
> & { parts?: string }

/** Changes a collection. The caller holds the loan's row lock. */
export async function changeCollection(sql: Sql, { borrower_id, collection_id }: CollectionName, change: CollectionChange): Promise<void> {
  await sql
    .updateTable('collections')
    .set(change)
    .where('borrower_id', '=', borrower_id)
    .where('collection_id', '=', collection_id)
    .execute()
}

/**
 * Collections whose next check is due, the oldest first. One that is over has none, even if a check
 * that began before wrote the time of another.
 */
export const selectDueCollections = (sql: Sql, now: Date, limit: number) =>
  sql
    .selectFrom('collections')
    .select(['borrower_id', 'collection_id', 'loan_id', 'mandate_id'])
    .where('next_check_at', '<=', now)
    .where('status', 'in', [...openCollectionStatuses, 'failed'])
    .orderBy('next_check_at')
    .limit(limit)
