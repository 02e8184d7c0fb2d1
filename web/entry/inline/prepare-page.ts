import { pickLanguage, type Language } from '#web/i18n/language.ts'
import { readConfigOfPage } from '#web/portal-config.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'

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

/** Preloads chunks whose addresses the build has written into the page (tools/web-pages.ts). */
export function preload(...names: readonly string[]): void {
  for (const name of names) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)!.content
    document.head.append(link)
  }
}
