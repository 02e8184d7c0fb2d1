import { toLatinDigits } from './latin-digits.ts'

/** The digits of a text alone, as Latin ones. */
const extractDigits = (text: string): string => toLatinDigits(text).replace(/\D/g, '')

/**
 * The ten digits of an Indian mobile number from typed or pasted text: '+91 98765-43210', '0 98765
 * 43210'. Removes the country code before cutting to ten digits, because a plain cut would give
 * another number. Without + or 00, '91' is a code only before ten more digits: numbers begin so
 * too.
 */
export function extractPhone(text: string): string {
  const digits = extractDigits(text)
  const isInternational = /^\s*\+/.test(text) || digits.startsWith('00')
  const national = digits.replace(isInternational ? /^(00)?91(?=\d)/ : /^91(?=\d{10})/, '')
  return national.replace(/^0+(?=\d{10})/, '').slice(0, 10)
}

/**
 * The code in a text of digits or a whole SMS: a separate group of `length` digits, else the first
 * digits.
 */
export function extractCode(text: string, length: number): string {
  const digits = extractDigits(text)
  if (digits.length <= length) return digits
  const alone = new RegExp(`(?<!\\d)\\d{${length}}(?!\\d)`).exec(toLatinDigits(text))
  return alone?.[0] ?? digits.slice(0, length)
}

/**
 * A typed amount: Latin digits and one point, at most two decimals, without grouping. A pasted
 * '1e3' is no amount, because neither 1000 nor 13 is certain.
 */
export function cleanAmount(text: string): string {
  const latin = toLatinDigits(text)
  if (/\de[+-]?\d/i.test(latin)) return ''
  const [whole = '', ...decimals] = latin.replace(/[^\d.]/g, '').split('.')
  const rupees = whole.replace(/^0+(?=\d)/, '').slice(0, 11)
  return decimals.length === 0 ? rupees : `${rupees || '0'}.${decimals.join('').slice(0, 2)}`
}
