import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { executeDeferred } from '../database/statement.ts'
import { lockLoan, type LoanRow } from '../loans/loan-store.ts'
import { insertMissingReceipts, listUnreceiptedLoans } from './receipt-store.ts'

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

/**
 * Issues receipts for payments without one. A process of an older release without receipts can post
 * such payments during a roll-out.
 *
 * @returns the number of receipts issued.
 */
export async function issueMissingReceipts({ database, clock }: Pick<MoneyContext, 'database' | 'clock'>): Promise<number> {
  let issued = 0
  for (const { borrower_id: borrowerId, loan_id: loanId } of await database.asSnapshot(listUnreceiptedLoans))
    issued += await database.asBorrower(borrowerId, async (sql) => {
      const loan = await lockLoan(sql, borrowerId, loanId)
      return (await sql.executeQuery(insertMissingReceipts(sql, loan, formatReceiptNumber(loan.lan, ''), clock.now()))).rows.length
    })
  return issued
}
