import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { isReversed } from './ledger-store.ts'

/**
 * The payment modes whose reference is a UTR: a bank reference that is unique over all banks and
 * borrowers.
 */
const bankModes: ReadonlySet<string> = new Set(['neft', 'rtgs', 'imps', 'upi', 'transfer'])

/**
 * Normalises a bank reference to capital letters and digits: `utr-12 34` and `UTR1234` are the same
 * transfer.
 *
 * @param source the payment mode.
 * @returns null for a mode whose reference is not a UTR, such as a cheque number.
 */
export function normalizeBankReference(source: string, sourceId: string): string | null {
  if (!bankModes.has(source)) return null
  return sourceId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '') || null
}

/**
 * Claims a bank reference for one payment until the payment is reversed.
 *
 * @returns false if another payment of any borrower has the reference.
 */
export async function claimBankReference(
  sql: Sql,
  { borrower_id, loan_id }: Pick<LoanRow, 'borrower_id' | 'loan_id'>,
  reference: string,
  transactionId: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('bank_references')
    .values({ reference, borrower_id, loan_id, transaction_id: transactionId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Frees the bank reference of a reversed payment, so that a transfer which was booked to the wrong
 * loan can be recorded on the right one.
 */
export async function releaseBankReference(sql: Sql, borrowerId: string, transactionId: string): Promise<void> {
  await sql.deleteFrom('bank_references').where('borrower_id', '=', borrowerId).where('transaction_id', '=', transactionId).execute()
}

/**
 * Whether a payment that the provider reported for this borrower has the bank reference: the RRN of
 * a payment by link, or of a debit. A card's reference is the bank's approval code, which is short.
 * One that was reversed does not count.
 */
export async function isReferenceOfProvider(sql: Sql, borrowerId: string, reference: string): Promise<boolean> {
  const reported = await sql
    .selectFrom('provider_payments')
    .select(['loan_id', 'transaction_id'])
    .where('borrower_id', '=', borrowerId)
    .where('bank_reference', '=', reference)
    .where('method', 'is distinct from', 'card')
    .execute()
  for (const { loan_id, transaction_id } of reported)
    if (transaction_id === null || !(await isReversed(sql, borrowerId, { loan_id, transaction_id }))) return true
  return false
}

/**
 * Finds the references that are already claimed, over all borrowers. One array parameter holds all,
 * because they can exceed the limit of a statement.
 */
export async function findTakenBankReferences(sql: Sql, references: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql
    .selectFrom('bank_references')
    .select('reference')
    .where(raw<boolean>`reference = any(${[...references]}::text[])`)
    .execute()
  return new Set(rows.map(({ reference }) => reference))
}
