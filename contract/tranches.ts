import * as z from 'zod/mini'
import { dayInIndia, type Day } from '#domain/calendar.ts'
import { paise, paiseToRupees, type Paise } from '#domain/money.ts'
import { releaseStatuses, trancheStages, trancheStatuses } from '#domain/tranches.ts'
import { amount } from './amount.ts'
import { day, isUsableDate } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'
import { scheduleRow } from './loans.ts'

const rupeesMax = 1_000_000_000_000

/** Whole rupees, more than 0 (spec §5). */
const wholeRupees = z.codec(
  z.int('must be a whole number of rupees').check(z.gte(1, 'must be more than 0'), z.lte(rupeesMax)),
  z.custom<Paise>((value) => typeof value === 'bigint'),
  { decode: (rupees) => paise(BigInt(rupees) * 100n), encode: (value) => paiseToRupees(value) },
)

/** The same in a query, as text. */
const wholeRupeesText = z.codec(
  z.string().check(z.regex(/^[1-9][0-9]{0,11}$/, 'must be a whole number of rupees, more than 0')),
  z.custom<Paise>((value) => typeof value === 'bigint'),
  { decode: (rupees) => paise(BigInt(rupees) * 100n), encode: (value) => String(value / 100n) },
)

/**
 * A date, or the India day of an instant (decision 40): midnight in India is 18:30 UTC of the day
 * before.
 */
const dayOrInstant = z.codec(
  z.union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date, or an instant with its offset').check(isUsableDate),
  z.custom<Day>((value) => typeof value === 'string'),
  { decode: (text) => (text.length === 10 ? (text as Day) : dayInIndia(new Date(text))), encode: (value) => value },
)

export const tranche = z.object({
  tranche_amount: amount,
  status: z.enum(trancheStatuses),
  release_status: z.enum(releaseStatuses),
  /** The day of the payout if it was paid out, else the requested day. */
  date_of_disbursement: day,
  is_editable: z.boolean(),
  partner_tranche_id: z.string(),
  /**
   * Not in the specification: the meaning of the two statuses together, and the maximum for a
   * change.
   */
  stage: z.enum(trancheStages),
  max_amount: z.nullable(amount),
  /** Not in the specification: its place in the order of disbursals and requests, from 1. */
  number: z.optional(z.int()),
})
export type Tranche = z.output<typeof tranche>

/**
 * Tranches paid out and requested, oldest first, and whether another can be requested (decision
 * 40).
 */
export const readTranches = endpoint({
  method: 'GET',
  path: '/portal/tranche-details',
  access: 'session',
  summary: 'The tranches of a loan',
  query: z.object({ lan: identifier }),
  response: z.object({
    tranches: z.array(tranche),
    allow_create_tranche: z.boolean(),
    /**
     * Not in the specification: the maximum and the first and last day of a request. Before the
     * first disbursal the last day can be before the first: then no day is left.
     */
    max_tranche_amount: amount,
    earliest_date: day,
    latest_date: day,
  }),
  errors: ['NotFound'],
})

const refusals = [
  'NotFound',
  'LoanNotActive',
  'TrancheNotAllowed',
  'TranchePending',
  'TrancheAboveMaximum',
  'IdempotencyKeyReused',
  'RequestInProgress',
] as const

export const requestTranche = endpoint({
  method: 'POST',
  path: '/portal/tranche',
  idempotent: true,
  access: 'loan:update',
  summary: 'Request a tranche',
  body: z.object({ lead_id: identifier, lan: identifier, amount: wholeRupees, date: dayOrInstant }),
  response: tranche,
  errors: refusals,
})

/**
 * Changes a requested tranche. An approved one has to be approved again (decision 40), and cannot
 * be changed from its day on.
 */
export const changeTranche = endpoint({
  method: 'PATCH',
  path: '/portal/tranche',
  access: 'loan:update',
  summary: 'Change a tranche that is not paid out',
  body: z.object({
    lan: identifier,
    partner_tranche_id: identifier,
    amount: wholeRupees,
    /** Not in the specification: another day. Absent: unchanged. */
    date: z.optional(dayOrInstant),
  }),
  response: tranche,
  errors: ['NotFound', 'LoanNotActive', 'TrancheNotAllowed', 'TrancheNotEditable', 'TrancheAboveMaximum'],
})

const outcome = z.object({
  /** The equated instalment from the next period on. */
  emi_amount: amount,
  /**
   * The first row due after the day, which bears the tranche's first interest, and the row after
   * it.
   */
  next_row: z.nullable(scheduleRow),
  following_row: z.nullable(scheduleRow),
  last_due_date: z.nullable(day),
  instalments_left: z.int(),
  total_interest_amount: amount,
})
export type TrancheOutcome = z.output<typeof outcome>

/**
 * What a tranche paid out on a day changes in interest, EMI and dates, to the paisa. It does not
 * check whether the tranche can be requested.
 */
export const previewTranche = endpoint({
  method: 'GET',
  path: '/portal/tranche-preview',
  access: 'session',
  summary: 'Preview a tranche',
  query: z.object({ lan: identifier, amount: wholeRupeesText, date: dayOrInstant }),
  response: z.object({
    amount,
    date: day,
    unchanged: outcome,
    changed: outcome,
    /** The whole schedule with the tranche. */
    repayment_schedule: z.array(scheduleRow),
  }),
  errors: ['NotFound', 'LoanNotActive', 'TrancheNotAllowed', 'TrancheAboveMaximum'],
})
