import { uuidv7 } from 'uuidv7'
import { dayInIndia, quoteDay, quoteValidUntilMs } from '#domain/calendar.ts'
import { zeroPaise, type Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import type { LinkRow } from '../payment-store.ts'
import { quoteOf, type StoredQuote } from '../quote.ts'

type Order = { amount: Paise; purpose: PaymentPurpose; callback_url: string }
type Circumstances = { now: Date; actorId: string; linkLifetimeMinutes: number; sweepAfterSeconds: number }

/** A link as it is before the provider knows of it. It lives no longer than its quote: to the end of the India day it was made for. */
export function newLink(
  { loan, facts }: OwnLoan,
  order: Order,
  { now, actorId, linkLifetimeMinutes, sweepAfterSeconds }: Circumstances,
): LinkRow & { quote: StoredQuote } {
  const paymentIntentId = uuidv7()
  const quotedFor = quoteDay(now)
  const lifetimeEnd = now.getTime() + linkLifetimeMinutes * 60_000
  return {
    borrower_id: loan.borrower_id,
    loan_id: loan.loan_id,
    payment_intent_id: paymentIntentId,
    reference: referenceOf(paymentIntentId),
    provider: 'razorpay',
    payment_link_id: null,
    amount_paise: order.amount,
    purpose: order.purpose,
    quote: quoteOf(facts, quotedFor, dayInIndia(now), order),
    quoted_for: quotedFor,
    status: 'creating',
    redirect_url: null,
    callback_url: order.callback_url,
    amount_paid_paise: zeroPaise,
    landed_late: false,
    rps_updated: false,
    created_at: now,
    created_by: actorId,
    expires_at: new Date(Math.min(lifetimeEnd, quoteValidUntilMs(quotedFor))),
    settled_at: null,
    provider_checked_at: null,
    next_check_at: new Date(now.getTime() + sweepAfterSeconds * 1_000),
    checks: 0,
    cancel_requested_at: null,
    cancel_requested_by: null,
    session_id: null,
    idempotency_key: null,
    request_hash: null,
  }
}

/** Unique for ever, and short enough for the provider (40 characters). */
const referenceOf = (paymentIntentId: string) => `KST-${paymentIntentId.replaceAll('-', '')}`
