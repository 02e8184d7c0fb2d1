import * as z from 'zod/mini'
import { resetChoices, resetStates } from '#domain/rate-resets.ts'
import { amount, amountText } from './amount.ts'
import { day } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'

/** The loan if everything is paid on its due date. */
const outcome = z.object({
  /** The EMI from the first due date after `effective_on`. */
  instalment: amount,
  instalments_left: z.int(),
  last_due_date: day,
  /** Of the whole loan, paid and unpaid. */
  total_interest: amount,
  /** Principal left today and after each later instalment, for a chart. */
  balances: z.array(z.object({ date: day, amount })),
})

const resetOption = z.extend(outcome, {
  option: z.enum(resetChoices),
  /** The EMI is more than a debit of the loan's mandate may be (`mandate_cap`). */
  exceeds_mandate_cap: z.boolean(),
  /** Only of `between`: the EMIs that can be chosen, in whole rupees. */
  instalment_min: z.optional(amount),
  instalment_max: z.optional(amount),
  /** Only of `part_payment`: what has to be paid today as a part payment that reduces the tenor. */
  amount: z.optional(amount),
})

/** A reset of the rate of a loan (RBI, 18 Aug 2023). */
const rateReset = z.object({
  id: z.string(),
  state: z.enum(resetStates),
  /** Percent a year, as `interest_rate`. */
  from: z.number(),
  to: z.number(),
  effective_on: day,
  /** The last day on which a choice can be made, or made again. */
  choose_until: day,
  /** What applies without a choice. `between`: the smallest EMI that is possible. */
  default: z.enum(resetChoices),
  default_instalment: amount,
  choice: z.nullable(z.enum(resetChoices)),
  /** The EMI that applies, by the choice or the default. */
  instalment: amount,
  last_due_date: day,
  /** The largest debit that the loan's mandate allows; null without a mandate. */
  mandate_cap: z.nullable(amount),
  /** Of the figures. A choice names it. Null if nothing can be chosen; then there is no option. */
  preview_hash: z.nullable(z.string()),
  /** The loan without the new rate; null with `preview_hash`. */
  unchanged: z.nullable(outcome),
  options: z.array(resetOption),
})
export type RateReset = z.output<typeof rateReset>

/** The resets of a loan's rate, the latest day first. Options are computed for now. */
export const readRateResets = endpoint({
  method: 'GET',
  path: '/portal/rate-resets',
  access: 'session',
  summary: 'The resets of the rate of a loan, and what can be chosen',
  query: z.object({
    application_id: identifier,
    /** The EMI of the option `between`, if it is within the bounds. Absent: the middle. */
    instalment: z.optional(amountText),
  }),
  response: z.object({ rate_resets: z.array(rateReset) }),
  errors: ['NotFound'],
})

/**
 * Chooses an option with the figures that the borrower has seen. What is chosen is what happens.
 * The same choice again answers the same; another choice replaces it until `choose_until`.
 */
export const chooseRateReset = endpoint({
  method: 'POST',
  path: '/portal/rate-resets/:id/choice',
  access: 'loan:update',
  summary: 'Choose what a new rate changes',
  params: z.object({ id: identifier }),
  body: z.object({
    option: z.enum(resetChoices),
    /** The EMI of `between`; ignored for other options. */
    instalment: z.optional(amount),
    preview_hash: z.string().check(z.maxLength(100)),
  }),
  response: z.object({ rate_reset: rateReset }),
  errors: ['NotFound', 'RateResetClosed', 'RateResetStale', 'RateResetNotAllowed'],
})
