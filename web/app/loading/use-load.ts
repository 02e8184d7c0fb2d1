import { hashKey, type QueryKey, useQuery, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { type FailureKind, getFailureKind } from '#web/api/api-error.ts'

/**
 * A query that keeps its failure until data arrives. TanStack forgets the error when a query runs
 * again, and the failure panel would be replaced by a skeleton while it is being used. Fetching
 * after a failure is a retry. Meanwhile a placeholder, the data of another key, is not shown. The
 * failure of one key is not that of another.
 */
export function useLoad<Data, Key extends QueryKey = QueryKey>(options: UseQueryOptions<Data, Error, Data, Key>): UseQueryResult<Data> {
  const query = useQuery(options)
  const [failure, setFailure] = useState<{ key: string; error: Error } | null>(null)
  const key = hashKey(options.queryKey)
  const kept = failure?.key === key ? failure.error : null
  const current = query.data === undefined || query.isPlaceholderData ? (query.error ?? kept) : null
  if (current !== kept) setFailure(current === null ? null : { key, error: current })
  if (current === null || query.isError) return query
  // The union of result types has no member for a failed query that is fetching.
  const retried: unknown = { ...query, data: undefined, status: 'error', error: current, isError: true, isPending: false, isLoading: false }
  return retried as UseQueryResult<Data>
}

/** What a FailureLine shows of a query. */
export type LoadFailure = { error: Error; isRetrying: boolean; onRetry: () => void }

/** The failure of a query of {@link useLoad}, with its retry; null if it has none. */
export const getLoadFailure = ({ error, isFetching, refetch }: UseQueryResult): LoadFailure | null =>
  error === null ? null : { error, isRetrying: isFetching, onRetry: () => void refetch() }

/** The state of loaded data (spec §4 'Generic load states'). */
export type LoadState = 'idle' | 'loading' | 'success' | 'empty' | FailureKind

/** The last data, the last error, and whether a request is pending. */
export type Load<Data> = { data: Data | undefined; error: unknown; isFetching: boolean }

/**
 * Data stays shown while it is fetched again, and when that fails. A failed query that is fetched
 * again is being retried.
 */
export function getLoadState<Data>(
  { data, error, isFetching }: Load<Data>,
  isEmpty: (data: Data) => boolean,
): { state: LoadState; isRetrying: boolean } {
  if (data !== undefined) return { state: isEmpty(data) ? 'empty' : 'success', isRetrying: false }
  if (error !== null && error !== undefined) return { state: getFailureKind(error), isRetrying: isFetching }
  return { state: isFetching ? 'loading' : 'idle', isRetrying: false }
}
