/** Failures of code that was loaded ahead: the page is not reloaded while somebody uses it. */
export const failuresAhead = new WeakSet<object>()

/** Loads code that is not needed yet. A failure is reported when it is needed. */
export async function loadAhead(load: () => Promise<unknown>): Promise<void> {
  try {
    await load()
  } catch (error) {
    // The browser remembers a failed import, so the first use fails too, and that reloads the page.
    failuresAhead.add(Object(error))
  }
}

/**
 * Loads code when the page is idle and there is a connection.
 *
 * @returns a function that cancels it.
 */
export function loadWhenIdle(load: () => Promise<unknown>): () => void {
  let cancel: () => void
  const start = (): void => {
    cancel = runWhenIdle(() => (navigator.onLine ? void loadAhead(load) : waitForConnection()))
  }
  const waitForConnection = (): void => {
    window.addEventListener('online', start, { once: true })
    cancel = () => window.removeEventListener('online', start)
  }
  start()
  return () => cancel()
}

/** Runs work when the page is idle. @returns a function that cancels it. */
function runWhenIdle(work: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const request = requestIdleCallback(work, { timeout: 10_000 })
    return () => cancelIdleCallback(request)
  }
  // Safari has no idle callback.
  const timer = setTimeout(work, 2_000)
  return () => clearTimeout(timer)
}
