import { i18n, type Messages } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { readStored, storageKeys, writeStored } from '#web/storage.ts'
import { type Language, localeOf } from './language.ts'

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
  // Each is awaited, also when another has failed: nothing of the choice goes on after its end.
  const read = await Promise.allSettled([...areas].map((area) => readArea(area, language)))
  return Object.assign(
    {},
    ...read.map((area) => {
      if (area.status === 'rejected') throw area.reason
      return area.value
    }),
  )
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

/** The words of every area that is wanted by the time they are here. */
async function readWanted(language: Language): Promise<Messages> {
  const areas = [...wantedAreas]
  const messages = await readAreas(areas, language)
  return areas.length === wantedAreas.size ? messages : readWanted(language)
}

/** Shows the app in a language: its words for every area loaded so far, and `<html lang>`. */
export async function activateLanguage(language: Language): Promise<void> {
  show(language, await readWanted(language))
}

function show(language: Language, messages: Messages): void {
  i18n.loadAndActivate({ locale: language, locales: localeOf[language], messages })
  document.documentElement.lang = language
  // Who installs the portal now gets it by its name in this language.
  document.querySelector('link[rel=manifest]')?.setAttribute('href', `/manifest.webmanifest?language=${language}`)
}

let choices = 0
let underWay = 0

/** While a chosen language is on its way: words that do not come are told at the switch; the page, and what was typed into it, stays. */
export const isChoosingLanguage = (): boolean => underWay > 0

/**
 * The reader's own choice: shown as soon as its words are here, and remembered then. A later choice takes the place of one whose words
 * are still on their way.
 *
 * @returns false when the words could not be loaded; the language shown and the one remembered stay.
 */
export async function chooseLanguage(language: Language): Promise<boolean> {
  choices += 1
  const choice = choices
  underWay += 1
  let messages: Messages
  try {
    messages = await readWanted(language)
  } catch {
    return choice !== choices
  } finally {
    underWay -= 1
  }
  if (choice !== choices) return true
  show(language, messages)
  writeStored(storageKeys.language, language)
  return true
}

export const storedLanguage = (): string | null => readStored(storageKeys.language)

/** The language on screen; the component renders again when it changes. */
export const useLanguage = (): Language => useLingui().i18n.locale as Language
