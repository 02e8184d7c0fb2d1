import { isUuid } from '#contract/uuid.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { requireBorrower } from '../loans/own-loan.ts'
import { findCollection } from './collection-store.ts'
import { withCollection, withMandate, type CollectionTransaction, type MandateTransaction } from './collection-transaction.ts'
import { findMandate, type MandateRow } from './mandate-store.ts'

/** @throws Failure NotFound for another person's mandate, and for none. */
export async function findOwnMandate(sql: Sql, borrowerId: string, mandateId: string): Promise<MandateRow> {
  const mandate = isUuid(mandateId) ? await findMandate(sql, { borrower_id: borrowerId, mandate_id: mandateId }) : undefined
  if (!mandate) throw notFound()
  return mandate
}

/**
 * Runs a change of the caller's mandate under the row lock of its loan.
 *
 * @throws Failure NotFound for another person's mandate, and for none.
 */
export async function withOwnMandate<T>(
  context: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  mandateId: string,
  work: (transaction: MandateTransaction) => Promise<T>,
): Promise<T> {
  const borrowerId = requireBorrower(caller)
  const known = await context.database.asBorrower(borrowerId, (sql) => findOwnMandate(sql, borrowerId, mandateId))
  return withMandate(context, known, work)
}

/** The same for one of the caller's collections. */
export async function withOwnCollection<T>(
  context: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  collectionId: string,
  work: (step: CollectionTransaction) => Promise<T>,
): Promise<T> {
  const borrowerId = requireBorrower(caller)
  if (!isUuid(collectionId)) throw notFound()
  const name = { borrower_id: borrowerId, collection_id: collectionId }
  const known = await context.database.asBorrower(borrowerId, (sql) => findCollection(sql, name))
  if (!known) throw notFound()
  return withCollection(context, known, work)
}
