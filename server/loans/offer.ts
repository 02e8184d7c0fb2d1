import { dayInIndia, quoteDay } from '#domain/calendar.ts'
import { withinOneLink } from '#domain/link-limit.ts'
import { loanStateQuoted } from '#domain/loan-state.ts'
import type { LoanFacts, LoanState } from '#domain/loans.ts'
import type { AllowedPayments } from '#domain/payments.ts'

/**
 * What may be paid by a link made at this instant; from 23:30 IST that is the next day's offer, without charges that arise only on
 * the next day (decisions 24 and 55).
 *
 * @param today how the loan stands on the India day of `now`, where that is known already.
 */
export function offerAt(facts: LoanFacts, now: Date, today?: LoanState): AllowedPayments {
  const day = quoteDay(now)
  const state = today && day === dayInIndia(now) ? today : loanStateQuoted(facts, day, dayInIndia(now))
  return withinOneLink(state.allowed, facts.terms.linkMaximumPaise)
}
