/**
 * The instrument of a payment, masked so that only its owner recognises it: `Visa XXXX 1111`,
 * `suXXXX@okbank`. The name of a bank or wallet stays.
 */
export function maskedInstrument(instrument: string): string {
  const at = instrument.lastIndexOf('@')
  if (at > 0) return `${instrument.slice(0, Math.min(2, at - 1))}XXXX${instrument.slice(at)}`
  const card = /^(.+) (\d{4})$/.exec(instrument)
  return card ? `${card[1]} XXXX ${card[2]}` : instrument
}
