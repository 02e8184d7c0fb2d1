import type { PaymentLinkStatus } from './payments.ts'

/** Our own view of a link: the provider's states, and what comes before it has any. */
export type LinkStatus = PaymentLinkStatus | 'creating' | 'refused'

/** Where a link may go from where it stands. Money wins: a payment that lands on an expired or cancelled link still counts. */
const allowedTransitions: Record<LinkStatus, readonly LinkStatus[]> = {
  creating: ['created', 'partially_paid', 'paid', 'expired', 'cancelled', 'refused'],
  // The provider did not know of it in time. Should it turn up after all, nobody has its address, and the next link may be made by then.
  refused: ['partially_paid', 'paid', 'expired', 'cancelled'],
  created: ['partially_paid', 'paid', 'expired', 'cancelled'],
  partially_paid: ['paid', 'expired'],
  expired: ['partially_paid', 'paid'],
  cancelled: ['partially_paid', 'paid'],
  paid: [],
}

/** The status after the provider reports one: forward only, so a stale or late report changes nothing. */
export function advanceLink(current: LinkStatus, reported: LinkStatus): LinkStatus {
  return allowedTransitions[current].includes(reported) ? reported : current
}

/** The statuses in which the provider can still change a link by itself: it can be paid, expire or be cancelled. */
export const payableStatuses = ['creating', 'created', 'partially_paid'] as const satisfies readonly LinkStatus[]

/** Whether the provider can still change the link by itself, so that it must be watched. */
export const isPayableLink = (status: LinkStatus): boolean => (payableStatuses as readonly LinkStatus[]).includes(status)

/** Whether a link is over, unless money lands on it all the same. */
export function isClosedLink(status: LinkStatus): boolean {
  return status === 'refused' || status === 'expired' || status === 'cancelled'
}
