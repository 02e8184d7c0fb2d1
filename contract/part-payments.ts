import * as z from 'zod/mini'
import { amount, amountText } from './amount.ts'
import { day } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/**
 * The loan after the payment. `emi_amount` applies from `emi_from` on; `next_due` is the first
 * instalment that the payment leaves unpaid.
 */
const outcome = z.object({
  emi_amount: amount,
  emi_from: z.optional(day),
  next_due: z.optional(z.object({ due_date: day, amount })),
  last_due_date: z.nullable(day),
  instalments_left: z.int(),
  total_interest: amount,
  interest_saved: amount,
  /** Principal left on the day of the payment and after each later instalment, for a chart. */
  balances: z.array(z.object({ date: day, amount })),
})
export type PartPaymentOutcome = z.output<typeof outcome>

/**
 * Both outcomes of a part payment made today, to the paisa. Paying it gives the same figures
 * (decision 23).
 */
export const previewPartPayment = endpoint({
  method: 'GET',
  path: '/portal/part-payment-preview',
  access: 'session',
  summary: 'Preview a part payment',
  query: z.object({ lan: identifier, amount: amountText }),
  response: z.object({ amount, as_of: day, unchanged: outcome, reduce_emi: outcome, reduce_tenor: outcome }),
  errors: ['NotFound', 'PaymentNotAllowed'],
})
