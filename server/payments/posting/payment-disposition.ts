import { dayInIndia, type Day } from '#domain/calendar.ts'
import type { LinkStatus } from '#domain/payment-links.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { reasonToReturn } from '#domain/refunds.ts'
import { ledgerDay } from '../../ledger/postings.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import { countedOf } from '../link-money.ts'
import type { LinkRow, ProviderPaymentRow } from '../payment-store.ts'
import type { RefundRow } from '../refund-store.ts'

/** What is known of a link when money lands on it. */
export type Ground = {
  own: OwnLoan
  link: LinkRow
  /** The closed statuses it ever had. */
  closedAs: ReadonlySet<LinkStatus>
  /** All that it received, and what of it goes back. */
  payments: readonly ProviderPaymentRow[]
  refunds: readonly RefundRow[]
}

export type Landing = { purpose: PaymentPurpose | null; returnedAs: 'duplicate' | 'nothing_due' | null; quotedAheadFor?: Day }

/** What becomes of a payment that is not in the ledger yet (decision 49). */
export function decideDisposition(ground: Ground, payment: ProviderPaymentRow, now: Date): Landing {
  const { own, link, closedAs } = ground
  const purpose = closedAs.size === 0 || quoteStillHolds(ground, payment) ? link.purpose : null
  const quoted = purpose === null ? {} : quotedAheadOf(link, payment)
  const received = { paymentId: 'landing', date: dayInIndia(payment.paid_at), amountPaise: payment.amount_paise, purpose, ...quoted }
  const landing = { amountPaise: link.amount_paise, countedPaise: countedOf(ground.payments, ground.refunds), isClosed: closedAs.size > 0 }
  // The provider has sent it back without taking it: nothing else can become of it.
  if (!payment.captured) return { purpose, returnedAs: landing.countedPaise >= landing.amountPaise ? 'duplicate' : 'nothing_due' }
  const today = ledgerDay({ ...own.facts, payments: [...own.facts.payments, received] }, now)
  return { purpose, returnedAs: reasonToReturn(own.facts, received, landing, today), ...quoted }
}

/** A quote made from 23:30 is for the next day; a payment begun while it held is settled by it (decision 55). */
function quotedAheadOf(link: LinkRow, { paid_at }: ProviderPaymentRow): { quotedAheadFor?: Day } {
  const madeOn = dayInIndia(link.created_at)
  const paidOn = dayInIndia(paid_at)
  const isAhead = madeOn < link.quoted_for && paidOn >= madeOn && paidOn <= link.quoted_for
  return isAhead && paid_at <= link.expires_at ? { quotedAheadFor: link.quoted_for } : {}
}

/**
 * Whether what a link was made for still stands though the link is closed: the payment was begun before it expired (decision 24), the
 * borrower did not cancel it, and nothing else was paid since it was made. Otherwise the money goes to what is due, or back.
 */
function quoteStillHolds({ own, link, closedAs, payments }: Ground, payment: ProviderPaymentRow): boolean {
  if (closedAs.has('cancelled') || closedAs.has('refused') || payment.paid_at > link.expires_at) return false
  const ofThisLink = new Set(payments.map(({ transaction_id }) => transaction_id))
  const madeOn = dayInIndia(link.created_at)
  return !own.facts.payments.some(({ paymentId, date }) => date >= madeOn && !ofThisLink.has(paymentId))
}
