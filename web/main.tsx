import { I18nProvider } from '@lingui/react'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { initSession } from './api/session.ts'
import { activateLanguage, i18n, loadAreas, storedLanguage } from './i18n/i18n.ts'
import { pickLanguage } from './i18n/language.ts'
import { loadPortalConfig } from './portal-config.ts'
import { router } from './routes.tsx'
import { showStartFailure } from './start-failure.ts'
import { storageKeys } from './storage.ts'
import { applyStoredTheme } from './theme.ts'
import { reloadOnceAfterDeployment } from './reload.ts'
import './ui/theme.css'

// Not awaited at the top level: the screens' chunks import this one, and would wait for it while it waits for them.
start().catch(showStartFailure)

async function start(): Promise<void> {
  applyStoredTheme()
  initSession()
  const config = await loadPortalConfig()
  await activateLanguage(
    pickLanguage({
      stored: storedLanguage(),
      browser: navigator.languages,
      defaultLanguage: config.default_language,
      detect: config.detect_language,
    }),
  )
  // The first screen and the words of the kit come together, so that nothing is shown without its words.
  await Promise.all([loadAreas('ui'), router.load()])

  const container = document.getElementById('root')
  if (container === null) throw new Error('index.html has no #root')
  createRoot(container).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <RouterProvider router={router} />
      </I18nProvider>
    </StrictMode>,
  )
}

// A chunk that is gone: the portal was deployed anew while this page was open.
window.addEventListener('vite:preloadError', reloadOnceAfterDeployment)

// Signing in or out in another tab holds here too.
window.addEventListener('storage', (event) => {
  if (event.key !== null && event.key !== storageKeys.token) return
  initSession()
  void router.invalidate()
})
