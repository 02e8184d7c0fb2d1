import type { readRepaymentSchedule as call } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { UseCase } from '../http/route.ts'
import { allowedOnWire, rowOnWire } from './loan-on-wire.ts'
import { offerAt } from './offer.ts'
import { borrowerOf, readOwnLoan } from './own-loan.ts'

/** The schedule as it stands today, and what may be paid by a link made now (from 23:30 IST that is tomorrow's offer, decision 24). */
export const readRepaymentSchedule: UseCase<typeof call> = async ({ database, clock }, caller, { query }) => {
  const borrowerId = borrowerOf(caller)
  const now = clock.now()
  return database.asBorrower(borrowerId, async (sql) => {
    const { facts } = await readOwnLoan(sql, borrowerId, query.lead_id)
    const state = loanStateDuring(facts, dayInIndia(now))
    return { repayment_schedule: state.rows.map(rowOnWire), allowed_payments: allowedOnWire(offerAt(facts, now)) }
  })
}
