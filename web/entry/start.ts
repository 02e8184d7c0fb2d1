import { activateLanguage, isChoosingLanguage, storedLanguage } from '#web/i18n/i18n.ts'
import { pickLanguage } from '#web/i18n/language.ts'
import { loadPortalConfig } from '#web/portal-config.ts'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'

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

/**
 * What is shown when the app cannot start because its own files did not arrive. The words stand here in both languages:
 * the catalogues are among what is missing.
 */
export function showStartFailure(): void {
  const container = document.getElementById('root')
  if (container === null || (container.childElementCount > 0 && !container.hidden)) return
  const main = document.createElement('main')
  main.className = 'mx-auto max-w-content p-4 md:p-8'
  main.append(
    sentence('h1', 'en', 'This page could not be loaded'),
    sentence('p', 'en', 'Check your internet connection and load the page again.'),
    sentence('p', 'hi', 'यह पेज लोड नहीं हो सका। अपना इंटरनेट कनेक्शन जाँचें और पेज फिर खोलें।'),
  )
  // What stands there unseen is the login of who may be signed in.
  container.replaceChildren(main)
  container.hidden = false
}

function sentence(tag: 'h1' | 'p', language: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.lang = language
  element.textContent = text
  return element
}
