export const languages = ['en', 'hi'] as const
export type Language = (typeof languages)[number]

const isLanguage = (value: unknown): value is Language => (languages as readonly unknown[]).includes(value)

/** How numbers, plurals and dates are written: India groups by lakh and crore. */
export const localeOf: Record<Language, string> = { en: 'en-IN', hi: 'hi-IN' }

/** The languages' own names, for the switch. */
export const languageNames: Record<Language, string> = { en: 'English', hi: 'हिन्दी' }

/**
 * The stored language, else the browser's first supported one if the lender allows detection, else
 * the lender's default. Unsupported values are ignored; the fallback is English.
 */
export function pickLanguage(from: {
  stored: string | null
  browser: readonly string[]
  defaultLanguage: string
  detect: boolean
}): Language {
  if (isLanguage(from.stored)) return from.stored
  if (from.detect) {
    const detected = from.browser.map((tag) => tag.toLowerCase().split('-')[0]).find(isLanguage)
    if (detected !== undefined) return detected
  }
  return isLanguage(from.defaultLanguage) ? from.defaultLanguage : 'en'
}
