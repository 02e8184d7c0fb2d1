import { addDays, dayInIndia, quoteDay, type Day } from '#domain/calendar.ts'
import { factsFault } from '#domain/loan-facts.ts'
import { loanStateQuoted } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import { zeroPaise } from '#domain/money.ts'
import { addNotice } from '../add-notice.ts'
import type { Sql } from '../database/connect.ts'
import type { OwnLoan } from '../loans/own-loan.ts'
import { isReferenceOfProvider, normalizeBankReference } from '../ledger/bank-reference-store.ts'
import { LedgerRefusal } from '../ledger/ledger-refusal.ts'
import { findCountedPayment } from '../ledger/repeated-payments.ts'
import type { LoanTransaction } from './change-loan.ts'
import { refuseShortRefund } from './refuse-short-refund.ts'
import { receiveMoney, withPayment, type NewRepayment, type PostedRepayment } from '../ledger/receive-money.ts'

/** Payment modes outside the provider. */
export const paymentModes = ['neft', 'rtgs', 'imps', 'upi', 'cheque', 'cash', 'mandate', 'transfer'] as const
export type PaymentMode = (typeof paymentModes)[number]

export type ManualPayment = Pick<NewRepayment, 'amountPaise' | 'date' | 'purpose'> & { mode: PaymentMode; reference: string }

/**
 * Records a payment that was made outside the provider. Mode and reference identify it; recording
 * it again changes nothing, unless it was reversed: then it is posted again. The borrower gets a
 * notice. The caller holds the loan's row lock.
 *
 * @throws LedgerRefusal if the loan's facts do not allow the payment, it would use credit that was
 * refunded since its value date, or the reference belongs to a different payment or to one that the
 * provider has reported.
 */
export async function recordPayment({ sql, own, now, actorId }: LoanTransaction, payment: ManualPayment): Promise<PostedRepayment> {
  const { mode, reference, amountPaise, date, purpose } = payment
  if (amountPaise <= zeroPaise) throw new LedgerRefusal('The amount must be more than 0')
  if (date > dayInIndia(now)) throw new LedgerRefusal(`The value date ${date} is in the future`, 'future_date')
  const fault = factsFault(withPayment(own.facts, { paymentId: 'new', amountPaise, date, purpose }), dayInIndia(now))
  if (fault !== null) throw new LedgerRefusal(`Loan ${own.loan.lan} does not allow the payment: ${fault}`, 'facts_do_not_allow')
  await refuseReferenceOfProvider(sql, own, mode, reference)
  const { sourceId } = await findCountedPayment(sql, own.loan.borrower_id, mode, reference)
  const named = { source: mode, sourceId, account: 'collection_bank' } as const
  const quoted = purpose === 'FORECLOSURE' ? findClosingQuote(own.facts, payment, now) : null
  const posted = await receiveMoney(sql, own, { ...named, amountPaise, date, purpose, ...quoted }, now, actorId)
  if (!posted.isNew) return posted
  refuseShortRefund(own.facts, withPayment(own.facts, posted), now)
  const { borrower_id: borrowerId, lan } = own.loan
  await addNotice(sql, { borrowerId, about: `payment:${posted.paymentId}`, kind: 'payment_applied', lan, amountPaise, date }, now)
  return posted
}

/**
 * The quote by which an amount closes the loan: that of its day, that of the evening before, or
 * that of its own evening for the next day. A transfer has no hour: from that evening on it follows
 * whichever it pays. A payoff letter follows the same quotes, and money that pays what it says
 * closes the loan, as by a link (decision 24).
 */
export function findClosingQuote(
  facts: LoanFacts,
  { amountPaise, date }: Pick<ManualPayment, 'amountPaise' | 'date'>,
  now: Date,
): { quotedAheadFor?: Day } | null {
  const isPaid = (quotedFor: Day, madeOn: Day) => {
    const { foreclosure } = loanStateQuoted(facts, quotedFor, madeOn).allowed
    return foreclosure !== null && amountPaise >= foreclosure.amountPaise
  }
  if (isPaid(date, date)) return {}
  if (isPaid(date, addDays(date, -1))) return { quotedAheadFor: date }
  const nextDay = addDays(date, 1)
  return quoteDay(now) >= nextDay && isPaid(nextDay, date) ? { quotedAheadFor: nextDay } : null
}

/** @throws LedgerRefusal if the reference names a payment that the provider has reported. */
export async function refuseReferenceOfProvider(sql: Sql, { loan }: OwnLoan, mode: PaymentMode, reference: string): Promise<void> {
  const bankReference = normalizeBankReference(mode, reference)
  if (bankReference !== null && (await isReferenceOfProvider(sql, loan.borrower_id, bankReference)))
    throw new LedgerRefusal(
      `The bank reference ${reference} is that of a payment by link or autopay of this borrower: the provider reports it, and it is not recorded again`,
      'reference_taken',
    )
}
