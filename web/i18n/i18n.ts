import { i18n, type Messages } from '@lingui/core'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import type { Language } from './language.ts'

export { i18n }

/** Each area's words in each language, loaded when a route needs them. */
const catalogues = import.meta.glob<{ messages: Messages }>('../locales/*/*.po')

const wantedAreas = new Set<string>()

async function readArea(area: string, language: Language): Promise<Messages> {
  const read = catalogues[`../locales/${area}/${language}.po`]
  if (read === undefined) throw new Error(`No catalogue for ${area} in ${language}`)
  return (await read()).messages
}

/** The words of some areas in a language. */
export async function readAreas(areas: Iterable<string>, language: Language): Promise<Messages> {
  const read = await Promise.all([...areas].map((area) => readArea(area, language)))
  return Object.assign({}, ...read)
}

/** Loads the words of these areas (folders of web/locales) in the language shown; route loaders call it. */
export async function loadAreas(...areas: string[]): Promise<void> {
  const missing = areas.filter((area) => !wantedAreas.has(area))
  if (missing.length === 0) return
  const language = i18n.locale as Language
  i18n.load(language, await readAreas(missing, language))
  for (const area of missing) wantedAreas.add(area)
  // The reader may have switched while the words were on their way.
  if (i18n.locale !== language) await activateLanguage(i18n.locale as Language)
}

/** Shows the app in a language: its words for every area loaded so far, and `<html lang>`. */
export async function activateLanguage(language: Language): Promise<void> {
  const messages = await readAreas(wantedAreas, language)
  i18n.loadAndActivate({ locale: language, messages })
  document.documentElement.lang = language
  // Who installs the portal now gets it by its name in this language.
  document.querySelector('link[rel=manifest]')?.setAttribute('href', `/manifest.webmanifest?language=${language}`)
}

/** The reader's own choice: shown at once and remembered. */
export async function chooseLanguage(language: Language): Promise<void> {
  writeStored(storageKeys.language, language)
  await activateLanguage(language)
}

export const storedLanguage = (): string | null => readStored(storageKeys.language)
