import type { Day } from './calendar.ts'
import { loanStateToPost } from './loan-state.ts'
import type { LoanFacts, ReceivedPayment } from './loans.ts'
import { zeroPaise, type Paise } from './money.ts'

/**
 * Why money is refunded: it never counted (the first two, decision 49), it was the loan's credit,
 * or it left at the provider without Kist: the lender refunded it there, or the payer's bank took
 * it.
 */
export type RefundReason = 'duplicate' | 'nothing_due' | 'excess' | 'by_lender'

/**
 * `asked`: decided. `pending`: the provider has it. `processed`: the money was sent. `failed`: the
 * provider refused.
 */
export const refundStatuses = ['asked', 'pending', 'processed', 'failed'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/**
 * The statuses that can follow each status. `processed` is final; a failed refund can still turn
 * out to be processed.
 */
const allowedTransitions: Record<RefundStatus, readonly RefundStatus[]> = {
  asked: ['pending', 'processed', 'failed'],
  pending: ['processed', 'failed'],
  failed: ['processed'],
  processed: [],
}

/**
 * The status after the provider reports one. Only forward transitions are applied, so a late report
 * changes nothing.
 */
export function advanceRefund(current: RefundStatus, reported: RefundStatus): RefundStatus {
  return allowedTransitions[current].includes(reported) ? reported : current
}

/** The provider refunds no payment older than six months and nothing below one rupee. */
export const refundableDays = 180
export const minimumRefundPaise = 100n

/**
 * What a change would take from credit that was refunded since, in paise; 0 if nothing more is
 * short than before.
 */
export function refundedCreditUsed(before: LoanFacts, changed: LoanFacts, asOf: Day): Paise {
  if (changed.refunds.length === 0) return zeroPaise
  const short = loanStateToPost(changed, asOf).refundShortPaise
  return short > loanStateToPost(before, asOf).refundShortPaise ? short : zeroPaise
}

/** What decides whether a payment on a link counts. */
export type ReceivingLink = {
  amountPaise: bigint
  /** The link's money that counts for the loan, before this payment. */
  countedPaise: bigint
  /** True if the link was cancelled, had expired or was given up before this payment was known. */
  isClosed: boolean
}

/**
 * Why a captured payment is refunded instead of counting for the loan (decision 49): the link was
 * paid before, or the link was closed and nothing is due. Null if it counts. Nothing is refunded
 * automatically if the loan's state is unknown.
 *
 * @param today the day up to which dues count, not before the payment's own day.
 * @throws InvariantViolation as `loanStateToPost`.
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
