import type { Paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { insertReceipt, lastReceiptOf } from '../loans/receipt-store.ts'
import type { LoanRow } from '../loans/loan-store.ts'

/** What a receipt says for good; the rest is read from the posting it stands for. */
export type ReceiptFor = { transactionId: string; amountPaise: Paise; bankReference: string | null }

/** `KST-24-004173-R21`: the loan's twenty-first receipt. Unique, because loan account numbers are; no two loans ever count together. */
export const receiptNumber = (lan: string, sequence: bigint): string => `${lan}-R${sequence}`

/** Gives the receipt of a payment, in the transaction that posts it. The caller holds the loan's row lock, so that no number is missing. @returns its number. */
export async function issueReceipt(sql: Sql, loan: LoanRow, of: ReceiptFor, issuedAt: Date): Promise<string> {
  const sequence = (await lastReceiptOf(sql, loan)) + 1n
  const number = receiptNumber(loan.lan, sequence)
  await insertReceipt(sql, {
    borrower_id: loan.borrower_id,
    loan_id: loan.loan_id,
    sequence,
    receipt_number: number,
    transaction_id: of.transactionId,
    amount_paise: of.amountPaise,
    bank_reference: of.bankReference,
    issued_at: issuedAt,
  })
  return number
}
