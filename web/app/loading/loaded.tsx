import type { ReactNode } from 'react'
import { FailureNote, FailurePanel } from './failure-panel.tsx'
import { getLoadState, type Load } from './use-load.ts'

type LoadedProps<Data> = {
  query: Load<Data> & { refetch: () => unknown }
  /** What failed: 'Failed to load loans'. By default the name of the error's type. */
  failed?: string
  /** A panel in place of a card (default), or a note inside one. */
  failure?: 'panel' | 'note'
  /** Shown while it loads. */
  loading: ReactNode
  isEmpty?: (data: Data) => boolean
  empty?: ReactNode
  children: (data: Data) => ReactNode
}

/** A loaded part of a page in each of its states: loading, failed with retry, empty, loaded. */
export function Loaded<Data>({ query, failed, failure = 'panel', loading, isEmpty = isNever, empty, children }: LoadedProps<Data>) {
  const { state, isRetrying } = getLoadState(query, isEmpty)
  const Failure = failure === 'panel' ? FailurePanel : FailureNote
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
      return (
        <Failure
          error={query.error}
          {...(failed !== undefined && { title: failed })}
          onRetry={() => void query.refetch()}
          isRetrying={isRetrying}
        />
      )
  }
}

const isNever = (): boolean => false
