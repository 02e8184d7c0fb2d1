import type { Paise } from '#domain/money.ts'
import { paise, sumPaise } from '#domain/money.ts'
import type { Sql } from '../database/connect.ts'
import { notFound } from '../http/failure.ts'
import type { Line } from '../ledger/lines.ts'
import { netAllocatedLines } from '../ledger/plan.ts'
import type { LoanRow } from '../loans/loan-store.ts'
import { findReceiptByNumber, findReceiptCancellationTime, type ReceiptRow } from '../ledger/receipt-store.ts'
import { readCapture, readReceiptRefunds, type Capture, type ReceiptRefund } from './receipt-store.ts'
import type { StatementTransaction } from './statement-store.ts'

/** A payment with all data of its receipt. */
export type ReceiptFacts = {
  receipt: ReceiptRow
  payment: StatementTransaction
  /** Null unless the money came through the provider. */
  capture: Capture | null
  /** The original allocation, without the line of the money account. */
  lines: readonly Line[]
  /** The current allocation and its date, if an earlier fact that became known later changed it. */
  reallocated: { at: Date; lines: readonly Line[] } | null
  /** The refunds of the payment. */
  returned: readonly ReceiptRefund[]
  /** Set if the receipt is no longer valid: the whole payment was reversed or refunded. */
  cancelledAt: Date | null
  principalAfter: Paise
}

/** @throws Failure NotFound if no receipt of the loan has this number. */
export async function readReceipt(
  sql: Sql,
  loan: LoanRow,
  ledger: readonly StatementTransaction[],
  receiptNumber: string,
): Promise<ReceiptFacts> {
  const receipt = await findReceiptByNumber(sql, loan.borrower_id, receiptNumber)
  // The transactions of this loan: a receipt of another one is not found.
  const payment = ledger.find(({ transactionId }) => transactionId === receipt?.transaction_id)
  if (!receipt || !payment) throw notFound()
  const followUps = ledger.filter(({ rootId }) => rootId === payment.transactionId).toSorted(bySequence)
  const reallocation = followUps.findLast(({ kind }) => kind === 'reallocation')
  return {
    receipt,
    payment,
    capture: await readCapture(sql, loan.borrower_id, payment.transactionId),
    lines: netAllocatedLines([payment]),
    reallocated:
      reallocation === undefined
        ? null
        : { at: reallocation.postedAt, lines: netAllocatedLines([payment, ...followUps.filter(({ kind }) => kind === 'reallocation')]) },
    returned: await readReceiptRefunds(sql, loan.borrower_id, payment.transactionId),
    cancelledAt: await findReceiptCancellationTime(sql, receipt),
    principalAfter: principalAfter(ledger, payment),
  }
}

const bySequence = (left: StatementTransaction, right: StatementTransaction): number => (left.sequence < right.sequence ? -1 : 1)

/**
 * The principal after a payment and the bookings that it caused: used credit, returned interest,
 * reallocated payments. Bookings of the same moment for other reasons, as in an import, are
 * excluded. An import reallocates nothing: beside a reallocation all are caused by the payment.
 */
export function principalAfter(ledger: readonly StatementTransaction[], payment: StatementTransaction): Paise {
  const following = ledger.filter(({ sequence }) => sequence > payment.sequence).toSorted(bySequence)
  const bookedWith = takeWhile(following, ({ kind, postedAt }) => postedAt.getTime() === payment.postedAt.getTime() && kind !== 'repayment')
  const isReallocating = bookedWith.some(({ kind }) => kind === 'reallocation')
  const caused = isReallocating ? bookedWith : takeWhile(bookedWith, (booking) => isCausedBy(payment, booking))
  const counted = [...ledger.filter(({ sequence }) => sequence <= payment.sequence), ...caused]
  return paise(-sumPaise(counted.flatMap(({ lines }) => lines.filter(isPrincipal).map(({ amountPaise }) => amountPaise))))
}

const isPrincipal = ({ account }: Line): boolean => account === 'principal'

const isCausedBy = (payment: StatementTransaction, { kind, valueDate }: StatementTransaction): boolean =>
  kind === 'waiver' || (kind === 'adjustment' && valueDate <= payment.valueDate)

function takeWhile<T>(all: readonly T[], isTaken: (each: T) => boolean): readonly T[] {
  const end = all.findIndex((each) => !isTaken(each))
  return end === -1 ? all : all.slice(0, end)
}
