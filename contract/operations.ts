import * as z from 'zod/mini'
import { decisionCauses, operationKinds, proposalStates } from '#domain/operations.ts'
import { resetChoices, resetStates } from '#domain/rate-resets.ts'
import { reviewKinds } from '#domain/reviews.ts'
import { loanStatuses } from '#domain/loans.ts'
import { amount } from './amount.ts'
import { user } from './auth.ts'
import { day, instant } from './day.ts'
import { document } from './documents.ts'
import { endpoint } from './endpoint.ts'
import { identifier } from './identifier.ts'
import { allowedPayments, loan, scheduleRow } from './loans.ts'
import { operationKind, preview, wireInput } from './operation-kinds.ts'
import { paymentLink, trailStep } from './payments.ts'
import { staffAccess } from './staff-access.ts'
import { wholeNumber } from './staff.ts'
import { plainText } from './text.ts'
import { tranche } from './tranches.ts'

/** Items on a page of each list. */
export const operationsPageSize = 20

/** The newest payment links of a loan that are listed. */
export const operationsLinksMax = 20

const pageNumber = wholeNumber(1, 1_000_000, 1)
const reason = plainText(300)

/** A staff member, as other staff see them. */
const person = z.object({ user_id: z.string(), name: z.string() })

/** What one person proposes and another approves. */
export const proposal = z.object({
  id: z.string(),
  state: z.enum(proposalStates),
  kind: operationKind,
  /** Null for a kind that touches no loan. */
  lan: z.nullable(z.string()),
  /** Null for a kind that touches no borrower. */
  borrower_name: z.nullable(z.string()),
  /** On the wire, as it was proposed. */
  input: wireInput,
  /** What the limit for one person is compared with. Null for kinds without an amount. */
  amount: z.nullable(amount),
  reason: z.string(),
  maker: person,
  /** Who approved or rejected it. Null before that, and if one person sufficed. */
  checker: z.nullable(person),
  /** As it was proposed; of an executed proposal as it was executed. */
  preview,
  proposed_at: instant,
  expires_at: instant,
  /** When it was executed, rejected or withdrawn, or failed. */
  decided_at: z.nullable(instant),
  /** Why it was rejected, withdrawn, or failed. */
  decision_reason: z.nullable(z.string()),
  /**
   * The same as a code, if the portal withdrew it or it failed. Null in proposals of earlier
   * versions.
   */
  decision_cause: z.nullable(z.enum(decisionCauses)),
  /** Whether the caller proposed it. */
  is_own: z.boolean(),
})
export type Proposal = z.output<typeof proposal>

/** `decided`: every final state. `mine`: proposed by the caller, in any state. */
const queueStates = [...proposalStates, 'decided', 'mine'] as const

const counts = z.object({
  /** Open proposals of all, and by kind. */
  proposed: z.int(),
  by_kind: z.array(z.object({ kind: operationKind, proposed: z.int() })),
  /** Open proposals of others than the caller, and of the caller. */
  to_approve: z.int(),
  mine: z.int(),
  open_reviews: z.int(),
})

/**
 * How much waits, without naming anybody: for the navigation. A page of a list is an entry in the
 * access log (decision 62); a read of these numbers is not.
 */
export const countOperations = endpoint({
  method: 'GET',
  path: '/operations/counts',
  access: 'operations:read',
  summary: 'Numbers of open proposals and differences',
  response: z.object({ counts }),
})

/** Open proposals oldest first, others newest first. */
export const readOperationsQueue = endpoint({
  method: 'GET',
  path: '/operations/queue',
  access: 'operations:read',
  summary: 'Proposals by state and kind',
  query: z.object({ state: z._default(z.enum(queueStates), 'proposed'), kind: z.optional(z.enum(operationKinds)), page: pageNumber }),
  response: z.object({
    items: z.array(proposal),
    total_pages: z.int(),
    counts,
  }),
})

const foundLoan = z.object({
  lan: z.string(),
  title: z.string(),
  loan_status: z.enum(loanStatuses),
  dues: amount,
  dpd: z.int(),
  principal_outstanding: amount,
  borrower: z.object({ user_id: z.string(), name: z.string(), phone: z.string() }),
  /** Open proposals about the loan. */
  open_proposals: z.int(),
})

