import { onlineManager, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

// It takes every page for online until an event says otherwise: one that opens offline would not notice the connection.
onlineManager.setOnline(globalThis.navigator?.onLine ?? true)

/** The cache of what the server said. A 401 opens the session-expired modal where every call passes: in call.ts. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // 'online' would leave a page loading for ever without a connection; we want the failure panel and its retry.
      networkMode: 'always',
      // That mode would switch this off: what failed without a connection comes by itself with it.
      refetchOnReconnect: true,
      // A dropped packet on a train is not worth a panel; anything the server said is.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.kind === 'network_error' && navigator.onLine,
      retryDelay: 500,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})
