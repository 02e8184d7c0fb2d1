import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Day } from '#domain/calendar.ts'
import type { LoanFacts, ReceivedPayment } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import { findBySource } from './ledger-store.ts'
import { purposeOf } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import type { MoneyAccount } from './accounts.ts'
import { reconcileLedgerToFacts } from './reconcile-ledger.ts'
import { bankReferenceOf, claimBankReference } from './bank-reference-store.ts'
import { issueReceipt } from './issue-receipt.ts'
import { LedgerConflict } from './ledger-refusal.ts'

/** Money that reached a loan. `source` and `sourceId` name it for good: `razorpay` `pay_…`, `neft` and its UTR. */
export type Money = {
  source: string
  sourceId: string
  account: MoneyAccount
  amountPaise: Paise
  /** Its value date. */
  date: Day
  purpose: PaymentPurpose | null
  /** The day its quote was for, where the quote was made on the evening before (decision 55). */
  quotedAheadFor?: Day
  /** Whether all of it goes back to who paid it, and so counts for nothing. */
  isHeld?: boolean
}

export type PostedMoney = ReceivedPayment & { isNew: boolean; receiptNumber: string }

/**
 * Puts money into the loan's ledger with its receipt, allocated by the domain; earlier postings that it changes, because it is back-dated, are
 * reallocated. Once: the same money again answers what was posted at first. The caller holds the loan's row lock.
 *
 * @throws LedgerConflict when its source and id stand for other money.
 */
export async function receiveMoney(sql: Sql, own: OwnLoan, money: Money, now: Date, actorId: string): Promise<PostedMoney> {
  const requestHash = hashOfMoney(own.loan.loan_id, money)
  const posted = await findBySource(sql, own.loan.borrower_id, money.source, money.sourceId)
  if (posted) {
    if (!posted.request_hash.equals(requestHash))
      throw new LedgerConflict(`${money.source} ${money.sourceId} was recorded before with another loan, amount, date or purpose`)
    return {
      isNew: false,
      receiptNumber: await issueReceipt(sql, own.loan, posted.transaction_id, now),
      paymentId: posted.transaction_id,
      date: posted.value_date,
      amountPaise: posted.amount_paise,
      purpose: purposeOf(posted.purpose),
    }
  }
  const { date, amountPaise, purpose } = money
  const received: ReceivedPayment = {
    paymentId: uuidv7(),
    date,
    amountPaise,
    purpose,
    ...(money.isHeld && { heldPaise: amountPaise }),
    ...(money.quotedAheadFor !== undefined && { quotedAheadFor: money.quotedAheadFor }),
  }
  const { account, source, sourceId } = money
  const bankReference = bankReferenceOf(source, sourceId)
  if (bankReference !== null && !(await claimBankReference(sql, own.loan, bankReference, received.paymentId)))
    throw new LedgerConflict(
      `The bank reference ${sourceId} is the reference of another payment already: look for it on other loans, and reverse it there if it was recorded wrongly`,
    )
  await reconcileLedgerToFacts(sql, { ...own, facts: withPayment(own.facts, received) }, now, actorId, {
    payment: received,
    account,
    source,
    sourceId,
    requestHash,
  })
  const receiptNumber = await issueReceipt(sql, own.loan, received.paymentId, now)
  return { ...received, isNew: true, receiptNumber }
}

/** The facts with one more payment, in its place: after those of the same day. */
export function withPayment(facts: LoanFacts, received: ReceivedPayment): LoanFacts {
  const later = facts.payments.findIndex((payment) => payment.date > received.date)
  const place = later === -1 ? facts.payments.length : later
  return { ...facts, payments: facts.payments.toSpliced(place, 0, received) }
}

export const hashOfMoney = (loanId: string, { source, sourceId, account, amountPaise, date, purpose }: Money): Buffer =>
  hash('sha256', [loanId, source, sourceId, account, amountPaise, date, purpose ?? ''].join('\n'), 'buffer')
