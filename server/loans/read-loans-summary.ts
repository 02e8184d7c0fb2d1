import type { readLoansSummary as call } from '#contract/loans.ts'
import { dayInIndia } from '#domain/calendar.ts'
import { loanStateDuring } from '#domain/loan-state.ts'
import type { UseCase } from '../http/route.ts'
import { loanOnWire } from './loan-on-wire.ts'
import { factsOf, loansOf } from './loan-store.ts'
import { tranchesOf } from '../tranches/tranche-store.ts'
import { maximumOf } from '../tranches/tranches-on-wire.ts'

/** The loans of the borrower as they stand today in India. Staff who assume nobody have none (decision 32). */
export const readLoansSummary: UseCase<typeof call> = async ({ database, clock }, { borrowerId }) => {
  if (borrowerId === null) return { loans: [] }
  const today = dayInIndia(clock.now())
  return database.asBorrower(borrowerId, async (sql) => {
    const loans = await loansOf(sql, borrowerId)
    const facts = await factsOf(sql, borrowerId, loans)
    const tranches = await tranchesOf(
      sql,
      borrowerId,
      loans.map((loan) => loan.loan_id),
    )
    return {
      loans: loans.flatMap((loan) => {
        const known = facts.get(loan.loan_id)
        if (!known) return []
        const state = loanStateDuring(known, today)
        return [loanOnWire(loan, known, state, today, maximumOf(loan, state.disbursedPaise, tranches.get(loan.loan_id) ?? []))]
      }),
    }
  })
}
