import type { PaymentLinkStatus } from './payments.ts'

/** Our own view of a link: the provider's states, and what comes before it has any. */
export type LinkStatus = PaymentLinkStatus | 'creating' | 'refused'

/** Where a link may go from where it stands. Money wins: a payment that lands on an expired or cancelled link still counts. */
const forward: Record<LinkStatus, readonly LinkStatus[]> = {
  creating: ['created', 'partially_paid', 'paid', 'expired', 'cancelled', 'refused'],
  // The provider was not heard of in time; a link that turns up after all is what counts.
  refused: ['created', 'partially_paid', 'paid', 'expired', 'cancelled'],
  created: ['partially_paid', 'paid', 'expired', 'cancelled'],
  partially_paid: ['paid', 'expired'],
  expired: ['partially_paid', 'paid'],
  cancelled: ['partially_paid', 'paid'],
  paid: [],
}

/** The status after the provider reports one: forward only, so a stale or late report changes nothing. */
export function advanceLink(current: LinkStatus, reported: LinkStatus): LinkStatus {
  return forward[current].includes(reported) ? reported : current
}

/** Whether the provider can still change the link by itself, so that it must be watched. */
export function isOpenLink(status: LinkStatus): boolean {
  return status === 'creating' || status === 'created' || status === 'partially_paid'
}

/** Whether a link keeps another from being made: it is open, or its money is not in the ledger yet (decision 37). */
export function standsInTheWay(link: { status: LinkStatus; rpsUpdated: boolean }): boolean {
  return isOpenLink(link.status) || (link.status === 'paid' && !link.rpsUpdated)
}
