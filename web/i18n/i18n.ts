import { i18n, type Messages } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { type Language, localeOf } from './language.ts'

export { i18n }

/** Each area's texts in each language, loaded when a route needs them. */
const catalogues = import.meta.glob<{ messages: Messages }>('../locales/*/*.po')

const requestedAreas = new Set<string>()

async function readArea(area: string, language: Language): Promise<Messages> {
  const read = catalogues[`../locales/${area}/${language}.po`]
  if (read === undefined) throw new Error(`No catalogue for ${area} in ${language}`)
  return (await read()).messages
}

/** The texts of some areas in a language. */
export async function readAreas(areas: Iterable<string>, language: Language): Promise<Messages> {
  // Waits for all, also when one has failed: nothing continues after the choice has ended.
  const read = await Promise.allSettled([...areas].map((area) => readArea(area, language)))
  return Object.assign(
    {},
    ...read.map((area) => {
      if (area.status === 'rejected') throw area.reason
      return area.value
    }),
  )
}

/**
 * Loads the texts of areas (folders of web/locales) in the current language; route loaders call it.
 */
export async function loadAreas(...areas: string[]): Promise<void> {
  const missing = areas.filter((area) => !requestedAreas.has(area))
  if (missing.length === 0) return
  const language = i18n.locale as Language
  const messages = await readAreas(missing, language)
  for (const area of missing) requestedAreas.add(area)
  // Not `i18n.load`, which renders the whole page again: only parts not shown yet have these texts.
  if (i18n.locale === language) Object.assign(i18n.messages, messages)
  // The language has changed while the texts were loading.
  else await activateLanguage(i18n.locale as Language)
}

/** The texts of every area requested until they are loaded. */
async function readRequestedAreas(language: Language): Promise<Messages> {
  const areas = [...requestedAreas]
  const messages = await readAreas(areas, language)
  return areas.length === requestedAreas.size ? messages : readRequestedAreas(language)
}

/** Shows the app in a language, with its texts for every loaded area, and sets `<html lang>`. */
export async function activateLanguage(language: Language): Promise<void> {
  showLanguage(language, await readRequestedAreas(language))
}

function showLanguage(language: Language, messages: Messages): void {
  i18n.loadAndActivate({ locale: language, locales: localeOf[language], messages })
  document.documentElement.lang = language
  // The installed app is named in this language.
  document.querySelector('link[rel=manifest]')?.setAttribute('href', `/manifest.webmanifest?language=${language}`)
}

let choices = 0
let pendingChoices = 0

/**
 * While a chosen language is loading, the language switch reports missing texts; the page and its
 * input stay.
 */
export const isChoosingLanguage = (): boolean => pendingChoices > 0

/**
 * Switches to the reader's language as soon as its texts are loaded, and stores it then. A later
 * choice replaces one that is still loading. @returns false if the texts could not be loaded; the
 * shown and the stored language stay.
 */
export async function chooseLanguage(language: Language): Promise<boolean> {
  choices += 1
  const choice = choices
  pendingChoices += 1
  let messages: Messages
  try {
    messages = await readRequestedAreas(language)
  } catch {
    return choice !== choices
  } finally {
    pendingChoices -= 1
  }
  if (choice !== choices) return true
  showLanguage(language, messages)
  writeStored(storageKeys.language, language)
  return true
}

export const readStoredLanguage = (): string | null => readStored(storageKeys.language)

/** The language on screen; the component renders again when it changes. */
export const useLanguage = (): Language => useLingui().i18n.locale as Language
