import { onlineManager, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { identityOf } from './auth-state.ts'
import { forgetPaymentTrip } from './payment-trip.ts'
import { getSession, subscribeSession } from './session.ts'

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

// One person's figures must never be shown to the next one on this device: SignedIn mounts everything anew with the identity,
// and nothing of the one before is left to be shown.
let shownTo = identityOf(getSession().claims)
subscribeSession(() => {
  const identity = identityOf(getSession().claims)
  if (identity === shownTo) return
  if (shownTo !== null && identity !== null) forgetPaymentTrip()
  shownTo = identity
  queryClient.clear()
})
