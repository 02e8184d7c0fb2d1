import { hash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { byDate, type Day } from '#domain/calendar.ts'
import type { LateChargeHold, LoanFacts, ReceivedPayment } from '#domain/loans.ts'
import type { Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { Sql } from '../database/connect.ts'
import { findBySourceAndReadLedger } from './ledger-store.ts'
import { toPurpose } from '../loans/loan-store.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import type { ReceivingAccount } from './accounts.ts'
import { reconcileLedgerToFacts } from './reconcile-ledger.ts'
import { normalizeBankReference, claimBankReference } from './bank-reference-store.ts'
import { issueReceipt } from './receipt-store.ts'
import { LedgerRefusal } from './ledger-refusal.ts'
import { toPlainReference } from './repeated-payments.ts'

/**
 * A payment to post. `source` and `sourceId` identify it: `razorpay` and `pay_…`, `neft` and the
 * UTR; with a number if it was reversed before (repeated-payments.ts).
 */
export type NewRepayment = {
  source: string
  sourceId: string
  account: ReceivingAccount
  amountPaise: Paise
  /** The value date. */
  date: Day
  purpose: PaymentPurpose | null
  /** The day of its evening quote (decision 55). */
  quotedAheadFor?: Day
  /** True if the whole payment will be refunded and so does not count for the loan. */
  isHeld?: boolean
}

export type PostedRepayment = ReceivedPayment & { isNew: boolean }

/**
 * Posts a payment with its receipt, allocated by the domain. A back-dated payment reallocates later
 * ones. Posting the same payment again returns the first posting. The caller holds the loan's row
 * lock.
 *
 * @throws LedgerRefusal if the source and id belong to a different payment, or the bank reference
 * is used by another payment.
 */
export async function receiveMoney(sql: Sql, own: OwnLoan, money: NewRepayment, now: Date, actorId: string): Promise<PostedRepayment> {
  const requestHash = hashRepayment(own.loan.loan_id, money)
  const { posted, ledger } = await findBySourceAndReadLedger(sql, own.loan, money.source, money.sourceId)
  if (posted) {
    if (!posted.request_hash.equals(requestHash))
      throw new LedgerRefusal(
        `${money.source} ${toPlainReference(money.sourceId)} was recorded before with another loan, amount, date or purpose`,
        'reference_taken',
      )
    return {
      isNew: false,
      paymentId: posted.transaction_id,
      date: posted.value_date,
      amountPaise: posted.amount_paise,
      purpose: toPurpose(posted.purpose),
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
  const reference = toPlainReference(sourceId)
  const bankReference = normalizeBankReference(source, reference)
  if (bankReference !== null && !(await claimBankReference(sql, own.loan, bankReference, received.paymentId)))
    throw new LedgerRefusal(
      `The bank reference ${reference} is the reference of another payment already: look for it on other loans, and reverse it there if it was recorded wrongly`,
      'reference_taken',
    )
  await reconcileLedgerToFacts(sql, { ...own, facts: withPayment(own.facts, received) }, now, actorId, {
    payment: received,
    account,
    source,
    sourceId,
    requestHash,
    ledger,
  })
  await issueReceipt(sql, own.loan, now)
  return { ...received, isNew: true }
}

/**
 * Adds a payment to the facts, after the payments of the same day. What was reversed before and is
 * posted again now holds no late charges.
 */
export function withPayment(facts: LoanFacts, received: ReceivedPayment): LoanFacts {
  const isAgain = (hold: LateChargeHold) =>
    'takenBack' in hold && hold.isReversed && hold.takenBack.date === received.date && hold.takenBack.amountPaise === received.amountPaise
  return {
    ...facts,
    payments: [...facts.payments, received].toSorted(byDate),
    ...(facts.lateChargeHolds && { lateChargeHolds: facts.lateChargeHolds.filter((hold) => !isAgain(hold)) }),
  }
}

export const hashRepayment = (loanId: string, { source, sourceId, account, amountPaise, date, purpose }: NewRepayment): Buffer =>
  hash('sha256', [loanId, source, sourceId, account, amountPaise, date, purpose ?? ''].join('\n'), 'buffer')
