import type { Paise } from '#domain/money.ts'
import type { PaymentPurpose } from '#domain/payments.ts'
import { parseRupees } from '#web/ui/parse-rupees.ts'

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
