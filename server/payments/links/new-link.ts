import { uuidv7 } from 'uuidv7'
import { dayInIndia, quoteDay, quoteValidUntilMs } from '#domain/calendar.ts'
import { hourMs } from '#domain/durations.ts'
import { zeroPaise, type Paise } from '#domain/money.ts'
import { providerName, type PaymentPurpose } from '#domain/payments.ts'
import type { OwnLoan } from '../../loans/own-loan.ts'
import type { LinkRow } from '../../ledger/open-links-store.ts'
import { buildQuote, type StoredQuote } from '../quote.ts'

type LinkRequest = { amount: Paise; purpose: PaymentPurpose; callback_url: string }
type LinkContext = { now: Date; actorId: string; sessionId: string | null; sweepAfterSeconds: number }

/** The lifetime of a link; the provider accepts 15 minutes or more. */
const linkLifetimeMs = hourMs

/**
 * Builds the database row of a payment link, before the provider is called. The link expires no
 * later than its quote.
 */
export function buildLink(
  { loan, facts }: OwnLoan,
  request: LinkRequest,
  { now, actorId, sessionId, sweepAfterSeconds }: LinkContext,
): LinkRow & { quote: StoredQuote } {
  const paymentIntentId = uuidv7()
  const quotedFor = quoteDay(now)
  const lifetimeEnd = now.getTime() + linkLifetimeMs
  return {
    borrower_id: loan.borrower_id,
    loan_id: loan.loan_id,
    payment_intent_id: paymentIntentId,
    // Within the provider's limit of 40 characters.
    reference: `KST-${paymentIntentId.replaceAll('-', '')}`,
    provider: providerName,
    payment_link_id: null,
    amount_paise: request.amount,
    purpose: request.purpose,
    quote: buildQuote(facts, quotedFor, dayInIndia(now), request),
    quoted_for: quotedFor,
    status: 'creating',
    redirect_url: null,
    callback_url: request.callback_url,
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
    session_id: sessionId,
  }
}
