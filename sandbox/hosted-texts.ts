import { EN, type TextKey } from './hosted-texts-en.ts'
import { HI } from './hosted-texts-hi.ts'

export type { TextKey }

export type Lang = 'en' | 'hi'

/** A text in a language with its placeholders filled in. */
export type Say = (key: TextKey, blanks?: Readonly<Record<string, string>>) => string

export function sayIn(lang: Lang): Say {
  const table = lang === 'hi' ? HI : EN
  return (key, blanks = {}) => table[key].replace(/\{(\w+)\}/g, (blank, name: string) => blanks[name] ?? blank)
}

/** Paise as rupees with Indian grouping; paise are shown only when there are any. */
export function rupees(paise: number): string {
  const digits = paise % 100 === 0 ? 0 : 2
  const format = new Intl.NumberFormat('en-IN', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return `₹${format.format(paise / 100)}`
}

/** Unix seconds as an Indian date and time: 05 Dec 2026, 5:30 pm. */
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
