import { type Day, dayInIndia } from '#domain/calendar.ts'
import { type Paise, paise } from '#domain/money.ts'
import { clockText, dayText, groupDigits, monthText } from '#domain/written-figures.ts'
import type { Language } from '#web/i18n/language.ts'

/** The parts of a money amount: '−' or '', '1,23,456', and the paise only if they are not zero. */
export function splitMoney(amount: Paise): { sign: string; whole: string; fraction: string } {
  const size = amount < 0n ? -amount : amount
  const paise = size % 100n
  return {
    sign: amount < 0n ? '−' : '',
    whole: groupDigits(String(size / 100n)),
    fraction: paise === 0n ? '' : `.${String(paise).padStart(2, '0')}`,
  }
}

/** '₹1,23,456.50' within a sentence; elsewhere use <Money>. */
export function formatMoney(amount: Paise): string {
  const { sign, whole, fraction } = splitMoney(amount)
  return `${sign}₹${whole}${fraction}`
}

/** '1,00,000': a count, grouped as amounts are. */
export const formatCount = (count: number): string => groupDigits(String(count))

/** '05 Dec 2026' / '05 दिसंबर 2026'. */
export const formatDay: (day: Day, language: Language) => string = dayText

/** 'Dec 2026' / 'दिसंबर 2026', for the ends of an axis. */
export const formatMonth: (day: Day, language: Language) => string = monthText

/** 'December 2026' / 'दिसंबर 2026', above a calendar. */
export const formatMonthLong = (day: Day, language: Language): string =>
  `${new Date(day).toLocaleDateString(`${language}-IN`, { month: 'long', timeZone: 'UTC' })} ${day.slice(0, 4)}`

/** Sunday first, as in Indian calendars. */
export const weekdays: Record<Language, readonly { short: string; long: string }[]> = {
  en: [
    { short: 'Sun', long: 'Sunday' },
    { short: 'Mon', long: 'Monday' },
    { short: 'Tue', long: 'Tuesday' },
    { short: 'Wed', long: 'Wednesday' },
    { short: 'Thu', long: 'Thursday' },
    { short: 'Fri', long: 'Friday' },
    { short: 'Sat', long: 'Saturday' },
  ],
  hi: [
    { short: 'रवि', long: 'रविवार' },
    { short: 'सोम', long: 'सोमवार' },
    { short: 'मंगल', long: 'मंगलवार' },
    { short: 'बुध', long: 'बुधवार' },
    { short: 'गुरु', long: 'गुरुवार' },
    { short: 'शुक्र', long: 'शुक्रवार' },
    { short: 'शनि', long: 'शनिवार' },
  ],
}

/** '684 kB', '1.2 MB', counted as the upload limit is: 10 MB are 10 × 1024 × 1024 bytes. */
export function formatBytes(bytes: number): string {
  const kilobytes = Math.max(1, Math.round(bytes / 1024))
  return kilobytes < 1000 ? `${kilobytes} kB` : `${(bytes / 1_048_576).toFixed(1).replace('.0', '')} MB`
}

/** '9:05 am' / 'सुबह 9:05'. */
export function formatTime(instant: Date, language: Language): string {
  const [hours = '', minutes = ''] = clockText(instant).split(':')
  const hour = Number(hours)
  const clock = `${hour % 12 || 12}:${minutes}`
  return language === 'en' ? `${clock} ${hour < 12 ? 'am' : 'pm'}` : `${getHindiPartOfDay(hour)} ${clock}`
}

/** '05 Nov 2026, 9:12 am' / '05 नवंबर 2026, सुबह 9:12'. */
export const formatInstant = (instant: Date, language: Language): string =>
  `${formatDay(dayInIndia(instant), language)}, ${formatTime(instant, language)}`

function getHindiPartOfDay(hour: number): string {
  if (hour >= 4 && hour < 12) return 'सुबह'
  if (hour >= 12 && hour < 16) return 'दोपहर'
  if (hour >= 16 && hour < 20) return 'शाम'
  return 'रात'
}

/** '+91 98765 43210' from a stored number; anything else unchanged. */
export function formatPhone(phone: string): string {
  const match = /^(\+\d{1,3})(\d{5})(\d{5})$/.exec(phone)
  return match ? `${match[1]} ${match[2]} ${match[3]}` : phone
}

/**
 * The amount in an AmountField; null if it is not one. Parsed as text: a float would lose paise.
 */
export function parseRupeesInput(text: string): Paise | null {
  const match = /^(\d{1,11})(?:\.(\d{0,2}))?$/.exec(text)
  if (match === null) return null
  return paise(BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0')))
}

/** An amount as an AmountField holds it: '25019', '25019.50'. */
export function formatRupeesInput(amount: Paise): string {
  const fraction = amount % 100n
  return fraction === 0n ? String(amount / 100n) : `${amount / 100n}.${String(fraction).padStart(2, '0')}`
}

/** A code without its own text, written as words: 'LEGAL_NOTICE_FEE' is 'legal notice fee'. */
export const formatCode = (code: string): string =>
  code
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== '')
    .join(' ')
    .toLowerCase()
