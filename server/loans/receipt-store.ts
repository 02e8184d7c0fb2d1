import type { Insertable, Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { Receipts } from '../database/schema.generated.ts'
import type { LoanRow } from './loan-store.ts'
import { refundedAmounts } from './refund-facts-store.ts'

export type ReceiptRow = Selectable<Receipts>
type LoanKey = Pick<LoanRow, 'borrower_id' | 'loan_id'>

/** The number of the loan's last receipt; 0 when it has none. */
export async function lastReceiptOf(sql: Sql, loan: LoanKey): Promise<bigint> {
  const row = await sql
    .selectFrom('receipts')
    .select('sequence')
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.sequence ?? 0n
}

export async function insertReceipt(sql: Sql, receipt: Insertable<Receipts>): Promise<void> {
  await sql.insertInto('receipts').values(receipt).execute()
}

/** The number of a posting's receipt, which every payment has. */
export async function receiptNumberOf(sql: Sql, loan: LoanKey, transactionId: string): Promise<string> {
  const { receipt_number } = await sql
    .selectFrom('receipts')
    .select('receipt_number')
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('transaction_id', '=', transactionId)
    .executeTakeFirstOrThrow()
  return receipt_number
}

/** A loan's receipt by its number. */
export function findReceipt(sql: Sql, loan: LoanKey, receiptNumber: string): Promise<ReceiptRow | undefined> {
  return sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('receipt_number', '=', receiptNumber)
    .executeTakeFirst()
}

/** The receipts of some postings of a borrower, by the posting's id. */
export async function receiptsOf(sql: Sql, borrowerId: string, transactionIds: readonly string[]): Promise<Map<string, ReceiptRow>> {
  if (transactionIds.length === 0) return new Map()
  const rows = await sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('transaction_id', 'in', [...transactionIds])
    .execute()
  return new Map(rows.map((row) => [row.transaction_id, row]))
}

/** Since when a receipt is worth nothing: its payment was taken back, or all of it goes back to who paid it. Null while it stands. */
export async function receiptCancelledAt(sql: Sql, receipt: ReceiptRow): Promise<Date | null> {
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

/** A receipt by its number alone, for whoever checks a document. */
export async function findReceiptByNumber(sql: Sql, borrowerId: string, receiptNumber: string): Promise<ReceiptRow | undefined> {
  return sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('receipt_number', '=', receiptNumber)
    .executeTakeFirst()
}
