import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { lockLoan, type LoanRow } from '../loans/loan-store.ts'
import { addMissingReceipts, listUnreceiptedLoans, readReceiptNumber } from './receipt-store.ts'

/**
 * `KST-24-004173-R21` is the loan's 21st receipt. Unique, because loan account numbers are unique.
 *
 * @param sequence is empty for the beginning of all receipt numbers of the loan.
 */
export const formatReceiptNumber = (lan: string, sequence: bigint | ''): string => `${lan}-R${sequence}`

/**
 * Issues the receipt of a payment in the transaction that posts it. The caller holds the loan's row
 * lock, so no number is skipped.
 *
 * @returns the receipt number; the existing one if the receipt was issued before.
 */
export async function issueReceipt(sql: Sql, loan: LoanRow, transactionId: string, issuedAt: Date): Promise<string> {
  const issued = (await issueReceipts(sql, loan, issuedAt)).find((receipt) => receipt.transaction_id === transactionId)
  return issued?.receipt_number ?? readReceiptNumber(sql, loan, transactionId)
}

/**
 * Issues receipts for payments without one. A process of an older release without receipts can post
 * such payments during a roll-out.
 *
 * @returns the number of receipts issued.
 */
export async function issueMissingReceipts({ database, clock }: Pick<MoneyContext, 'database' | 'clock'>): Promise<number> {
  let issued = 0
  for (const { borrower_id: borrowerId, loan_id: loanId } of await database.asSnapshot(listUnreceiptedLoans))
    issued += await database.asBorrower(
      borrowerId,
      async (sql) => (await issueReceipts(sql, await lockLoan(sql, borrowerId, loanId), clock.now())).length,
    )
  return issued
}

/** Issues receipts for the loan's payments without one, in the order of their posting. */
const issueReceipts = (sql: Sql, loan: LoanRow, issuedAt: Date) =>
  addMissingReceipts(sql, loan, formatReceiptNumber(loan.lan, ''), issuedAt)
