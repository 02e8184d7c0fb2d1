import { dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { DocumentLanguage } from '#domain/documents.ts'
import type { RatePpb } from '#domain/loans.ts'
import { ppbToPercent } from '#domain/rates.ts'
import { minuteMs } from './durations.ts'

// Intl formats the same, but takes a cheap phone 80 ms to start.

/** `12,34,567`: whole rupees in Latin digits, grouped by thousand, lakh and crore. */
export const groupDigits = (digits: string): string => digits.replace(/\B(?=(?:\d\d)*\d{3}$)/g, ',')

/** `1,23,456.50`: always with paise, so that amounts align. */
export function groupedRupees(amount: Paise): string {
  const text = paiseToRupeesText(amount)
  return groupDigits(text.slice(0, -3)) + text.slice(-3)
}

/** `₹1,23,456.50`. A deduction has a minus sign. */
export const rupees = (amount: Paise): string => (amount < 0n ? `−₹${groupedRupees(-amount as Paise)}` : `₹${groupedRupees(amount)}`)

/** Like {@link rupees}, but empty for zero: for table cells. */
export const rupeesOrBlank = (amount: Paise): string => (amount === 0n ? '' : rupees(amount))

const months: Readonly<Record<DocumentLanguage, readonly string[]>> = {
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  hi: ['जनवरी', 'फ़रवरी', 'मार्च', 'अप्रैल', 'मई', 'जून', 'जुलाई', 'अगस्त', 'सितंबर', 'अक्टूबर', 'नवंबर', 'दिसंबर'],
}

/** `05 Dec 2026`, `05 दिसंबर 2026`: Latin digits in both languages (decision 19). */
export const dayText = (day: Day, language: DocumentLanguage): string =>
  `${day.slice(8)} ${months[language][Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`

/** `14:07` in India. */
export function clockText(instant: Date): string {
  const minutes = Math.floor((instant.getTime() - startOfDayInIndiaMs(dayInIndia(instant))) / minuteMs)
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/** `05 Dec 2026, 14:07 IST`, `05 दिसंबर 2026, 14:07 बजे (भारतीय समय)`. */
export const instantText = (instant: Date, language: DocumentLanguage): string =>
  `${dayText(dayInIndia(instant), language)}, ${clockText(instant)} ${language === 'hi' ? 'बजे (भारतीय समय)' : 'IST'}`

/** `Dec 2026` for a day in that month. */
export const monthText = (day: Day, language: DocumentLanguage): string => dayText(day, language).slice(3)

/** `11.25%` for parts per billion: all decimals, so that interest can be computed from it. */
export const percentText = (ratePpb: RatePpb): string => `${ppbToPercent(ratePpb)}%`
