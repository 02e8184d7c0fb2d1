import { type QueryKey, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { type FailureKind, failureKindOf } from '#web/api/api-error.ts'

/**
 * A query whose failure stands until something has come: asked for again, a query by itself forgets why it failed, and the panel
 * with the retry would give way to a skeleton under the finger. Fetching while failed is retrying.
 */
export function useLoad<Data, Key extends QueryKey = QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>): UseQueryResult<Data> {
  const query = useQuery(options)
  const [failure, setFailure] = useState<Error | null>(null)
  const standing = query.data === undefined ? (query.error ?? failure) : null
  if (standing !== failure) setFailure(standing)
  if (standing === null || query.isError) return query
  // The union of results knows no failure that is being asked for again, though each of its fields can be so.
  const retried: unknown = { ...query, status: 'error', error: standing, isError: true, isPending: false, isLoading: false }
  return retried as UseQueryResult<Data>
}

/** How something that is loaded stands (spec §4 'Generic load states'). */
export type LoadState = 'idle' | 'loading' | 'success' | 'empty' | FailureKind

/** What is known of a load: what came last, why it failed last, whether it is asked for at this moment. */
export type Load<Data> = { data: Data | undefined; error: unknown; isFetching: boolean }

/** What came stays in view while it is asked for again, and when that fails. A failure that is asked for again is being retried. */
export function loadState<Data>(
  { data, error, isFetching }: Load<Data>,
  isEmpty: (data: Data) => boolean,
): { state: LoadState; isRetrying: boolean } {
  if (data !== undefined) return { state: isEmpty(data) ? 'empty' : 'success', isRetrying: false }
  if (error !== null && error !== undefined) return { state: failureKindOf(error), isRetrying: isFetching }
  return { state: isFetching ? 'loading' : 'idle', isRetrying: false }
}
