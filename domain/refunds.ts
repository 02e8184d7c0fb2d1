import type { Day } from './calendar.ts'
import { loanStateToPost } from './loan-state.ts'
import type { LoanFacts, ReceivedPayment } from './loans.ts'

/** Why money goes back: it never counted (the first two, decision 49), it was the loan's credit, or the lender sent it by hand at the provider. */
const refundReasons = ['duplicate', 'nothing_due', 'excess', 'by_lender'] as const
export type RefundReason = (typeof refundReasons)[number]

/** `asked`: decided. `pending`: the provider has it. `processed`: the money has left. `failed`: the provider said no. */
export const refundStatuses = ['asked', 'pending', 'processed', 'failed'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** Where a refund may go from where it stands. What has left never comes back; after a no the money may still turn out to have left. */
const allowedTransitions: Record<RefundStatus, readonly RefundStatus[]> = {
  asked: ['pending', 'processed', 'failed'],
  pending: ['processed', 'failed'],
  failed: ['processed'],
  processed: [],
}

/** The status after the provider reports one: forward only, so a stale or late report changes nothing. */
export function advanceRefund(current: RefundStatus, reported: RefundStatus): RefundStatus {
  return allowedTransitions[current].includes(reported) ? reported : current
}

/** The provider sends nothing back of a payment older than six months, and nothing below one rupee. */
export const refundableDays = 180
export const minRefundPaise = 100n

/** A link as far as it decides what becomes of money that lands on it. */
export type ReceivingLink = {
  amountPaise: bigint
  /** What it received before and what counts of that. */
  countedPaise: bigint
  /** It was cancelled, had expired or was given up before this money was seen. */
  isClosed: boolean
}

/**
 * Why a payment captured on a link goes back by itself instead of counting (decision 49): the link was paid before, or it was
 * closed and the money finds nothing that is due. Null: it counts. Of a loan that is not understood nothing goes back by itself.
 *
 * @param today the day up to which dues count, not before the payment's own.
 */
export function refundReasonFor(
  facts: LoanFacts,
  payment: ReceivedPayment,
  link: ReceivingLink,
  today: Day,
): 'duplicate' | 'nothing_due' | null {
  if (link.countedPaise >= link.amountPaise) return 'duplicate'
  if (!link.isClosed) return null
  const { status, duesPaise } = loanStateToPost(facts, today)
  if (status === 'UNKNOWN' || duesPaise > 0n) return null
  const withIt = loanStateToPost({ ...facts, payments: [...facts.payments, payment] }, today)
  const lines = withIt.allocations.find(({ paymentId }) => paymentId === payment.paymentId)?.lines ?? []
  return lines.every(({ component }) => component === 'excess') ? 'nothing_due' : null
}
