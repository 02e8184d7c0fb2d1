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

/** A read can hang for a minute; the change that it shows is done. */
const readAwaitedMs = 3_000

/** Waits for reads after a change for a moment only: the change's dialog is locked meanwhile. */
export async function awaitReads(reads: Promise<unknown>): Promise<void> {
  await Promise.race([reads, new Promise((resolve) => setTimeout(resolve, readAwaitedMs))])
}

/**
 * Loads everything about the loans again, and waits only for the queries that are named: those that
 * show a change. On a bad network all of them take as long again as the change.
 */
export function refreshLoans(client: QueryClient, ...awaited: QueryKey[]): Promise<void> {
  void client.invalidateQueries({ queryKey: loansKey })
  return awaitReads(Promise.all(awaited.map((queryKey) => client.invalidateQueries({ queryKey }, { cancelRefetch: false }))))
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
