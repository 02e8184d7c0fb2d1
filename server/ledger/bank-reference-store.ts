import { sql as raw } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { LoanRow } from '../loans/loan-store.ts'

/** The ways of payment whose reference is a bank's own (UTR), which names one transfer over all banks and borrowers. */
const bankModes: ReadonlySet<string> = new Set(['neft', 'rtgs', 'imps', 'upi', 'transfer'])

/**
 * A bank reference as the look-up table has it: capitals, letters and digits only, so that `utr-12 34` and `UTR1234` are one transfer.
 *
 * @param source the way of payment; null is answered for one whose reference is not a bank's, such as a cheque number.
 */
export function bankReferenceOf(source: string, sourceId: string): string | null {
  if (!bankModes.has(source)) return null
  return sourceId.toUpperCase().replaceAll(/[^A-Z0-9]/g, '') || null
}

/**
 * Takes a bank reference for one payment. It stays taken until the payment is reversed.
 *
 * @returns false when another payment has it, of whichever borrower.
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

/** Gives the reference of a reversed payment free: a transfer that was booked to the wrong loan can be recorded on the right one. */
export async function releaseBankReference(sql: Sql, borrowerId: string, transactionId: string): Promise<void> {
  await sql.deleteFrom('bank_references').where('borrower_id', '=', borrowerId).where('transaction_id', '=', transactionId).execute()
}

/** Which of these references are taken, over all borrowers. One array, because there may be many. */
export async function takenBankReferences(sql: Sql, references: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql
    .selectFrom('bank_references')
    .select('reference')
    .where(raw<boolean>`reference = any(${[...references]}::text[])`)
    .execute()
  return new Set(rows.map(({ reference }) => reference))
}
