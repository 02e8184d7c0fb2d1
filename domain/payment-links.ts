import type { PaymentLinkStatus } from './payments.ts'

/**
 * The status of a link in Kist: the provider's statuses, and those before the provider knows the
 * link.
 */
export type LinkStatus = PaymentLinkStatus | 'creating' | 'refused'

/**
 * The statuses that can follow each status. A payment on an expired or cancelled link still counts.
 */
const allowedTransitions: Record<LinkStatus, readonly LinkStatus[]> = {
  creating: ['created', 'partially_paid', 'paid', 'expired', 'cancelled', 'refused'],
  // The provider refuses the link or does not confirm it in time. If it exists, nobody has its URL.
  refused: ['partially_paid', 'paid', 'expired', 'cancelled'],
  created: ['partially_paid', 'paid', 'expired', 'cancelled'],
  partially_paid: ['paid', 'expired'],
  expired: ['partially_paid', 'paid'],
  cancelled: ['partially_paid', 'paid'],
  paid: [],
}

/**
 * The status after the provider reports one. Only forward transitions are applied, so a late report
 * changes nothing.
 */
export function advanceLink(current: LinkStatus, reported: LinkStatus): LinkStatus {
  return allowedTransitions[current].includes(reported) ? reported : current
}

/** The statuses of a link that can be paid, so that it must be polled. */
export const payableStatuses = ['creating', 'created', 'partially_paid'] as const satisfies readonly LinkStatus[]

/** True while a link can be paid, or may be: its creation is not confirmed. */
export const isPayableLink = (status: LinkStatus): boolean => (payableStatuses as readonly LinkStatus[]).includes(status)

/** The statuses of a link that has ended unpaid. It can still receive a payment. */
export const closedStatuses = ['refused', 'expired', 'cancelled'] as const satisfies readonly LinkStatus[]

/** True for a link that has ended unpaid. A payment can still arrive late. */
export const isClosedLink = (status: LinkStatus): boolean => (closedStatuses as readonly LinkStatus[]).includes(status)
