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
  // The provider did not confirm the link in time. Nobody has its address if it exists, and a newer
  // link can exist.
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

/**
 * The statuses in which the provider can still change a link: it can be paid, expire or be
 * cancelled.
 */
export const payableStatuses = ['creating', 'created', 'partially_paid'] as const satisfies readonly LinkStatus[]

/** True if the provider can still change the link, so that it must be polled. */
export const isPayableLink = (status: LinkStatus): boolean => (payableStatuses as readonly LinkStatus[]).includes(status)

/** True if a link is closed. It can still receive a payment. */
export function isClosedLink(status: LinkStatus): boolean {
  return status === 'refused' || status === 'expired' || status === 'cancelled'
}
