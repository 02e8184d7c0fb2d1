/**
 * What to look for: every word has to occur, wherever it does. A phone number counts as one word however it is written,
 * without the code of the country.
 */
export function searchOf(text: string): string[] {
  const phone = phoneIn(text)
  if (phone !== null) return [phone]
  return [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, wordsMax)
}

const wordsMax = 8

function phoneIn(text: string): string | null {
  if (!/^[\s()+.\-0-9]+$/.test(text)) return null
  const digits = text.replaceAll(/[^0-9]/g, '')
  if (digits.length < 4) return null
  return digits.length > 10 ? digits.replace(/^(0+|0*91(?=[0-9]{10}))/, '') : digits
}
