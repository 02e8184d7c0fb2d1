import type { readLoansSummary as call } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import { defineReading } from '../http/reading.ts'
import { buildFacts, factsOfBorrower } from './facts-store.ts'
import { storeMissingAprs } from './apr-store.ts'
import { loanOnWire, computeTrancheMaximum } from './loan-on-wire.ts'
import { loansOfBorrower, trancheAmounts } from './loan-store.ts'

/**
 * Reads the borrower's loans as of today in India. Empty for staff who assume nobody
 * (decision 32).
 */
export const readLoansSummary = defineReading<typeof call>()(
  (borrowerId) => [loansOfBorrower.with({ borrowerId }), trancheAmounts.with({ borrowerId }), factsOfBorrower.with({ borrowerId })],
  async ({ clock, database, log }, { borrowerId }, _request, [loans, tranches, factRows]) => {
    if (borrowerId === null) return { loans: [] }
    const today = dayInIndia(clock.now())
    const facts = buildFacts(loans, factRows)
    const rated = await storeMissingAprs({ database, log }, borrowerId, loans, facts)
    return {
      loans: rated.flatMap((loan) => {
        const loanFacts = facts.get(loan.loan_id)
        if (!loanFacts) return []
        const state = loanStateDuring(loanFacts, today)
        const ownTranches = tranches.filter(({ loan_id }) => loan_id === loan.loan_id)
        return [loanOnWire(loan, loanFacts, state, today, computeTrancheMaximum(loan, state.disbursedPaise, ownTranches))]
      }),
    }
  },
)
