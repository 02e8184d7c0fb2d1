import { activateLanguage, isChoosingLanguage, readStoredLanguage } from '#web/i18n/i18n.ts'
import { pickLanguage } from '#web/i18n/language.ts'
import { loadPortalConfig } from '#web/portal-config.ts'
import { failuresAhead } from '#web/ui/background-loads.ts'
import { storageKeys } from '#web/storage.ts'

/** The start of every page: the lender's settings and the language. */
export async function startInLanguage(): Promise<void> {
  // A chunk is missing: the portal was deployed while this page was open.
  window.addEventListener('vite:preloadError', ({ payload }) => {
    if (isChoosingLanguage()) return
    // The code that asked for the import sees its failure only after this event.
    setTimeout(() => {
      if (!failuresAhead.has(payload)) reloadOnceAfterDeployment()
    })
  })
  const config = await loadPortalConfig()
  await activateLanguage(
    pickLanguage({
      stored: readStoredLanguage(),
      browser: navigator.languages,
      defaultLanguage: config.default_language,
      detect: config.detect_language,
    }),
  )
}

/** The element that React renders into. */
export function getRootElement(): HTMLElement {
  const root = document.getElementById('root')
  if (root === null) throw new Error('The page has no #root')
  return root
}

const againAfterMs = 60_000

/**
 * Reloads the page to get the chunks of the deployed version; at most once a minute, to avoid a
 * loop.
 */
function reloadOnceAfterDeployment(): void {
  const key = storageKeys.reloadedAt
  try {
    if (!navigator.onLine || Date.now() - Number(sessionStorage.getItem(key)) < againAfterMs) return
    sessionStorage.setItem(key, String(Date.now()))
  } catch {
    // Without the note the page could reload for ever.
    return
  }
  window.location.reload()
}
