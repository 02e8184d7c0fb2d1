import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '#contract/endpoint.ts'
import { readLoansSummary, readRepaymentSchedule, type Loan } from '#contract/loans.ts'
import { call } from '#web/api/call.ts'

/**
 * The first part of every query key about the borrower's loans: invalidating it refreshes the whole
 * page.
 */
export const loansKey = ['loans'] as const

export const loansQuery = queryOptions({
  queryKey: [...loansKey, 'summary'],
  queryFn: async ({ signal }) => (await call(readLoansSummary, {}, { signal })).loans,
})

/**
 * Loads everything about the loans again, and waits only for the queries that are named, those that
 * show a change, and for three seconds: a read can hang for a minute, and the dialog of the change,
 * which is done, is locked meanwhile.
 */
export function refreshLoans(client: QueryClient, ...awaited: QueryKey[]): Promise<unknown> {
  void client.invalidateQueries({ queryKey: loansKey })
  const reads = awaited.map((queryKey) => client.invalidateQueries({ queryKey }, { cancelRefetch: false }))
  return Promise.race([Promise.all(reads), new Promise((resolve) => setTimeout(resolve, 3_000))])
}

/** The loan's schedule and what can be paid now. */
export const scheduleQuery = (loan: Loan) =>
  queryOptions({
    queryKey: [...loansKey, loan.lan, 'schedule'],
    queryFn: ({ signal }) => call(readRepaymentSchedule, { query: { lead_id: getLeadId(loan) } }, { signal }),
  })

/** A loan without lead_id is identified by its own number (decision 36). */
export const getLeadId = (loan: Pick<Loan, 'lan' | 'lead_id'>): string => loan.lead_id ?? loan.lan

export type Schedule = ResponseOf<typeof readRepaymentSchedule>
