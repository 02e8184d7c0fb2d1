import type { MoneyContext } from '../context.ts'
import type { Sql } from '../database/connect.ts'
import { lockLoan, type LoanRow } from '../loans/loan-store.ts'
import { insertReceipts, lastReceiptOf, receiptNumberOf, unreceiptedLoans, unreceiptedPayments } from './receipt-store.ts'

/** `KST-24-004173-R21`: the loan's twenty-first receipt. Unique, because loan account numbers are; no two loans ever count together. */
export const receiptNumber = (lan: string, sequence: bigint): string => `${lan}-R${sequence}`

/**
 * Gives the receipt of a payment, in the transaction that posts it. The caller holds the loan's row lock, so that no number is missing.
 *
 * @returns its number; the one it has where it was given before.
 */
export async function issueReceipt(sql: Sql, loan: LoanRow, transactionId: string, issuedAt: Date): Promise<string> {
  await issueReceipts(sql, loan, issuedAt)
  return receiptNumberOf(sql, loan, transactionId)
}

/**
 * Gives their receipts to payments that have none: a process of a release before receipts posted them while this release took its place.
 *
 * @returns how many were given.
 */
export async function issueMissingReceipts({ database, clock }: Pick<MoneyContext, 'database' | 'clock'>): Promise<number> {
  let issued = 0
  for (const { borrower_id: borrowerId, loan_id: loanId } of await database.asSnapshot(unreceiptedLoans))
    issued += await database.asBorrower(borrowerId, async (sql) => issueReceipts(sql, await lockLoan(sql, borrowerId, loanId), clock.now()))
  return issued
}

/** Numbers the loan's payments that have no receipt, as they were posted. @returns how many those were. */
async function issueReceipts(sql: Sql, { borrower_id, loan_id, lan }: LoanRow, issuedAt: Date): Promise<number> {
  const loan = { borrower_id, loan_id }
  const payments = await unreceiptedPayments(sql, loan)
  const last = await lastReceiptOf(sql, loan)
  const receipts = payments.map((payment, index) => {
    const sequence = last + 1n + BigInt(index)
    return { ...loan, ...payment, sequence, receipt_number: receiptNumber(lan, sequence), issued_at: issuedAt }
  })
  await insertReceipts(sql, receipts)
  return receipts.length
}
