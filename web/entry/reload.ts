import { isChoosingLanguage } from '#web/i18n/i18n.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'

const againAfterMs = 60_000

/** Loads the page again to get the chunks of the version that is served now; once a minute at most, lest it never ends. */
export function reloadOnceAfterDeployment(event: Event): void {
  if (isChoosingLanguage()) return
  const last = Number(readStored(storageKeys.reloadedAt, 'sessionStorage') ?? 0)
  if (Date.now() - last < againAfterMs || !navigator.onLine) return
  event.preventDefault()
  writeStored(storageKeys.reloadedAt, String(Date.now()), 'sessionStorage')
  window.location.reload()
}