/** Loans by account number, phone or name; all without a search. A page has 20 borrowers. */
export const findOperationsLoans = endpoint({
  method: 'GET',
  path: '/operations/loans',
  access: 'operations:read',
  summary: 'Find loans, as staff',
  query: z.object({ search: z.optional(plainText(100)), page: pageNumber }),
  response: z.object({ items: z.array(foundLoan), total_pages: z.int() }),
  errors: ['TooManyRequests'],
})

const facts = z.object({
  sanctioned_on: day,
  disbursals: z.array(z.object({ date: day, amount })),
  /** `instalment` is given where `keep` is `both`. */
  rate_changes: z.array(z.object({ date: day, annual_rate_percent: z.number(), keep: z.string(), instalment: z.optional(amount) })),
  /** `pending` is what can be waived of it. */
  charges: z.array(
    z.object({
      charge_id: z.string(),
      charge_type: z.string(),
      date: day,
      amount,
      penal: z.boolean(),
      waived_on: z.nullable(day),
      pending: amount,
      /** A part of it was written off with the rest of the loan, or waived by a rule. */
      settled: z.boolean(),
    }),
  ),
  payments: z.array(
    z.object({
      payment_id: z.string(),
      date: day,
      amount,
      mode: z.string(),
      reference: z.string(),
      purpose: z.nullable(z.string()),
      receipt_number: z.nullable(z.string()),
      reversed: z.boolean(),
    }),
  ),
  refunds: z.array(z.object({ refund_id: z.string(), date: day, amount, status: z.string(), reason: z.string() })),
  /** Foreclosures that fell short. */
  short_foreclosures: z.int(),
  foreclosure_waivers: z.array(z.object({ date: day, amount })),
  /** The latest day first; also those that nobody has been notified of. */
  rate_resets: z.array(
    z.object({
      id: z.string(),
      state: z.enum(resetStates),
      from: z.number(),
      to: z.number(),
      effective_on: day,
      choice: z.nullable(z.enum(resetChoices)),
      instalment: amount,
    }),
  ),
})

/**
 * One ledger transaction. `balance`: the principal and charges outstanding after it, less the
 * borrower's credit; it can be negative, so it is in rupees with a sign.
 */
const ledgerTransaction = z.object({
  sequence: z.int(),
  transaction_id: z.string(),
  kind: z.string(),
  source: z.string(),
  source_id: z.string(),
  value_date: day,
  posted_at: instant,
  /** The staff member who approved it, or a named process. */
  actor: z.string(),
  amount,
  entries: z.array(
    z.object({
      account: z.string(),
      debit: amount,
      credit: amount,
      instalment_number: z.nullable(z.int()),
      charge_id: z.nullable(z.string()),
    }),
  ),
  balance: z.number(),
})

/** One loan as its borrower sees it, with its facts, ledger, links, proposals and staff actions. */
export const readOperationsLoan = endpoint({
  method: 'GET',
  path: '/operations/loans/:lan',
  access: 'operations:read',
  summary: 'One loan, as staff',
  params: z.object({ lan: identifier }),
  response: z.object({
    borrower: user,
    loan,
    repayment_schedule: z.array(scheduleRow),
    allowed_payments: allowedPayments,
    tranches: z.array(tranche),
    documents: z.array(document),
    facts,
    ledger: z.array(ledgerTransaction),
    /** Newest first, with their steps. `is_open`: a change of the loan waits for the link. */
    links: z.array(z.object({ payment_link: paymentLink, is_open: z.boolean(), steps: z.array(trailStep) })),
    /** Newest first. */
    proposals: z.array(proposal),
    staff_actions: z.array(staffAccess),
    /** The loan is the caller's own: the caller may not propose or approve anything about it. */
    is_own: z.boolean(),
  }),
  errors: ['NotFound'],
})

