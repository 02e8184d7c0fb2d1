import { activateLanguage, storedLanguage } from '#web/i18n/i18n.ts'
import { pickLanguage } from '#web/i18n/language.ts'
import { loadPortalConfig } from '#web/portal-config.ts'
import { reloadOnceAfterDeployment } from './reload.ts'

/** What every page begins with: what the lender decided, which language. */
export async function startInLanguage(): Promise<void> {
  // A chunk that is gone: the portal was deployed anew while this page was open.
  window.addEventListener('vite:preloadError', reloadOnceAfterDeployment)
  const config = await loadPortalConfig()
  await activateLanguage(
    pickLanguage({
      stored: storedLanguage(),
      browser: navigator.languages,
      defaultLanguage: config.default_language,
      detect: config.detect_language,
    }),
  )
}

/** The element that everything is shown in. */
export function rootElement(): HTMLElement {
  const root = document.getElementById('root')
  if (root === null) throw new Error('The page has no #root')
  return root
}
