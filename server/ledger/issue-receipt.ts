import type { Sql } from '../database/connect.ts'
import { executeDeferred } from '../database/statement.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { insertMissingReceipts } from './receipt-store.ts'

/**
 * `KST-24-004173-R21` is the loan's 21st receipt. Unique, because loan account numbers are unique.
 *
 * @param sequence is empty for the beginning of all receipt numbers of the loan.
 */
export const formatReceiptNumber = (lan: string, sequence: bigint | ''): string => `${lan}-R${sequence}`

/**
 * Issues the receipt of a payment in the transaction that posts it. The caller holds the loan's row
 * lock, so no number is skipped.
 */
export const issueReceipt = (sql: Sql, loan: LoanRow, issuedAt: Date): Promise<void> =>
  executeDeferred(sql, insertMissingReceipts(sql, loan, formatReceiptNumber(loan.lan, ''), issuedAt))
