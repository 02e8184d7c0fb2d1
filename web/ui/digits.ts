/** The digits of a text, as Latin ones: a Hindi keyboard types ०–९ (U+0966 on). */
export const latinDigits = (text: string): string =>
  text.replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x0966)).replace(/\D/g, '')

/**
 * The ten digits of an Indian mobile number, out of whatever was typed or pasted: '+91 98765-43210', '0 98765 43210'.
 * The country code goes before the cut to ten; a plain cut would make another number of it.
 */
export function phoneDigits(text: string): string {
  let digits = latinDigits(text)
  if (/^\s*(\+|00)/.test(text) || digits.length > 10) digits = digits.replace(/^(00)?91(?=\d)/, '').replace(/^0+(?=\d{10})/, '')
  return digits.slice(0, 10)
}

/** The code in a text of digits or a whole SMS: a lone group of `length` digits, else the first digits there are. */
export function codeDigits(text: string, length: number): string {
  const digits = latinDigits(text)
  if (digits.length <= length) return digits
  const latin = text.replace(/[०-९]/g, (digit) => latinDigits(digit))
  const alone = new RegExp(`(?<!\\d)\\d{${length}}(?!\\d)`).exec(latin)
  return alone?.[0] ?? digits.slice(0, length)
}

/**
 * An amount as typed: Latin digits and one point, at most two decimals, without grouping. Never a number: a pasted '1e3' is no
 * amount at all, for neither 1000 nor 13 is surely what was meant.
 */
export function amountText(text: string): string {
  const latin = text.replace(/[०-९]/g, (digit) => latinDigits(digit))
  if (/\de[+-]?\d/i.test(latin)) return ''
  const [whole = '', ...decimals] = latin.replace(/[^\d.]/g, '').split('.')
  const rupees = whole.replace(/^0+(?=\d)/, '').slice(0, 11)
  return decimals.length === 0 ? rupees : `${rupees || '0'}.${decimals.join('').slice(0, 2)}`
}
