import { paise, type Paise } from '#domain/money.ts'

/** What an AmountField holds, as money; null when it is not an amount. Read as text: a float would lose paise. */
export function parseRupees(text: string): Paise | null {
  const match = /^(\d{1,11})(?:\.(\d{0,2}))?$/.exec(text)
  if (match === null) return null
  return paise(BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0')))
}

/** Money as an AmountField holds it: '25019', '25019.50'. */
export function rupeesText(amount: Paise): string {
  const fraction = amount % 100n
  return fraction === 0n ? String(amount / 100n) : `${amount / 100n}.${String(fraction).padStart(2, '0')}`
}
