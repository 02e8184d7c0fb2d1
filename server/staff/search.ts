/**
 * Parses a search into words, all of which must occur. A phone number in any format is one word,
 * without the country code.
 */
export function parseSearch(text: string): string[] {
  const phone = parsePhone(text)
  if (phone !== null) return [phone]
  return [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, wordsMax)
}

const wordsMax = 8

function parsePhone(text: string): string | null {
  if (!/^[\s()+.\-0-9]+$/.test(text)) return null
  const digits = text.replaceAll(/[^0-9]/g, '')
  if (digits.length < 4) return null
  // A number of zeros alone becomes empty.
  return (digits.length > 10 ? digits.replace(/^(0+|0*91(?=[0-9]{10}))/, '') : digits) || null
}
