import type { Notes } from './entities.ts'
import { englishTexts, type TextKey } from './hosted-texts-en.ts'
import { hindiTexts } from './hosted-texts-hi.ts'
import type { HttpRequest } from './http.ts'

export type { TextKey }

export type Lang = 'en' | 'hi'

/** The note with the language of the page. The real provider has no such note. */
const languageNote = 'kist_language'

/** The language that the page was asked for, else the one of the link's note. */
export function languageOf(request: HttpRequest, form: URLSearchParams, notes: Notes | null | undefined): Lang {
  return (form.get('lang') ?? request.query.get('lang') ?? notes?.[languageNote]) === 'hi' ? 'hi' : 'en'
}

/** Returns a text in one language, with its placeholders filled in. */
export type TextFunction = (key: TextKey, values?: Readonly<Record<string, string>>) => string

export function textsIn(lang: Lang): TextFunction {
  const texts = lang === 'hi' ? hindiTexts : englishTexts
  return (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

/** Formats paise as rupees with Indian digit grouping. Whole rupees have no decimals. */
export function rupees(paise: number): string {
  const digits = paise % 100 === 0 ? 0 : 2
  const format = new Intl.NumberFormat('en-IN', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return `₹${format.format(paise / 100)}`
}

/** Formats Unix seconds as a date and time in India: 05 Dec 2026, 5:30 pm. */
export function indianTime(lang: Lang, seconds: number): string {
  return new Intl.DateTimeFormat(`${lang}-IN-u-nu-latn`, {
    timeZone: 'Asia/Kolkata',
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(seconds * 1000)
}
