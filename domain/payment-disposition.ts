import { dayInIndia, type Day } from './calendar.ts'
import { loanStateToPost } from './loan-state.ts'
import type { LoanFacts, ReceivedPayment } from './loans.ts'
import type { LinkStatus } from './payment-links.ts'
import type { Paise } from './money.ts'
import type { PaymentPurpose } from './payments.ts'
import { refundedCreditUsed, refundReasonFor } from './refunds.ts'

/**
 * A payment that the provider reports on a payment link. `isCaptured` is false if the provider
 * returned it without capturing it.
 */
export type ReportedPayment = { paidAt: Date; amountPaise: Paise; isCaptured: boolean }

/** Everything that decides what happens to a payment of a link. */
export type DispositionInput = {
  facts: LoanFacts
  link: { amountPaise: Paise; purpose: PaymentPurpose; createdAt: Date; expiresAt: Date; quotedFor: Day }
  /** Every closed status that the link ever had. */
  closedAs: ReadonlySet<LinkStatus>
  /** The link's money that counts for the loan: payments in the ledger less their refunds. */
  countedPaise: bigint
  /** Whether another payment of the loan was posted after the link was made. */
  hasLaterPayment: boolean
  /**
   * Absent unless the payment replaces one that people had recorded: the facts with that one.
   * Whoever recorded it has decided that it counts, however the link ended and whatever came since.
   */
  recorded?: LoanFacts
}

export type PaymentDisposition = {
  /** Null: the payment settles whatever is due. */
  purpose: PaymentPurpose | null
  /** Why the whole payment is refunded; null: it counts for the loan. */
  returnedAs: 'duplicate' | 'nothing_due' | null
  quotedAheadFor?: Day
}

/**
 * Decides what happens to a payment that is not in the ledger yet (decisions 24, 49, 55).
 *
 * @param ledgerDay the day up to which the ledger follows the facts.
 */
export function decideDisposition(input: DispositionInput, payment: ReportedPayment, ledgerDay: Day): PaymentDisposition {
  const { facts, link, closedAs, countedPaise, recorded } = input
  const { amountPaise } = payment
  const asked = recorded || closedAs.size === 0 || quoteStillHolds(input, payment) ? link.purpose : null
  if (!payment.isCaptured) return { purpose: asked, returnedAs: countedPaise >= link.amountPaise ? 'duplicate' : 'nothing_due' }
  const date = dayInIndia(payment.paidAt)
  const asOf = date > ledgerDay ? date : ledgerDay
  const receivedFor = (purpose: PaymentPurpose | null): ReceivedPayment => ({
    paymentId: 'undecided',
    date,
    amountPaise,
    purpose,
    ...(purpose !== null && quotedAheadOf(link, payment)),
  })
  const counted = receivedFor(asked)
  // Its purpose would use credit that is gone.
  const usesRefundedCredit = refundedCreditUsed(recorded ?? facts, { ...facts, payments: [...facts.payments, counted] }, asOf) > 0n
  const received = usesRefundedCredit ? receivedFor(null) : counted
  const receiving = { amountPaise: link.amountPaise, countedPaise, isClosed: closedAs.size > 0 }
  const returnedAs = recorded ? null : refundReasonFor(facts, received, receiving, asOf)
  const { purpose, quotedAheadFor } = received
  return { purpose, returnedAs, ...(quotedAheadFor !== undefined && { quotedAheadFor }) }
}

/** Whether what a payment was for can still be paid: then its payer must know that it is gone. */
export function isStillOwed(facts: LoanFacts, purpose: PaymentPurpose, ledgerDay: Day): boolean {
  const { status, duesPaise } = loanStateToPost(facts, ledgerDay)
  return purpose === 'OVERDUE' ? duesPaise > 0n : status !== 'CLOSED'
}

/**
 * From 23:30 a quote is for the next day; a payment begun before the link's expiry is settled by
 * that quote (decision 55).
 */
function quotedAheadOf(
  { createdAt, expiresAt, quotedFor }: DispositionInput['link'],
  { paidAt }: ReportedPayment,
): { quotedAheadFor?: Day } {
  const madeOn = dayInIndia(createdAt)
  const paidOn = dayInIndia(paidAt)
  const isAhead = madeOn < quotedFor && paidOn >= madeOn && paidOn <= quotedFor
  return isAhead && paidAt <= expiresAt ? { quotedAheadFor: quotedFor } : {}
}

/**
 * Whether a closed link's purpose still applies: the payment began before the link expired
 * (decision 24), the borrower did not cancel the link, and no other payment was made since the
 * link. Otherwise the money settles what is due, or is refunded.
 */
function quoteStillHolds({ link, closedAs, hasLaterPayment }: DispositionInput, { paidAt }: ReportedPayment): boolean {
  return !closedAs.has('cancelled') && !closedAs.has('refused') && paidAt <= link.expiresAt && !hasLaterPayment
}
