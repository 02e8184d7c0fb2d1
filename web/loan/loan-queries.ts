import { queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import { readLoansSummary, readRepaymentSchedule, type Loan } from '#contract/loans.ts'
import { call } from '#web/api/call.ts'

/** Every query about the borrower's loans begins with this key: invalidating it brings the whole page up to date. */
export const loansKey = ['loans'] as const

export const loansQuery = queryOptions({
  queryKey: [...loansKey, 'summary'],
  queryFn: async ({ signal }) => (await call(readLoansSummary, {}, { signal })).loans,
})

/** The schedule of a loan and what may be paid on it now. */
export const scheduleQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'schedule'],
    queryFn: ({ signal }) => call(readRepaymentSchedule, { query: { lead_id: leadOf(loan) } }, { signal }),
  })

/** Where a loan has no lead_id its own number stands in (decision 36). */
export const leadOf = (loan: Loan): string => loan.lead_id ?? loan.lan

export type Schedule = ResponseOf<typeof readRepaymentSchedule>
