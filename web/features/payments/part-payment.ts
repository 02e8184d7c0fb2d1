import { paise, type Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'

export type PartPaymentPurpose = Extract<PaymentPurpose, `PART_PAYMENT__${string}`>

/** What a part payment changes unless the borrower says otherwise (spec §5). */
export const defaultPartPaymentPurpose: PartPaymentPurpose = 'PART_PAYMENT__REDUCE_EMI'

export type AmountRange = { min: Paise; max: Paise }

export type AmountCheck =
  | { isValid: true; amount: Paise }
  | { isValid: false; problem: 'not_an_amount' | 'below_minimum' | 'above_maximum' }

/** The three rules of the amount modal (spec §5), in the order they are told. */
export function checkPartPaymentAmount(text: string, { min, max }: AmountRange): AmountCheck {
  const amount = parseRupees(text)
  if (amount === null || amount <= 0n) return { isValid: false, problem: 'not_an_amount' }
  if (amount < min) return { isValid: false, problem: 'below_minimum' }
  if (amount > max) return { isValid: false, problem: 'above_maximum' }
  return { isValid: true, amount }
}

/**
 * Rupees as people type and paste them: `₹ 12,34,567.50`, Devanagari digits too. Null when it is not an amount:
 * read as text, because `Number` takes `1e3`, `0x10` and the empty string for numbers.
 */
export function parseRupees(text: string): Paise | null {
  const plain = text
    .replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x0966))
    .replace(/^\s*(₹|rs\.?|inr)/i, '')
    .replace(/[\s,\u00a0]/g, '')
  const match = /^(\d{1,12})(?:\.(\d{0,2}))?$/.exec(plain)
  if (match === null) return null
  return paise(BigInt(match[1] ?? '') * 100n + BigInt((match[2] ?? '').padEnd(2, '0')))
}

/** The text an amount field starts with: digits as the borrower would type them. */
export function rupeesToType(amount: Paise): string {
  const rupees = String(amount / 100n)
  const rest = amount % 100n
  return rest === 0n ? rupees : `${rupees}.${String(rest).padStart(2, '0')}`
}
