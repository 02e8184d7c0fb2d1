import { minuteMs } from '#domain/durations.ts'
import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { lockOwnLoanAndRead, type OwnLoan } from '../loans/own-loan.ts'
import { changeCollection, selectCollection, type CollectionKey, type CollectionRow } from './collection-store.ts'
import { selectMandate, type MandateKey, type MandateRow } from './mandate-store.ts'

/** The wait before a delivery is looked at again. */
export const deliveryCheckMs = 10 * minuteMs
/** The wait before a provider that did not answer is asked again. */
export const providerRetryMs = 2 * minuteMs

/** A collection under its loan's row lock. */
export type CollectionTransaction = { sql: Sql; own: OwnLoan; mandate: MandateRow; row: CollectionRow; now: Date }

/** Runs a change of a collection under the row lock of its loan. */
export function withCollection<T>(
  { database, clock }: Pick<MoneyContext, 'database' | 'clock'>,
  key: CollectionKey,
  work: (step: CollectionTransaction) => Promise<T>,
): Promise<T> {
  return database.asBorrower(key.borrower_id, async (sql) => {
    const reads = [selectCollection(sql, key), selectMandate(sql, key)] as const
    const { own, rows } = await lockOwnLoanAndRead(sql, key.borrower_id, key.loan_id, reads)
    const [[row], [mandate]] = rows
    if (!row || !mandate) throw new Error(`There is no collection ${key.collection_id}`)
    return work({ sql, own, mandate, row, now: clock.now() })
  })
}

/** A mandate under its loan's row lock. */
export type MandateTransaction = Omit<CollectionTransaction, 'row'>

/** Runs a change of a mandate under the row lock of its loan. */
export function withMandate<T>(
  { database, clock }: Pick<MoneyContext, 'database' | 'clock'>,
  known: MandateKey & Pick<MandateRow, 'loan_id'>,
  work: (transaction: MandateTransaction) => Promise<T>,
): Promise<T> {
  return database.asBorrower(known.borrower_id, async (sql) => {
    const { own, rows } = await lockOwnLoanAndRead(sql, known.borrower_id, known.loan_id, [selectMandate(sql, known)])
    const [mandate] = rows[0]
    if (!mandate) throw new Error(`There is no mandate ${known.mandate_id}`)
    return work({ sql, own, mandate, now: clock.now() })
  })
}

/** @returns null: nothing is asked of the provider now. */
export async function waitUntil({ sql, row }: CollectionTransaction, at: Date): Promise<null> {
  await changeCollection(sql, row, { next_check_at: at })
  return null
}
