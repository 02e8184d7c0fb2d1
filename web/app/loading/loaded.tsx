import { useLingui } from '@lingui/react/macro'
import { notifyManager, type Query, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore, type ReactNode } from 'react'
import { getFailureKind } from '#web/api/api-error.ts'
import { FailureLine, FailureNote, FailurePanel } from './failure-panel.tsx'
import { getLoadState, type Load } from './use-load.ts'

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

/** Earlier data is shown, and loading it again failed. A 401 has a dialog of its own. */
const isOutdated = ({ state }: Query): boolean =>
  state.data !== undefined && state.status === 'error' && getFailureKind(state.error) !== 'unauthorized'

/**
 * One line above figures that could not be loaded again, with a retry for all of them. The figures
 * are those of the shown queries below a key; without a failure it takes no space.
 */
export function UpdateFailure({ queryKey }: { queryKey: QueryKey }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const outdated = { queryKey, type: 'active', predicate: isOutdated } as const
  const subscribe = useCallback((onChange: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)), [client])
  // The state is another object after each change of the query.
  const failed = useSyncExternalStore(subscribe, () => client.getQueryCache().findAll(outdated)[0]?.state)
  if (failed === undefined) return null
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-4 text-sm">
      <FailureLine
        error={failed.error}
        title={t`These figures could not be updated.`}
        isRetrying={failed.fetchStatus === 'fetching'}
        onRetry={() => void client.refetchQueries(outdated)}
      />
    </p>
  )
}
