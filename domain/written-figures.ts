import { dayInIndia, startOfDayInIndiaMs, type Day } from '#domain/calendar.ts'
import { paiseToRupeesText, type Paise } from '#domain/money.ts'
import type { DocumentLanguage } from '#domain/documents.ts'

const grouped = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/**
 * `1,23,456.50`: grouped by lakh, always with paise, so that amounts align. Exact, because the
 * input is the decimal text.
 */
export const groupedRupees = (amount: Paise): string => grouped.format(paiseToRupeesText(amount) as unknown as number)

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

/** `05 Dec 2026, 14:07 IST`, `05 दिसंबर 2026, 14:07 बजे (भारतीय समय)`. */
export function instantText(instant: Date, language: DocumentLanguage): string {
  const day = dayInIndia(instant)
  const minutes = Math.floor((instant.getTime() - startOfDayInIndiaMs(day)) / 60_000)
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return `${dayText(day, language)}, ${clock} ${language === 'hi' ? 'बजे (भारतीय समय)' : 'IST'}`
}

/** `Dec 2026` for a day in that month. */
export const monthText = (day: Day, language: DocumentLanguage): string => dayText(day, language).slice(3)

/** `11.25 %` for parts per billion. */
export const percentText = (ratePpb: number): string => `${String(Math.round(ratePpb / 100_000) / 100)} %`
