import * as z from 'zod/mini'
import { amount } from '#contract/amount.ts'
import type { LoanTerms } from '#domain/loans.ts'
import { rupeesToPaise, zeroPaise } from '#domain/money.ts'
import { percentToPpb, ppbToPercent } from '#domain/rates.ts'

/** A rate or share in percent with at most seven decimals; parts per billion in the code. */
const percent = z.codec(z.number().check(z.gte(0), z.lte(100)), z.number(), {
  decode: percentToPpb,
  encode: ppbToPercent,
})

/**
 * The terms of a product version that decide the figures of its loans, and whether their rates are
 * reset. product-terms.ts has all terms.
 */
export const calculationTerms = z.object({
  /** Earlier products have none: their rates are not reset. */
  rate: z.optional(z.object({ type: z.enum(['fixed', 'floating']) })),
  interest: z.enum(['monthly', 'actual_365']),
  instalment_rounding: z.enum(['rupee_half_even', 'rupee_up', 'paisa_half_even', 'paisa_up']),
  allocation: z.enum(['instalments_first', 'charges_first']),
  late_charge: z.nullable(z.object({ grace_days: z.int(), amount })),
  prepayment_charge: z.nullable(z.object({ percent, tax_percent: percent })),
  part_payment_minimum: z.nullable(amount),
  /** The most of one payment link (decision 9). */
  link_maximum: z._default(amount, rupeesToPaise(500_000)),
  /** The largest waiver after a short foreclosure (decision 54); absent: none. */
  foreclosure_waive_maximum: z.optional(amount),
})

/** The product's part of a loan's terms. */
export function toLoanTerms(
  product: z.output<typeof calculationTerms>,
): Pick<
  LoanTerms,
  | 'isFloating'
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
    ...(product.rate?.type === 'floating' && { isFloating: true }),
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