const review = z.object({
  review_id: z.string(),
  kind: z.enum(reviewKinds),
  state: z.enum(['open', 'resolved']),
  lan: z.nullable(z.string()),
  borrower_name: z.nullable(z.string()),
  /** Our reference of the payment link. */
  link_reference: z.nullable(z.string()),
  found_at: instant,
  due_on: z.nullable(day),
  /** Facts for the reader, by name. Amounts are paise, as text. */
  detail: z.array(z.object({ name: z.string(), value: z.string() })),
  resolution: z.nullable(z.string()),
  resolved_at: z.nullable(instant),
  /** Who resolved it. Null if the portal did, or while it is open. */
  resolved_by: z.nullable(z.string()),
  /** Kinds of operations that can help, besides `review_resolve`. */
  remedies: z.array(operationKind),
  /** The open proposal to resolve it; null if there is none. */
  open_proposal_id: z.nullable(z.string()),
})

/** Differences for a person to settle. Open: by `due_on` and age; resolved: newest first. */
export const readOperationsReviews = endpoint({
  method: 'GET',
  path: '/operations/reviews',
  access: 'operations:read',
  summary: 'Differences for a person to settle',
  query: z.object({ state: z._default(z.enum(['open', 'resolved']), 'open'), page: pageNumber }),
  response: z.object({ items: z.array(review), total_pages: z.int() }),
})

const operation = z.object({
  kind: operationKind,
  /** The loan. Absent for a kind that touches no loan. */
  lan: z.optional(identifier),
  input: wireInput,
})

const operationRefusals = ['NotFound', 'FourEyes', 'ProposalRefused', 'ChargeNotDisclosed', 'AutopayInProgress'] as const

/**
 * Computes the effect of an operation. Only the read is recorded. PreviewInProgress: it takes
 * longer than a request may, so it is computed in the background; ask again.
 */
export const previewOperation = endpoint({
  method: 'POST',
  path: '/operations/previews',
  access: 'operations:propose',
  summary: 'Preview an operation',
  body: operation,
  response: preview,
  errors: [...operationRefusals, 'PreviewInProgress'],
})

/** Proposes an operation with the preview that the maker has seen. */
export const proposeOperation = endpoint({
  method: 'POST',
  path: '/operations/proposals',
  idempotent: true,
  access: 'operations:propose',
  summary: 'Propose an operation',
  body: z.extend(operation, {
    /** At least 10 characters, shown to the borrower. */
    reason,
    preview_hash: z.string().check(z.maxLength(100)),
  }),
  response: z.object({ proposal }),
  errors: [...operationRefusals, 'PreviewInProgress', 'ProposalStale', 'LinkOpen', 'IdempotencyKeyReused', 'RequestInProgress'],
})

const proposalId = z.object({ id: identifier })

/** One proposal. */
export const readProposal = endpoint({
  method: 'GET',
  path: '/operations/proposals/:id',
  access: 'operations:read',
  summary: 'One proposal',
  params: proposalId,
  response: z.object({ proposal }),
  errors: ['NotFound'],
})

/**
 * Executes a proposal, if the approved preview still holds. The same approval again answers the
 * same.
 */
export const approveProposal = endpoint({
  method: 'POST',
  path: '/operations/proposals/:id/approve',
  access: 'operations:approve',
  summary: 'Approve a proposal',
  params: proposalId,
  body: z.object({
    preview_hash: z.string().check(z.maxLength(100)),
    /** Cancels the open payment link of the loan first (decision 53). */
    cancel_link: z.optional(z.boolean()),
  }),
  response: z.object({ proposal }),
  errors: [
    'NotFound',
    'FourEyes',
    'PreviewInProgress',
    'ProposalStale',
    'ProposalDecided',
    'ProposalRefused',
    'ChargeNotDisclosed',
    'LinkOpen',
    'AutopayInProgress',
    'LinkPaid',
    'PaymentGatewayUnavailable',
  ],
})

const closing = { params: proposalId, body: z.object({ reason }), response: z.object({ proposal }) }

/** Closes another person's proposal. */
export const rejectProposal = endpoint({
  method: 'POST',
  path: '/operations/proposals/:id/reject',
  access: 'operations:approve',
  summary: 'Reject a proposal',
  ...closing,
  errors: ['NotFound', 'FourEyes', 'ProposalDecided', 'ProposalRefused'],
})

/** Closes one's own proposal. */
export const withdrawProposal = endpoint({
  method: 'POST',
  path: '/operations/proposals/:id/withdraw',
  access: 'operations:propose',
  summary: 'Withdraw a proposal',
  ...closing,
  errors: ['NotFound', 'ProposalDecided', 'ProposalRefused'],
})
