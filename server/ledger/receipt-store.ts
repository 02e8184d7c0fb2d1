import { sql as raw, type Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { Receipts } from '../database/schema.generated.ts'
import { executeDeferred } from '../database/statement.ts'
import type { LoanKey, LoanRow } from '../loans/loan-store.ts'
import { refundedAmounts } from '../loans/refund-facts-store.ts'

export type ReceiptRow = Selectable<Receipts>

/**
 * Begins the receipt numbers of a loan: `KST-24-004173-R21` is its 21st receipt. They are unique,
 * because loan account numbers are unique.
 */
export const receiptPrefix = (lan: string): string => `${lan}-R`

/**
 * Issues the receipt of a payment in the transaction that posts it: one for each of the loan's
 * payments without one, numbered in the order of their posting. The caller holds the loan's row
 * lock, so no number is skipped. A function of the database takes one round trip, and Citus has no
 * INSERT … SELECT for this login (0050_distributable.sql).
 */
export const issueReceipt = (sql: Sql, { borrower_id, loan_id, lan }: LoanRow, issuedAt: Date): Promise<void> =>
  executeDeferred(
    sql,
    raw`select receipt_number from issue_receipts(${borrower_id}, ${loan_id}, ${receiptPrefix(lan)}, ${issuedAt}) as receipt_number`.compile(
      sql,
    ),
  )

/** The receipt number of a posted payment. */
export async function readReceiptNumber(sql: Sql, loan: LoanKey, transactionId: string): Promise<string> {
  const { receipt_number } = await sql
    .selectFrom('receipts')
    .select('receipt_number')
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('transaction_id', '=', transactionId)
    .executeTakeFirstOrThrow()
  return receipt_number
}

/** The receipts of a borrower's transactions, by transaction id. */
export async function findReceipts(sql: Sql, borrowerId: string, transactionIds: readonly string[]): Promise<Map<string, ReceiptRow>> {
  if (transactionIds.length === 0) return new Map()
  const rows = await sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('transaction_id', 'in', [...transactionIds])
    .execute()
  return new Map(rows.map((row) => [row.transaction_id, row]))
}

/**
 * The time at which a receipt became invalid by a reversal or a full refund; null while it is
 * valid.
 */
export async function findReceiptCancellationTime(sql: Sql, receipt: ReceiptRow): Promise<Date | null> {
  const { borrower_id, loan_id, transaction_id, amount_paise } = receipt
  const reversal = await sql
    .selectFrom('ledger_transactions')
    .select('posted_at')
    .where('borrower_id', '=', borrower_id)
    .where('loan_id', '=', loan_id)
    .where('reverses_transaction_id', '=', transaction_id)
    .executeTakeFirst()
  if (reversal) return reversal.posted_at
  const returned = await refundedAmounts(sql)
    .where('refunds.borrower_id', '=', borrower_id)
    .where('payment.transaction_id', '=', transaction_id)
    .where('refunds.reason', '<>', 'excess')
    .execute()
  const sum = returned.reduce((total, refund) => total + refund.amount_paise, 0n)
  return sum >= amount_paise ? (returned.at(-1)?.asked_at ?? null) : null
}

/** Finds a borrower's receipt, of any loan. */
export async function findReceiptByNumber(sql: Sql, borrowerId: string, receiptNumber: string): Promise<ReceiptRow | undefined> {
  return sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('receipt_number', '=', receiptNumber)
    .executeTakeFirst()
}
