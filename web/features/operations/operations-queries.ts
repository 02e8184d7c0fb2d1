import { queryOptions, type QueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import type { ResponseOf } from '#contract/endpoint.ts'
import { preview as previewSchema, type Preview } from '#contract/operation-kinds.ts'
import {
  countOperations,
  findOperationsLoans,
  readOperationsLoan,
  readOperationsQueue,
  readOperationsReviews,
  readProposal,
  type Proposal,
} from '#contract/operations.ts'
import { ApiError } from '#web/api/api-error.ts'
import { call } from '#web/api/call.ts'
import { loggedRead } from '#web/api/query-client.ts'
import type { QueueQuery } from './queue-state.ts'

/** Every query of Operations: one change can change any of them. */
const operationsKey = ['operations'] as const
const loanKey = [...operationsKey, 'loan'] as const

/** The counts of the navigation and of the lists. Reading them writes no access-log entry. */
export const countsQuery = () =>
  queryOptions({
    queryKey: [...operationsKey, 'counts'],
    queryFn: async ({ signal }) => (await call(countOperations, {}, { signal })).counts,
  })

const queueState = (list: QueueQuery['list']) => (list === 'mine' || list === 'decided' ? list : ('proposed' as const))

export const queueQuery = ({ list, kind, page = 1 }: QueueQuery) => {
  const query = { state: queueState(list), page, ...(kind !== undefined && { kind }) }
  return queryOptions({
    queryKey: [...operationsKey, 'queue', query],
    queryFn: ({ signal }) => call(readOperationsQueue, { query }, { signal }),
  })
}

export const foundLoansQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: [...operationsKey, 'loans', search, page],
    queryFn: ({ signal }) => call(findOperationsLoans, { query: { page, ...(search !== '' && { search }) } }, { signal }),
  })

export const loanRecordQuery = (lan: string) =>
  queryOptions({
    queryKey: [...loanKey, lan],
    queryFn: ({ signal }) => call(readOperationsLoan, { params: { lan } }, { signal }),
    ...loggedRead,
  })

export const reviewsQuery = ({ list, page = 1 }: QueueQuery) => {
  const state = list === 'resolved' ? ('resolved' as const) : ('open' as const)
  return queryOptions({
    queryKey: [...operationsKey, 'reviews', state, page],
    queryFn: ({ signal }) => call(readOperationsReviews, { query: { state, page } }, { signal }),
  })
}

export const proposalQuery = (id: string) =>
  queryOptions({
    queryKey: [...operationsKey, 'proposal', id],
    queryFn: async ({ signal }) => (await call(readProposal, { params: { id } }, { signal })).proposal,
    ...loggedRead,
  })

/**
 * After a proposal was made or decided: shows it, and reads the lists anew, without waiting: a read
 * can hang for a minute.
 */
export function storeProposal(client: QueryClient, proposal: Proposal): void {
  client.setQueryData(proposalQuery(proposal.id).queryKey, proposal)
  void client.invalidateQueries({
    queryKey: operationsKey,
    predicate: ({ queryKey }) => queryKey[1] !== 'loan' && queryKey[1] !== 'proposal',
  })
  // A loan is read again when it is opened: each read is an entry in the borrower's access log.
  void client.invalidateQueries({ queryKey: loanKey, refetchType: 'none' })
}

export type Queue = ResponseOf<typeof readOperationsQueue>
export type FoundLoan = ResponseOf<typeof findOperationsLoans>['items'][number]
export type LoanRecord = ResponseOf<typeof readOperationsLoan>
export type Review = ResponseOf<typeof readOperationsReviews>['items'][number]

/** The newer preview of a ProposalStale; null of any other error. */
export function readStalePreview(error: unknown): Preview | null {
  if (!(error instanceof ApiError) || error.code !== 'ProposalStale') return null
  const read = z.safeDecode(previewSchema, error.problem?.preview as never)
  return read.success ? read.data : null
}
