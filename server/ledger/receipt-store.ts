import type { Insertable, Selectable } from 'kysely'
import type { Sql } from '../database/connect.ts'
import type { Receipts } from '../database/schema.generated.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { refundedAmounts } from '../loans/refund-facts-store.ts'

export type ReceiptRow = Selectable<Receipts>
type LoanKey = Pick<LoanRow, 'borrower_id' | 'loan_id'>

export async function insertReceipts(sql: Sql, receipts: readonly Insertable<Receipts>[]): Promise<void> {
  if (receipts.length > 0) await sql.insertInto('receipts').values(receipts).execute()
}

/**
 * A payment without a receipt. `bank_reference` is the number that the payer's bank gave the
 * payment, null if unknown. `last_sequence` is the sequence of the loan's last receipt, null
 * without one.
 */
type UnreceiptedPayment = Pick<ReceiptRow, 'transaction_id' | 'amount_paise' | 'bank_reference'> & { last_sequence: bigint | null }

/** The loan's payments without a receipt, in the order of their posting. */
export function listUnreceiptedPayments(sql: Sql, loan: LoanKey): Promise<UnreceiptedPayment[]> {
  return unreceipted(sql)
    .leftJoin('provider_payments', (join) =>
      join
        .onRef('provider_payments.borrower_id', '=', 'payment.borrower_id')
        .onRef('provider_payments.provider', '=', 'payment.source')
        .onRef('provider_payments.provider_payment_id', '=', 'payment.source_id'),
    )
    .select(({ eb }) => [
      'payment.transaction_id',
      'payment.amount_paise',
      // A payment outside the provider has the reference that it was recorded with.
      eb
        .case()
        .when('provider_payments.provider_payment_id', 'is', null)
        .then(eb.ref('payment.source_id'))
        .else(eb.ref('provider_payments.bank_reference'))
        .end()
        .as('bank_reference'),
      eb
        .selectFrom('receipts as issued')
        .select(({ fn }) => fn.max('issued.sequence').as('sequence'))
        .where('issued.borrower_id', '=', loan.borrower_id)
        .where('issued.loan_id', '=', loan.loan_id)
        .as('last_sequence'),
    ])
    .where('payment.borrower_id', '=', loan.borrower_id)
    .where('payment.loan_id', '=', loan.loan_id)
    .orderBy('payment.sequence')
    .execute()
}

/** All loans that have a payment without a receipt. */
export function listUnreceiptedLoans(sql: Sql): Promise<LoanKey[]> {
  return unreceipted(sql).select(['payment.borrower_id', 'payment.loan_id']).distinct().execute()
}

const unreceipted = (sql: Sql) =>
  sql
    .selectFrom('ledger_transactions as payment')
    .leftJoin('receipts', (join) =>
      join
        .onRef('receipts.borrower_id', '=', 'payment.borrower_id')
        .onRef('receipts.loan_id', '=', 'payment.loan_id')
        .onRef('receipts.transaction_id', '=', 'payment.transaction_id'),
    )
    .where('payment.kind', '=', 'repayment')
    .where('receipts.transaction_id', 'is', null)

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

export function findReceipt(sql: Sql, loan: LoanKey, receiptNumber: string): Promise<ReceiptRow | undefined> {
  return sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', loan.borrower_id)
    .where('loan_id', '=', loan.loan_id)
    .where('receipt_number', '=', receiptNumber)
    .executeTakeFirst()
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

/** Finds a receipt without its loan, for the verification of a document. */
export async function findReceiptByNumber(sql: Sql, borrowerId: string, receiptNumber: string): Promise<ReceiptRow | undefined> {
  return sql
    .selectFrom('receipts')
    .selectAll()
    .where('borrower_id', '=', borrowerId)
    .where('receipt_number', '=', receiptNumber)
    .executeTakeFirst()
}
