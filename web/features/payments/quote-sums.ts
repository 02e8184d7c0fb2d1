import type { PaymentPart } from '#contract/payments.ts'
import { paise, type Paise } from '#domain/money.ts'

/** A kind of part of an amount; principal is separated by whether it was due. */
export type QuoteLine = 'interest' | 'principal' | 'principal_ahead' | 'charges' | 'tax' | 'credit' | 'refund'

const order: readonly QuoteLine[] = ['principal', 'interest', 'charges', 'tax', 'principal_ahead', 'credit', 'refund']

export const getQuoteLine = ({ component, instalment_number }: PaymentPart): QuoteLine =>
  component === 'principal' && instalment_number === undefined ? 'principal_ahead' : component

/** The parts of an amount, summed by kind; the sums add up to the amount. */
export function sumQuote(parts: readonly PaymentPart[]): { line: QuoteLine; amount: Paise }[] {
  const sums = new Map<QuoteLine, bigint>()
  for (const part of parts) sums.set(getQuoteLine(part), (sums.get(getQuoteLine(part)) ?? 0n) + part.amount)
  return order.flatMap((line) => {
    const sum = sums.get(line)
    return sum === undefined ? [] : [{ line, amount: paise(sum) }]
  })
}
