import { dayInIndia, quoteDay } from '#domain/calendar.ts'
import { withinOneLink } from '#domain/link-limit.ts'
import { loanStateQuoted } from '#domain/loan-state.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import type { AllowedPayments, PaymentRefusal } from '#domain/payments.ts'
import { Failure } from '../http/failure.ts'

/**
 * The payments that a link created now may have; from 23:30 IST the next day's offer, without
 * charges that arise only on that day (decisions 24 and 55).
 *
 * @param today the loan's state on the India day of `now`, if it is already computed.
 */
export function offerAt(facts: LoanFacts, now: Date, today?: LoanState): AllowedPayments {
  const day = quoteDay(now)
  const state = today && day === dayInIndia(now) ? today : loanStateQuoted(facts, day, dayInIndia(now))
  return withinOneLink(state.allowed)
}

/** `below_link_minimum`: offered, and less than the provider takes. */
type LinkRefusal = PaymentRefusal | 'below_link_minimum'

const refusalTexts: Record<LinkRefusal, string> = {
  not_offered: 'This payment is not on offer for the loan today.',
  wrong_amount: 'The amount is not the one on offer today.',
  below_minimum: 'The amount is below the least that is on offer today.',
  above_maximum: 'The amount is above the most that is on offer today.',
  below_link_minimum: 'A payment link carries at least ₹1. Less of an instalment is paid with a later one, if there is one.',
  above_link_limit: 'The amount is more than one payment link may carry. Pay it by NEFT or RTGS.',
}

/** The failure for an amount that may not be paid now (decision 34). */
export const notOffered = (refusal: LinkRefusal) => new Failure('PaymentNotAllowed', refusalTexts[refusal], { field: 'amount' })
