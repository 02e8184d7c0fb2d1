import * as z from 'zod/mini'
import { amount, amountText } from './amount.ts'
import { day } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/** How the loan goes on; `emi_amount` from the next period on. */
const outcome = z.object({
  emi_amount: amount,
  last_due_date: z.nullable(day),
  instalments_left: z.int(),
  total_interest: amount,
  interest_saved: amount,
  /** The principal left on the day of the payment, and after each instalment to come: what a curve is drawn from. */
  balances: z.array(z.object({ date: day, amount })),
})
export type PartPaymentOutcome = z.output<typeof outcome>

/** What a part payment made today would do, both ways, to the paisa; paying it does exactly that (decision 23). */
export const previewPartPayment = endpoint({
  method: 'GET',
  path: '/portal/part-payment-preview',
  access: 'session',
  summary: 'What a part payment would do to the loan',
  query: z.object({ lan: identifier, amount: amountText }),
  response: z.object({ amount, as_of: day, unchanged: outcome, reduce_emi: outcome, reduce_tenor: outcome }),
  errors: ['NotFound', 'PaymentNotAllowed'],
})
