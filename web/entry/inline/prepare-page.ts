import { pickLanguage } from '#web/i18n/language.ts'
import { readConfigOfPage } from '#web/portal-config.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'

/**
 * Shows a page that the server has rendered in the reader's language and theme; runs before the
 * first paint. @returns the element that holds it, and its language.
 */
export function preparePage(): { root: HTMLElement; language: string } {
  applyStoredTheme()
  const root = document.getElementById('root')!
  const config = readConfigOfPage()
  const language = pickLanguage({
    stored: readStored(storageKeys.language),
    browser: navigator.languages,
    defaultLanguage: config?.default_language ?? 'en',
    detect: config?.detect_language ?? true,
  })
  if (document.documentElement.lang !== language) {
    document.documentElement.lang = language
    const other = document.querySelector<HTMLTemplateElement>(`template[lang=${language}]`)
    if (other) root.replaceChildren(other.content)
  }
  return { root, language }
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
