import { rereadSession, sessionEndsAtMs, subscribeSession } from './api/session.ts'
import { storageKeys } from './storage.ts'

/** The longest time a browser's timer takes. */
const timerMsMax = 2 ** 31 - 1

/**
 * Keeps this page to the stored session: another tab stores one, the page comes back from the browser's back/forward cache, where
 * it missed that, or the token runs out. `onOtherPerson` is called when somebody else, or nobody, is signed in then.
 */
export function followStoredSession(onOtherPerson: () => void): void {
  const reread = (): void => {
    if (rereadSession()) onOtherPerson()
  }
  window.addEventListener('storage', ({ key }) => {
    if (key === null || key === storageKeys.token) reread()
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reread()
  })

  let ending: ReturnType<typeof setTimeout> | undefined
  const awaitEnd = (): void => {
    clearTimeout(ending)
    const endsAtMs = sessionEndsAtMs()
    if (endsAtMs !== null) ending = setTimeout(reread, Math.min(Math.max(0, endsAtMs - Date.now()), timerMsMax))
  }
  subscribeSession((event) => event !== 'expired' && awaitEnd())
  awaitEnd()
}
