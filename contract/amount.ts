import * as z from 'zod/mini'
import { paiseToRupees, paiseToRupeesText, rupeesToPaise, type Paise } from '#domain/money.ts'

/**
 * The largest amount that a JSON number holds in exact paise: ₹1,00,00,00,00,00,000 (a lakh crore).
 */
export const rupeesMax = 10_000_000_000_000

/**
 * Rupees in JSON with at most two decimals, whole paise in the code (decision 1). An amount without
 * this schema is converted by `rupeesToPaise` and `paiseToRupees` (domain/money.ts).
 */
export const amount = z.codec(
  z.number().check(z.gte(0), z.lte(rupeesMax), z.refine(hasWholePaise, 'must have at most two decimals')),
  z.custom<Paise>((value) => typeof value === 'bigint'),
  {
    decode: (rupees) => rupeesToPaise(rupees),
    encode: (value) => paiseToRupees(value),
  },
)

function hasWholePaise(rupees: number): boolean {
  return Math.round(rupees * 100) / 100 === rupees
}

/** The same in a query, as text. */
export const amountText = z.codec(
  z.string().check(z.regex(/^[0-9]{1,12}(\.[0-9]{1,2})?$/, 'must be rupees with at most two decimals')),
  z.custom<Paise>((value) => typeof value === 'bigint'),
  { decode: (text) => rupeesToPaise(text), encode: (value) => paiseToRupeesText(value) },
)
