import type { PartPaymentOutcome } from '#contract/part-payments.ts'
import { paise, type Paise } from '#domain/money.ts'
import type { PartPaymentPurpose } from '#web/loan/part-payment-entry.ts'
import { parseRupeesInput } from '#web/ui/format.ts'

/** The default effect of a part payment (spec §5). */
export const defaultPartPaymentPurpose: PartPaymentPurpose = 'PART_PAYMENT__REDUCE_EMI'

/** The loan after a part payment for this purpose. */
export const selectOutcome = (
  preview: { reduce_emi: PartPaymentOutcome; reduce_tenor: PartPaymentOutcome },
  purpose: PartPaymentPurpose,
): PartPaymentOutcome => (purpose === 'PART_PAYMENT__REDUCE_EMI' ? preview.reduce_emi : preview.reduce_tenor)

export type AmountRange = { min: Paise; max: Paise }

export type AmountCheck =
  | { isValid: true; amount: Paise }
  | { isValid: false; problem: 'not_an_amount' | 'below_minimum' | 'above_maximum' }

/** The three rules of the amount dialog (spec §5), in the order of their messages. */
export function checkPartPaymentAmount(text: string, { min, max }: AmountRange): AmountCheck {
  const amount = parseRupeesInput(text)
  if (amount === null || amount <= 0n) return { isValid: false, problem: 'not_an_amount' }
  if (amount < min) return { isValid: false, problem: 'below_minimum' }
  if (amount > max) return { isValid: false, problem: 'above_maximum' }
  return { isValid: true, amount }
}

/** Whole amounts that people think of, as far as they are allowed: one EMI, ₹50,000, ₹1 lakh. */
export function listSuggestions({ min, max }: AmountRange, emi: Paise): Paise[] {
  const amounts = [emi, paise(50_000_00n), paise(1_00_000_00n)]
  return amounts.filter((amount, index) => amount >= min && amount <= max && amounts.indexOf(amount) === index)
}
