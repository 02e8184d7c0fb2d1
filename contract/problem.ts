import * as z from 'zod/mini'
import { fileRefusalReasons } from '#domain/documents.ts'
import { errorCatalogue, type ErrorCode } from './errors.ts'

const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]

/** The problem document of every error, `application/problem+json` (decision 2). */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(errorCodes),
  request_id: z.string(),
  /** The invalid field, if there is one. */
  field: z.optional(z.string()),
  /** Why a file was refused. Only with `FileRefused`. */
  reason: z.optional(z.enum(fileRefusalReasons)),
  /**
   * ProposalRefused: why, one of `operationRefusals` (domain/operations.ts).
   * AuthTooManyAttemptsError: `code_used_up` by wrong tries, or `too_many_requests` of the network
   * at once; absent if the phone or the network must wait for its next code.
   * DocumentNotAvailable: why, a `DocumentRefusal` (domain/documents.ts).
   */
  refusal: z.optional(z.string()),
  /** The link with its actual status, if the error is about a link (decision 39). */
  payment_link: z.optional(z.object({ payment_link_id: z.string(), status: z.string() })),
  /**
   * LinkOpen: the open link, and when it expires. The id is null while the provider has not
   * confirmed the link.
   */
  payment_link_id: z.optional(z.nullable(z.string())),
  expires_at: z.optional(z.string()),
  /** AutopayInProgress: by when the outcome of the debit is known, unless that has passed. */
  expected_by: z.optional(z.string()),
  /** LinkPaid: what the loan owes now, in rupees. */
  loan: z.optional(z.object({ loan_status: z.string(), dues: z.number(), principal_outstanding: z.number(), credit: z.number() })),
  /**
   * The approval cancelled the open payment link first, and was refused after that: only the cancel
   * has happened.
   */
  link_cancelled: z.optional(z.boolean()),
  /** ProposalStale: the new preview, as POST /operations/previews answers it. */
  preview: z.optional(z.record(z.string(), z.unknown())),
  /** PreviewInProgress: the loans whose figures are computed, and all of them. */
  progress: z.optional(z.object({ done: z.int(), total: z.int() })),
  /** RateResetNotAllowed: the bounds of the EMI, in rupees. */
  bounds: z.optional(z.object({ minimum: z.number(), maximum: z.number() })),
  /** ProposalDecided: what became of the proposal. */
  proposal_state: z.optional(z.string()),
  /**
   * ProposalRefused: the payment that has the bank reference, for staff who may read. In rupees.
   */
  other_payment: z.optional(
    z.object({ lan: z.string(), mode: z.string(), reference: z.string(), amount: z.number(), value_date: z.string() }),
  ),
})
export type Problem = z.output<typeof problem>
