import * as z from 'zod/mini'
import { loanStatuses } from '#domain/loans.ts'
import type { OperationKind } from '#domain/operations.ts'
import { amount } from './amount.ts'
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

/** The act of each kind of operation, in the access log and as the borrower sees it. */
export const actOfOperation = {
  charge_add: 'charge_added',
  charge_waive: 'charge_waived',
  payment_record: 'payment_recorded',
  payment_reverse: 'payment_reversed',
  tranche_approve: 'tranche_approved',
  tranche_reject: 'tranche_rejected',
  tranche_release: 'tranche_released',
  credit_refund: 'credit_refunded',
  foreclosure_waive: 'foreclosure_waived',
  review_resolve: 'review_resolved',
  benchmark_publish: 'benchmark_published',
  rate_reset_run: 'rate_resets_requested',
  rate_reset_withdraw: 'rate_reset_withdrawn',
  paper_publish: 'paper_published',
} as const satisfies Record<OperationKind, string>
export type OperationAct = (typeof actOfOperation)[OperationKind]

/** Staff actions for a borrower, as the borrower sees them. */
export const staffActs = [
  'profile_viewed',
  'loans_viewed',
  'application_viewed',
  'schedule_viewed',
  'payments_viewed',
  'tranches_viewed',
  'documents_viewed',
  'document_opened',
  'document_generated',
  'document_uploaded',
  'tranche_requested',
  'tranche_changed',
  'rate_reset_chosen',
  'payment_link_created',
  'payment_link_cancelled',
  'staff_access_viewed',
  ...Object.values(actOfOperation),
] as const
export type StaffAct = (typeof staffActs)[number]

/** One access of staff to a borrower's account, or one operation on a loan. */
export const staffAccess = z.object({
  /**
   * `assumed`: staff acted as the borrower. `profile_read`: staff read the profile without acting.
   * `operation`: an operation that one person proposed and, above a limit, another approved.
   */
  kind: z.enum(['assumed', 'profile_read', 'operation']),
  started_at: instant,
  /** Null while it lasts. */
  ended_at: z.nullable(instant),
  /** The team of the staff member, never the name. */
  team: z.enum(['support', 'operations']),
  /** Null if none was given. */
  reason: z.nullable(z.string()),
  acts: z.array(z.object({ act: z.enum(staffActs), first_at: instant, times: z.int() })),
  /** Of an operation: the loan, and its amount if it has one. */
  lan: z.optional(z.string()),
  amount: z.optional(amount),
})

export type StaffAccess = z.output<typeof staffAccess>

/**
 * Staff access to the borrower's account with role, reason and acts: the last hundred, newest
 * first.
 */
export const readStaffAccess = endpoint({
  method: 'GET',
  path: '/portal/staff-access',
  access: 'session',
  summary: 'Staff access to the account of the borrower',
  response: z.object({ staff_access: z.array(staffAccess) }),
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
