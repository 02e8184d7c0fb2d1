import { showStartFailure } from '#web/entry/start-failure.ts'
import { pickLanguage, type Language } from '#web/i18n/language.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'
import { afterPaint } from '#web/ui/after-paint.ts'

/**
 * Shows what the server has rendered into a page in the reader's language and theme; runs before
 * the first paint. @returns the element that holds it, and its language.
 */
export function preparePage(): { root: HTMLElement; language: string } {
  applyStoredTheme()
  window.addEventListener('error', showFailureOfCode, true)
  const root = document.getElementById('root')!
  const language = pickReaderLanguage()
  if (document.documentElement.lang !== language) {
    document.documentElement.lang = language
    const other = document.querySelector<HTMLTemplateElement>(`template[lang=${language}]`)
    if (other) root.replaceChildren(other.content)
  }
  return { root, language }
}

/**
 * A drawn page does nothing without its code. If a file that its script imports cannot be loaded,
 * the script has an error. Scripts of others, such as the browser's extensions, do not matter.
 */
function showFailureOfCode({ target }: Event): void {
  if (target instanceof HTMLScriptElement && target.src.startsWith(`${window.location.origin}/assets/`)) showStartFailure()
}

/**
 * The server has written the lender's settings of it into `<html>`, which takes less time to read
 * than the settings of the page.
 */
export function pickReaderLanguage(): Language {
  const page = document.documentElement
  return pickLanguage({
    stored: readStored(storageKeys.language),
    browser: navigator.languages,
    defaultLanguage: page.lang,
    detect: !page.hasAttribute('data-fixed-language'),
  })
}

/**
 * Loads the page's code, which the build keeps in a template (tools/web-pages.ts), and its texts:
 * after the first paint, which each request before it delays on a cheap phone, or at once where
 * nothing is shown yet.
 */
export function loadCode(root: HTMLElement, ...texts: readonly string[]): void {
  const load = (): void => {
    preload(...texts)
    document.head.append(document.querySelector<HTMLTemplateElement>('#scripts')!.content)
  }
  if (root.hidden) load()
  else afterPaint(load)
}

/** Preloads chunks whose addresses the build has written into the page (tools/web-pages.ts). */
export function preload(...names: readonly string[]): void {
  for (const name of names) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)!.content
    document.head.append(link)
  }
}
