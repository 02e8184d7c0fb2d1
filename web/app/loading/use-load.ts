import { useQuery, type QueryKey, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'

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
