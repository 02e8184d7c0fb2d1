import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { refreshShown } from '#web/api/query-client.ts'
import { FailureLine, FailureNote, FailurePanel } from './failure-panel.tsx'
import { getLoadFailure, getLoadState, type Load } from './use-load.ts'

type LoadedProps<Data> = {
  query: Load<Data> & { refetch: () => unknown }
  /** What failed: 'Failed to load loans'. By default the name of the error's type. */
  failed?: string
  /** A panel in place of a card (default), a note inside one, or one line. */
  failure?: keyof typeof failures
  /** Shown while it loads. */
  loading: ReactNode
  isEmpty?: (data: Data) => boolean
  empty?: ReactNode
  children: (data: Data) => ReactNode
}

/** A loaded part of a page in each of its states: loading, failed with retry, empty, loaded. */
export function Loaded<Data>({ query, failed, failure = 'panel', loading, isEmpty = isNever, empty, children }: LoadedProps<Data>) {
  const { state, isRetrying } = getLoadState(query, isEmpty)
  const Failure = failures[failure]
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

const failures = { panel: FailurePanel, note: FailureNote, line: FailureLine }

const isNever = (): boolean => false

/**
 * One line above data that could not be loaded again; without a failure it takes no space. Its
 * press loads again all that is shown and old, since other parts have no line of their own.
 */
export function UpdateFailure({ query }: { query: UseQueryResult }) {
  const { t } = useLingui()
  const failure = getLoadFailure(query)
  if (query.data === undefined || failure === null) return null
  return (
    <p className="mb-3 flex flex-wrap items-center text-sm">
      <FailureLine {...failure} title={t`These figures could not be updated.`} onRetry={refreshShown} />
    </p>
  )
}
