import type { ReactNode } from 'react'
import { FailurePanel } from './failure-panel.tsx'
import { type Load, getLoadState } from './use-load.ts'

type LoadedProps<Data> = {
  query: Load<Data> & { refetch: () => unknown }
  /** What failed: 'Failed to load loans'. */
  failed: string
  /** Shown while it loads. */
  loading: ReactNode
  isEmpty: (data: Data) => boolean
  empty: ReactNode
  children: (data: Data) => ReactNode
}

/** A loaded part of a page in each of its states: loading, failed with retry, empty, loaded. */
export function Loaded<Data>({ query, failed, loading, isEmpty, empty, children }: LoadedProps<Data>) {
  const { state, isRetrying } = getLoadState(query, isEmpty)
  switch (state) {
    case 'idle':
    case 'loading':
      return loading
    case 'empty':
      return empty
    case 'success':
      // The state 'success' implies data.
      return query.data === undefined ? null : children(query.data)
    default:
      return <FailurePanel error={query.error} title={failed} onRetry={() => void query.refetch()} isRetrying={isRetrying} />
  }
}
