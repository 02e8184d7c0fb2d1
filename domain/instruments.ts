/**
 * What a payment was made with, as much of it as its owner needs to know it again: `Visa XXXX 1111`, `suXXXX@okbank`, a bank's or a
 * wallet's name as it is.
 */
export function maskedInstrument(instrument: string): string {
  const at = instrument.lastIndexOf('@')
  if (at > 0) return `${instrument.slice(0, Math.min(2, at - 1))}XXXX${instrument.slice(at)}`
  const card = /^(.+) (\d{4})$/.exec(instrument)
  return card ? `${card[1]} XXXX ${card[2]}` : instrument
}
