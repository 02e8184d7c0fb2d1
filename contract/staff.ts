import * as z from 'zod/mini'
import { loanStatuses } from '#domain/loans.ts'
import { user } from './auth.ts'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'
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

/** The signed-in user; for staff also a borrower. */
export const readUser = endpoint({
  method: 'GET',
  path: '/auth/users/:user_id',
  access: 'session',
  summary: 'One user',
  params: z.object({ user_id: identifier }),
  response: z.object({ user }),
  errors: ['NotFound'],
})

/** Acts as a borrower for half an hour at most (decisions 16, 31). The borrower can see it. */
export const assume = endpoint({
  method: 'POST',
  path: '/auth/assume',
  access: 'user:assume',
  summary: 'Act as a borrower, as staff',
  body: z.object({
    user_id_to_assume: identifier,
    /** Shown to the borrower. Recorded as 'not given' if absent. */
    reason: z.optional(plainText(300)),
  }),
  response: z.object({ token: z.string(), expires_at: instant }),
  errors: ['NotFound'],
})

/**
 * Stops acting as a borrower and returns the staff member's own token. Without an assumed borrower
 * it returns the same token.
 */
export const endAssume = endpoint({
  method: 'DELETE',
  path: '/auth/assume',
  access: 'session',
  summary: 'Stop acting as a borrower',
  response: z.object({ token: z.string(), user }),
})

/** The active sessions of the signed-in person, newest first. */
export const listSessions = endpoint({
  method: 'GET',
  path: '/auth/sessions',
  access: 'session',
  summary: 'The sessions of the signed-in person',
  response: z.object({
    sessions: z.array(
      z.object({
        session_id: z.string(),
        created_at: instant,
        last_seen_at: instant,
        /** The browser's User-Agent. Can be empty. */
        user_agent: z.string(),
        is_current: z.boolean(),
      }),
    ),
  }),
})

/**
 * Ends one other session of the signed-in person; every other one without `session_id`. An id that
 * is not an open session of this person ends nothing.
 */
export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/auth/sessions',
  access: 'session',
  summary: 'Sign out on one other device, or everywhere else',
  query: z.object({ session_id: z.optional(identifier) }),
  response: z.object({ success: z.literal(true), ended: z.int() }),
})
