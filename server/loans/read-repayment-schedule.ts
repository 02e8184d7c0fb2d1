import type { readRepaymentSchedule as call } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { defineReading } from '../http/reading.ts'
import { factReads, buildFacts } from './facts-store.ts'
import { allowedOnWire, rowOnWire } from './loan-on-wire.ts'
import { loansOfBorrower } from './loan-store.ts'
import { offerAt } from './offer.ts'
import { selectOwnLoan } from './own-loan.ts'

/**
 * Reads today's schedule, and the payments that a link created now may have (from 23:30 IST
 * tomorrow's offer, decision 24).
 */
export const readRepaymentSchedule = defineReading<typeof call>()(
  (borrowerId) => [loansOfBorrower.with({ borrowerId }), ...factReads(borrowerId)],
  ({ clock }, _caller, { query }, [loans, ...factRows]) => {
    const now = clock.now()
    const loan = selectOwnLoan(loans, query.lead_id)
    const facts = buildFacts([loan], factRows).get(loan.loan_id)
    if (!facts) throw new Error(`Loan ${loan.lan} has no facts`)
    const state = loanStateDuring(facts, dayInIndia(now))
    return { repayment_schedule: state.rows.map(rowOnWire), allowed_payments: allowedOnWire(offerAt(facts, now, state)) }
  },
)
