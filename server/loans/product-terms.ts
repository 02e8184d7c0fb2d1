import * as z from 'zod/mini'
import { amount } from '#contract/amount.ts'
import type { LoanTerms } from '#domain/loans.ts'
import { zeroPaise } from '#domain/money.ts'

/** A yearly rate or a share as percent with at most seven decimals; parts per billion in the code. */
const percent = z.codec(z.number().check(z.gte(0), z.lte(100)), z.number(), {
  decode: (value) => Math.round(value * 10_000_000),
  encode: (value) => value / 10_000_000,
})

/** What a product version decides for every loan sanctioned under it (decision 50), as it stands in `loan_products.terms`. */
export const productTerms = z.object({
  name: z.string(),
  rate_type: z.enum(['fixed', 'floating']),
  interest: z.enum(['monthly', 'actual_365']),
  instalment_rounding: z.enum(['rupee_half_even', 'rupee_up', 'paisa_half_even', 'paisa_up']),
  allocation: z.enum(['instalments_first', 'charges_first']),
  late_charge: z.nullable(z.object({ grace_days: z.int(), amount })),
  prepayment_charge: z.nullable(z.object({ percent, tax_percent: percent })),
  part_payment_minimum: z.nullable(amount),
  link_maximum: amount,
  /** The most that may be written off after a foreclosure that fell short (decision 54); absent: nothing. */
  foreclosure_waive_maximum: z.optional(amount),
})
export type ProductTerms = z.output<typeof productTerms>

/**
 * Why no loan may be sanctioned under terms, in words for an operator; null where one may. A floating-rate loan to an individual,
 * sanctioned from 1 January 2026, bears no prepayment charge (decision 24).
 */
export const productFault = ({ rate_type, prepayment_charge }: ProductTerms): string | null =>
  rate_type === 'floating' && prepayment_charge !== null
    ? 'a floating-rate loan to an individual may bear no prepayment charge: set prepayment_charge to null'
    : null

/** The product's part of a loan's terms. */
export function termsOfProduct(
  product: ProductTerms,
): Pick<
  LoanTerms,
  | 'interest'
  | 'instalmentRounding'
  | 'allocation'
  | 'lateCharge'
  | 'prepaymentCharge'
  | 'partPaymentMinimumPaise'
  | 'linkMaximumPaise'
  | 'foreclosureWaiveMaximumPaise'
> {
  return {
    interest: product.interest,
    instalmentRounding: product.instalment_rounding,
    allocation: product.allocation,
    lateCharge: product.late_charge && { graceDays: product.late_charge.grace_days, amountPaise: product.late_charge.amount },
    prepaymentCharge: product.prepayment_charge && {
      ratePpb: product.prepayment_charge.percent,
      taxRatePpb: product.prepayment_charge.tax_percent,
    },
    partPaymentMinimumPaise: product.part_payment_minimum,
    linkMaximumPaise: product.link_maximum,
    foreclosureWaiveMaximumPaise: product.foreclosure_waive_maximum ?? zeroPaise,
  }
}
