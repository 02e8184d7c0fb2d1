import type { readRepaymentSchedule as call } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { defineReading } from '../http/reading.ts'
import { allowedOnWire, rowOnWire } from './loan-on-wire.ts'
import { offerAt } from './offer.ts'
import { buildOwnLoan, ownLoanReads } from './own-loan.ts'

/**
 * Reads today's schedule, and the payments that a link created now may have (from 23:30 IST
 * tomorrow's offer, decision 24).
 */
export const readRepaymentSchedule = defineReading<typeof call>()(ownLoanReads, ({ clock }, _caller, { query }, rows) => {
  const now = clock.now()
  const { facts } = buildOwnLoan(rows, query.lead_id)
  const state = loanStateDuring(facts, dayInIndia(now))
  return { repayment_schedule: state.rows.map(rowOnWire), allowed_payments: allowedOnWire(offerAt(facts, now, state), now) }
})
