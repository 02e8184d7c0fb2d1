import { quoteDay } from '#domain/calendar.ts'
import { withinOneLink } from '#domain/link-limit.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { LoanFacts } from '#domain/loans.ts'
import type { AllowedPayments } from '#domain/payments.ts'

/** What may be paid by a link made at this instant; from 23:30 IST that is the next day's offer (decision 24). */
export const offerAt = (facts: LoanFacts, now: Date): AllowedPayments =>
  withinOneLink(loanStateDuring(facts, quoteDay(now)).allowed, facts.terms.linkMaximumPaise)
