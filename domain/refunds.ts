/** Why money goes back: it never counted (the first two, decision 49), it was the loan's credit, or the lender sent it by hand at the provider. */
export const refundReasons = ['duplicate', 'nothing_due', 'excess', 'by_lender'] as const
export type RefundReason = (typeof refundReasons)[number]

/** `asked`: decided. `pending`: the provider has it. `processed`: the money has left. `failed`: the provider said no. */
export const refundStatuses = ['asked', 'pending', 'processed', 'failed'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** Where a refund may go from where it stands. What has left never comes back; after a no the provider may still turn out to have sent it. */
const forward: Record<RefundStatus, readonly RefundStatus[]> = {
  asked: ['pending', 'processed', 'failed'],
  pending: ['processed', 'failed'],
  failed: ['pending', 'processed'],
  processed: [],
}

/** The status after the provider reports one: forward only, so a stale or late report changes nothing. */
export function advanceRefund(current: RefundStatus, reported: RefundStatus): RefundStatus {
  return forward[current].includes(reported) ? reported : current
}
