import * as z from 'zod/mini'
import { loanStatuses } from '#domain/loans.ts'
import { user } from './auth.ts'
import { endpoint } from './endpoint.ts'
import { plainText } from './text.ts'

/** A whole number in a query, within bounds. No exponent, sign or fraction. */
export const wholeNumber = (minimum: number, maximum: number, absent: number) =>
  z._default(
    z.codec(z.string().check(z.regex(/^[0-9]{1,9}$/, 'must be a whole number')), z.int().check(z.gte(minimum), z.lte(maximum)), {
      decode: Number,
      encode: String,
    }),
    absent,
  )

/** A borrower in the staff's list. */
const listedUser = z.extend(user, {
  /**
   * The loan most days past due; of equal ones an overdue before an active one, and a closed one
   * last. Null without a loan.
   */
  worst_loan: z.optional(z.nullable(z.object({ lan: z.string(), loan_status: z.enum(loanStatuses), dpd: z.int() }))),
  /** All loans of the borrower. */
  loan_count: z.optional(z.int()),
})
export type ListedUser = z.output<typeof listedUser>

/** The borrowers, by page, ordered by last name, first name and id (decision 30). */
export const listUsers = endpoint({
  method: 'GET',
  path: '/auth/users/all',
  access: 'session',
  summary: 'Find borrowers, as staff',
  query: z.object({
    page: wholeNumber(1, 1_000_000, 1),
    page_size: wholeNumber(1, 100, 10),
    search: z.optional(plainText(100)),
  }),
  response: z.object({
    users: z.array(listedUser),
    total_pages: z.int(),
    /** Borrowers on all pages; at most 1000 for a search. */
    total_items: z.optional(z.int()),
  }),
  errors: ['TooManyRequests'],
})
