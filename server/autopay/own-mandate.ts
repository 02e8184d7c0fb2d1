import { isUuid } from '#contract/uuid.ts'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { lockOwnLoan, requireBorrower, type OwnLoan } from '../loans/own-loan.ts'
import { findCollection, type CollectionRow } from './collection-store.ts'
import type { MandateTransaction } from './collection-transaction.ts'
import { findMandate, type MandateRow } from './mandate-store.ts'

/** @throws Failure NotFound for another person's mandate, and for none. */
export async function findOwnMandate(sql: Sql, borrowerId: string, mandateId: string): Promise<MandateRow> {
  const mandate = isUuid(mandateId) ? await findMandate(sql, { borrowerId, mandateId }) : undefined
  if (!mandate) throw notFound()
  return mandate
}

/**
 * Runs a change of the caller's mandate under the row lock of its loan.
 *
 * @throws Failure NotFound for another person's mandate, and for none.
 */
export function withOwnMandate<T>(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  mandateId: string,
  work: (transaction: MandateTransaction) => Promise<T>,
): Promise<T> {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const { loan_id } = await findOwnMandate(sql, borrowerId, mandateId)
    const own = await lockOwnLoan(sql, borrowerId, loan_id)
    return work({ sql, own, mandate: await findOwnMandate(sql, borrowerId, mandateId), now: clock.now() })
  })
}

/** The same for one of the caller's collections. */
export function withOwnCollection<T>(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  collectionId: string,
  work: (transaction: { sql: Sql; own: OwnLoan; row: CollectionRow; now: Date; borrowerId: string }) => Promise<T>,
): Promise<T> {
  const borrowerId = requireBorrower(caller)
  return database.asBorrower(borrowerId, async (sql) => {
    const find = async () => (isUuid(collectionId) ? findCollection(sql, { borrowerId, collectionId }) : undefined)
    const known = await find()
    if (!known) throw notFound()
    const own = await lockOwnLoan(sql, borrowerId, known.loan_id)
    return work({ sql, own, row: (await find()) ?? known, now: clock.now(), borrowerId })
  })
}
