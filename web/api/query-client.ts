import { onlineManager, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

// TanStack assumes that it is online until an event says otherwise: a page that opens offline would
// not notice the connection.
onlineManager.setOnline(globalThis.navigator?.onLine ?? true)

/** The cache of server responses. call.ts opens the session-expired dialog on a 401. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // 'online' would show a loading page forever without a connection; we show the failure panel
      // with its retry.
      networkMode: 'always',
      // networkMode 'always' switches this off by default: failed queries run again when the
      // connection returns.
      refetchOnReconnect: true,
      // A single lost packet shall not show a failure panel; a response of the server shall.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.kind === 'network_error' && navigator.onLine,
      retryDelay: 500,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/**
 * Options of a query whose every read is an entry in the borrower's access log: what is shown is
 * not read again by itself.
 */
export const loggedRead = { meta: { isLogged: true }, refetchOnWindowFocus: false, refetchOnReconnect: isMissing }

function isMissing({ state }: { state: { data: unknown } }): boolean {
  return state.data === undefined
}

/** Loads again all that is shown and old, or could not be loaded. */
export const refreshShown = (): void =>
  void queryClient.refetchQueries({
    type: 'active',
    predicate: (query) => {
      if (query.state.error !== null || isMissing(query)) return true
      return query.isStale() && query.meta?.['isLogged'] !== true
    },
  })
