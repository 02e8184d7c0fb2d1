import { queryClient } from '#web/api/query-client.ts'
import { storageKeys } from '#web/storage.ts'
import { getIdentity } from './claims.ts'
import { permissionsQuery } from './permissions.ts'
import { getSession, rereadSession, getSessionEndsAtMs, subscribeSession } from './session.ts'
import { forgetStartedPayment } from './started-payment.ts'

/** The longest delay a browser timer accepts. */
const timerMsMax = 2 ** 31 - 1

/**
 * Reads the session again when another tab changes it, when the page returns from the back/forward
 * cache, and when the token expires. Calls `onOtherPerson` if the person has changed or signed out.
 */
export function followSession(onOtherPerson: () => void): void {
  syncQueriesWithSession()
  const reread = (): void => {
    if (rereadSession()) onOtherPerson()
  }
  window.addEventListener('storage', ({ key }) => {
    if (key === null || key === storageKeys.token) reread()
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reread()
  })

  let expiryTimer: ReturnType<typeof setTimeout> | undefined
  const scheduleExpiry = (): void => {
    clearTimeout(expiryTimer)
    const endsAtMs = getSessionEndsAtMs()
    if (endsAtMs !== null) expiryTimer = setTimeout(reread, Math.min(Math.max(0, endsAtMs - Date.now()), timerMsMax))
  }
  subscribeSession((event) => event !== 'expired' && scheduleExpiry())
  scheduleExpiry()
}

/**
 * Clears the query cache when the identity changes: one person's data must never be shown to the
 * next one on this device. Loads the permissions when a session starts and removes them when it
 * ends (spec §4 'Auth state'); a new token of the same person keeps them. usePermissionsRetry
 * retries failed loads.
 *
 * @returns a function that stops this.
 */
export function syncQueriesWithSession(): () => void {
  let shownIdentity = getIdentity(getSession().claims)
  const clearForOtherIdentity = (): void => {
    const identity = getIdentity(getSession().claims)
    if (identity === shownIdentity) return
    if (shownIdentity !== null && identity !== null) forgetStartedPayment()
    shownIdentity = identity
    queryClient.clear()
  }
  const loadPermissions = async (): Promise<void> => {
    // A response for the previous token must not be used for the new one.
    await queryClient.cancelQueries(permissionsQuery)
    await queryClient.prefetchQuery({ ...permissionsQuery, staleTime: 0 })
  }
  const unsubscribe = subscribeSession((event) => {
    clearForOtherIdentity()
    const hasToken = getSession().token !== null
    if (event === 'reset') queryClient.removeQueries(permissionsQuery)
    if (event === 'init' && hasToken) void loadPermissions()
    if (event === 'refresh' && hasToken && queryClient.getQueryData(permissionsQuery.queryKey) === undefined) void loadPermissions()
  })
  if (getSession().token !== null) void loadPermissions()
  return unsubscribe
}
