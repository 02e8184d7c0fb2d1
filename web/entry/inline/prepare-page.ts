import { pickLanguage, type Language } from '#web/i18n/language.ts'
import { readConfigOfPage } from '#web/portal-config.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'
import { afterPaint } from '#web/ui/after-paint.ts'

/**
 * Shows what the server has rendered into a page in the reader's language and theme; runs before
 * the first paint. @returns the element that holds it, and its language.
 */
export function preparePage(): { root: HTMLElement; language: string } {
  applyStoredTheme()
  const root = document.getElementById('root')!
  const language = pickReaderLanguage()
  if (document.documentElement.lang !== language) {
    document.documentElement.lang = language
    const other = document.querySelector<HTMLTemplateElement>(`template[lang=${language}]`)
    if (other) root.replaceChildren(other.content)
  }
  return { root, language }
}

export function pickReaderLanguage(): Language {
  const config = readConfigOfPage()
  return pickLanguage({
    stored: readStored(storageKeys.language),
    browser: navigator.languages,
    defaultLanguage: config?.default_language ?? 'en',
    detect: config?.detect_language ?? true,
  })
}

/**
 * Loads the page's code, which the build keeps in a template (tools/web-pages.ts), and its texts:
 * after the first paint, because each request before it takes a cheap phone some milliseconds, or
 * at once where nothing is shown yet.
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
