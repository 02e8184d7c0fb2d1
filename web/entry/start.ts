import { activateLanguage, isChoosingLanguage, readStoredLanguage } from '#web/i18n/i18n.ts'
import { pickLanguage } from '#web/i18n/language.ts'
import { loadPortalConfig } from '#web/portal-config.ts'
import { failuresAhead } from '#web/ui/background-loads.ts'
import { getButtonClass } from '#web/ui/button.tsx'
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

/**
 * Shown when the app cannot start because its own files could not be loaded. Its texts are here in
 * both languages, because the catalogues are among the missing files.
 */
export function showStartFailure(): void {
  const container = document.getElementById('root')
  if (container === null) return
  // A drawn login works without more code; other drawn pages do not.
  const isDrawnLogin = container.childElementCount > 0 && !container.hidden && document.documentElement.dataset['drawn'] === undefined
  if (isDrawnLogin) return
  delete document.documentElement.dataset['drawn']
  const main = document.createElement('main')
  main.className = 'mx-auto max-w-content p-4 md:p-8'
  main.append(
    createSentence('h1', 'en', 'This page could not be loaded'),
    createSentence('p', 'en', 'Check your internet connection and load the page again.'),
    createSentence('p', 'hi', 'यह पेज लोड नहीं हो सका। अपना इंटरनेट कनेक्शन जाँचें और पेज फिर खोलें।'),
    createReloadButton(),
  )
  // A hidden login that was drawn for a person who may be signed in.
  container.replaceChildren(main)
  container.hidden = false
}

/** The installed app has no button of the browser for this. */
function createReloadButton(): HTMLElement {
  const button = document.createElement('button')
  button.className = `${getButtonClass('primary', 'md', 'normal', false)} mt-4`
  button.append(createSentence('span', 'en', 'Load again'), ' / ', createSentence('span', 'hi', 'फिर से खोलें'))
  button.addEventListener('click', () => window.location.reload())
  return button
}

function createSentence(tag: 'h1' | 'p' | 'span', language: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.lang = language
  element.textContent = text
  return element
}
