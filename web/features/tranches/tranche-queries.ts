import { queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import type { Loan } from '#contract/loans.ts'
import { readTranches } from '#contract/tranches.ts'
import { call } from '#web/api/call.ts'
import { loansKey } from '#web/loan/loan-queries.ts'

export type Tranches = ResponseOf<typeof readTranches>

/** What was paid out of a loan and asked for, and what may be asked for now. */
export const tranchesQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'tranches'],
    queryFn: ({ signal }) => call(readTranches, { query: { lan: loan.lan } }, { signal }),
  })
