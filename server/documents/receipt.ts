import type { Paise } from '#domain/money.ts'
import { paise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import { isMoneyAccount } from '../ledger/accounts.ts'
import { netOf, type Line } from '../ledger/lines.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { findReceipt, receiptCancelledAt, type ReceiptRow } from '../ledger/receipt-store.ts'
import { readCapture, readReturned, type Capture, type Returned } from './receipt-store.ts'
import type { StatementTransaction } from './statement-store.ts'

/** A payment with everything its receipt tells. */
export type ReceiptFacts = {
  receipt: ReceiptRow
  payment: StatementTransaction
  /** Of money that came through the provider. */
  capture: Capture | null
  /** As it was posted, the money's own line aside. */
  lines: readonly Line[]
  /** Where it goes now and since when, if an earlier fact that became known later changed that. */
  reallocated: { at: Date; lines: readonly Line[] } | null
  /** What goes back of it, or went back. */
  returned: readonly Returned[]
  /** Since when the receipt is worth nothing: all of the payment was taken back, or goes back to who paid it. */
  cancelledAt: Date | null
  principalAfter: Paise
}

/** @throws Failure NotFound for a number that none of the loan's receipts has. */
export async function readReceipt(
  sql: Sql,
  loan: LoanRow,
  ledger: readonly StatementTransaction[],
  receiptNumber: string,
): Promise<ReceiptFacts> {
  const receipt = await findReceipt(sql, loan, receiptNumber)
  const payment = ledger.find(({ transactionId }) => transactionId === receipt?.transaction_id)
  if (!receipt || !payment) throw notFound()
  const follow = ledger.filter(({ rootId }) => rootId === payment.transactionId).toSorted(bySequence)
  const reallocation = follow.findLast(({ kind }) => kind === 'reallocation')
  const allocated = (transactions: readonly StatementTransaction[]): Line[] =>
    netOf(transactions.flatMap(({ lines }) => lines)).filter(({ account }) => !isMoneyAccount(account))
  return {
    receipt,
    payment,
    capture: await readCapture(sql, loan.borrower_id, payment.transactionId),
    lines: allocated([payment]),
    reallocated:
      reallocation === undefined
        ? null
        : { at: reallocation.postedAt, lines: allocated([payment, ...follow.filter(({ kind }) => kind === 'reallocation')]) },
    returned: await readReturned(sql, loan.borrower_id, payment.transactionId),
    cancelledAt: await receiptCancelledAt(sql, receipt),
    principalAfter: principalAfter(ledger, payment),
  }
}

const bySequence = (left: StatementTransaction, right: StatementTransaction): number => (left.sequence < right.sequence ? -1 : 1)

/**
 * The principal left when a payment was in the ledger, with what was booked because of it: credit that it made useful, interest given
 * back, payments that it moved on. What was booked at the same moment for another reason, as in the import of a book, comes after.
 */
export function principalAfter(ledger: readonly StatementTransaction[], payment: StatementTransaction): Paise {
  let left = 0n
  for (const transaction of ledger.toSorted(bySequence)) {
    if (transaction.sequence > payment.sequence && !isDueTo(payment, transaction)) break
    for (const { account, amountPaise } of transaction.lines) if (account === 'principal') left -= amountPaise
  }
  return paise(left)
}

function isDueTo(payment: StatementTransaction, { kind, postedAt, valueDate }: StatementTransaction): boolean {
  if (postedAt.getTime() !== payment.postedAt.getTime()) return false
  return kind === 'reallocation' || kind === 'waiver' || (kind === 'adjustment' && valueDate <= payment.valueDate)
}
