import * as z from 'zod/mini'
import type { OperationKind } from '#domain/operations.ts'
import { amount } from './amount.ts'
import { instant } from './day.ts'
import { endpoint } from './endpoint.ts'

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
  credit_return: 'credit_returned',
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
