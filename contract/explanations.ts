import * as z from 'zod/mini'
import { amount } from './amount.ts'
import { day } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/**
 * One step of an explanation. The step decides which fields are present. The amounts of steps with
 * `adds: true` sum to the figure.
 */
const explanationStep = z.object({
  step: z.enum(['interest', 'interest_set_right', 'principal', 'instalment', 'row', 'charge', 'received', 'oldest_unpaid', 'credit']),
  adds: z.boolean(),
  amount: z.optional(amount),
  /** True if the amount is subtracted. */
  is_negative: z.optional(z.boolean()),
  from: z.optional(day),
  to: z.optional(day),
  date: z.optional(day),
  due_date: z.optional(day),
  days: z.optional(z.int()),
  month_days: z.optional(z.nullable(z.int())),
  /** Of an EMI: computed with a twelfth of the yearly rate, or with 30 days of 365. */
  basis: z.optional(z.enum(['whole_month', 'part_of_month', 'days_of_year'])),
  balance: z.optional(amount),
  /** Percent a year. */
  interest_rate: z.optional(z.number()),
  instalments: z.optional(z.int()),
  rounding: z.optional(z.string()),
  is_fixed: z.optional(z.boolean()),
  /** True if the EMI was given with a change of the rate. */
  is_given: z.optional(z.boolean()),
  number: z.optional(z.int()),
  charge_type: z.optional(z.string()),
  component: z.optional(z.string()),
  why: z.optional(z.enum(['rest_of_instalment', 'last_row', 'interest_only', 'changed', 'not_due'])),
})
export type ExplanationStep = z.output<typeof explanationStep>

/** The ordered steps that lead to a figure of the loan. */
export const explainFigure = endpoint({
  method: 'GET',
  path: '/portal/explain',
  access: 'session',
  summary: 'How a figure of a loan is computed',
  query: z.object({
    lan: identifier,
    what: z
      .string()
      .check(z.regex(/^(dues|dpd|instalment|foreclosure|row:[1-9][0-9]{0,2})$/, 'must be dues, dpd, instalment, foreclosure or row:N')),
  }),
  response: z.object({
    what: z.string(),
    amount: z.nullable(amount),
    days: z.nullable(z.int()),
    as_of: day,
    steps: z.array(explanationStep),
  }),
  errors: ['NotFound'],
})
